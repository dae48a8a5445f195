package import OpenSwiftData

extension JSONStore {
  /// Reads the file again, with types that can hold other values as well, and with the fields of JSON that no record has now.
  package func widenTypes(toHold types: FieldTypes) throws -> Bool {
    do {
      return try withSession { try widenTypes(toHold: types, &$0) }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  package func dropWidenedTypes() throws -> Bool {
    do {
      return try withSession { session in
        let digest = session.version?.digest
        guard digest != session.typesDigest || !session.typesBeside.isEmpty else { return false }
        (session.typesBeside, session.typesDigest) = ([:], digest)
        return try widenTypes(toHold: [:], &session)
      }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  private func widenTypes(
    toHold types: FieldTypes,
    _ session: inout Session
  ) throws -> Bool {
    guard !session.content.document.format.isCatalog, configuration.text == nil,
      let digest = session.version?.digest
    else { return false }
    var types = types
    types.add(session.typesBeside)
    var opening = opening(session)
    opening.typesBeside = types
    let opened = try opening.open()
    // Another version of the file is taken in with the changes that it brings, not here.
    guard let version = opened.version, version.digest == digest else { return false }
    session.typesBeside = types
    let former = session.content
    let reread = try JSONRefresh(
      opened.content,
      following: former,
      session.matching,
      path: configuration.path,
      isSameText: true
    )
    var content = reread.content
    content.addFields(types)
    guard content.table.schema != former.table.schema else { return false }
    (session.content, session.version) = (content, version)
    session.content.checkInvariantsWhenSmall()
    session.content.table.succeed(former.table)
    session.readCount += 1
    return true
  }
}

extension JSONContent {
  /// Adds the fields that no record has; the columns of separated values are those of the file.
  mutating func addFields(_ types: FieldTypes) {
    if document.format.isSeparated { return }
    let steps = types.sorted { $0.key < $1.key }.flatMap { entity, types in
      let known = table.schema.entitiesByName[entity]
      return types.sorted { $0.key < $1.key }.filter { known?.fieldsByName[$0.key] == nil }
        .map { name, type in
          SchemaStep.addAttribute(entity: entity, Schema.Attribute(name, type), at: nil)
        }
    }
    if let staged = try? table.staged(steps) { table = staged }
  }
}
