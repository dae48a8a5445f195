package import OpenSwiftData

extension JSONStore {
  /// Reads the file again, with types that can hold other values as well.
  package func widenTypes(toHold types: [String: [String: AttributeType]]) throws -> Bool {
    do {
      return try withSession { try widenTypes(toHold: types, &$0) }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  private func widenTypes(
    toHold types: [String: [String: AttributeType]],
    _ session: inout Session
  ) throws -> Bool {
    guard !session.content.document.format.isCatalog, configuration.text == nil,
      let digest = session.version?.digest
    else { return false }
    var wider = configuration
    wider.typesBeside = types
    let opened = try JSONOpening(wider, generator: session.generator).open()
    // Another version of the file is taken in with the changes that it brings, not here.
    guard let version = opened.version, version.digest == digest else { return false }
    let former = session.content
    let reread = try JSONRefresh(
      opened.content,
      following: former,
      session.matching,
      path: configuration.path,
      isSameText: true
    )
    guard reread.content.table.schema != former.table.schema else { return false }
    (session.content, session.version) = (reread.content, version)
    session.content.checkInvariantsWhenSmall()
    session.content.table.succeed(former.table)
    session.readCount += 1
    return true
  }
}
