import OpenSwiftData

/// A schema compared with the one that a file describes.
///
/// The order of entities and fields does not matter.
struct SchemaPlan {
  /// The schema of the file.
  let wanted: Schema
  /// The schema of the store.
  let present: Schema

  // MARK: Differences

  /// What differs, one line each, in the order of the file.
  var differences: [String] {
    wanted.entities.flatMap { entity -> [String] in
      guard let present = present.entitiesByName[entity.name] else {
        return ["\(entity.name): missing entity"]
      }
      return missing(entity, present) + changed(entity, present) + unexpected(entity, present)
    }
      + present.entities.filter { wanted.entitiesByName[$0.name] == nil }
      .map { "\($0.name): unexpected entity" }
  }

  private func missing(_ entity: Schema.Entity, _ present: Schema.Entity) -> [String] {
    entity.fields.filter { present.fieldsByName[$0.name] == nil }
      .map { "\(entity.name).\($0.name): missing field, expected \($0.rules)" }
  }

  private func changed(_ entity: Schema.Entity, _ present: Schema.Entity) -> [String] {
    entity.fields.compactMap { field in
      guard let found = present.fieldsByName[field.name], found.rules != field.rules else {
        return nil
      }
      return "\(entity.name).\(field.name): expected \(field.rules), found \(found.rules)"
    }
  }

  private func unexpected(_ entity: Schema.Entity, _ present: Schema.Entity) -> [String] {
    present.fields.filter { entity.fieldsByName[$0.name] == nil }
      .map { "\(entity.name).\($0.name): unexpected field" }
  }

  // MARK: Steps

  /// The changes that make what is missing, in an order in which each is possible.
  ///
  /// - Throws: `CommandError` for a field that exists with other rules; `PersistenceError` for a change that is
  ///   not possible.
  func changes() throws -> [SchemaChange] {
    var changes = creations
    for entity in wanted.entities {
      guard let present = present.entitiesByName[entity.name] else { continue }
      changes += entity.fields.compactMap { change(for: $0, of: entity, present) }
    }
    // Every change is checked before the first one is made.
    let result = try changes.reduce(present) { try $0.applying($1) }
    for entity in wanted.entities {
      guard let made = result.entitiesByName[entity.name] else { continue }
      if let difference = changed(entity, made).first {
        throw CommandError(
          "\(difference); schema apply only adds what is missing",
          code: .schemaDiffers
        )
      }
    }
    return changes
  }

  /// The missing entities, those first that others link to; of entities that link to each other, the links come
  /// last.
  private var creations: [SchemaChange] {
    let missing = wanted.entities.filter { present.entitiesByName[$0.name] == nil }
    var known = Set(present.entities.map(\.name))
    var changes: [SchemaChange] = []
    var links: [SchemaChange] = []
    for entity in ImportFile.inOrderOfLinks(missing) {
      known.insert(entity.name)
      let isPossible = { (field: Schema.Attribute) in
        field.type.destination.map { known.contains($0) } ?? true
      }
      let fields = entity.fields.filter(isPossible)
      changes.append(.createEntity(Schema.Entity(entity.name, attributes: fields)))
      links += entity.fields.filter { !isPossible($0) }
        .map { .addAttribute(entity: entity.name, $0) }
    }
    return changes + links
  }

  /// The change that makes a field of an existing entity; nil if there is nothing to do.
  private func change(
    for field: Schema.Attribute,
    of entity: Schema.Entity,
    _ present: Schema.Entity
  ) -> SchemaChange? {
    guard present.fieldsByName[field.name] == nil else { return nil }
    let former = field.originalName
    if former != field.name, present.fieldsByName[former] != nil, entity.fieldsByName[former] == nil
    {
      return .renameAttribute(entity: entity.name, from: former, to: field.name)
    }
    return .addAttribute(entity: entity.name, field)
  }
}

extension Schema.Attribute {
  /// Everything that a schema file says about a field, except its names.
  fileprivate var rules: String {
    specification + (isUnique ? " unique" : "")
      + (defaultValue.isNull ? "" : " default \(Value.quoted(defaultValue.text))")
      + (isReadOnly ? " read-only" : "") + (isBlob ? " blob" : "")
  }
}

extension SchemaPlan {
  /// Reads a schema file; `-` is the standard input.
  ///
  /// - Throws: `PersistenceError` if it cannot be read, `CommandError` with the path if it is not a schema.
  init(reading path: String, in session: Session) throws {
    let bytes = try session.readInput(path)
    do {
      let present = session.context.schema
      self.init(
        wanted: try SchemaFile.schema(bytes, partOf: present),
        present: present
      )
    } catch let error as PlacedError {
      throw CommandError("\(path):\(error)", code: .invalidFile)
    } catch {
      let reason = (error as? DecodingError)?.words ?? FailureCode.place(of: error).message
      throw CommandError("\(path): \(reason)", code: .invalidFile)
    }
  }
}
