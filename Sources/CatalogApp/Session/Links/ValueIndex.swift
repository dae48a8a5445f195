import OpenSwiftData

extension Session {
  /// The records that match, which a command for many rows finds in its index of values.
  ///
  /// - Throws: As `ModelContext.fetchIdentifiers(_:linksByTitle:)`.
  func fetchIdentifiers(_ query: Query) throws -> [PersistentIdentifier] {
    let entity = try context.schema.entity(named: query.entityName)
    return try valueIndex?.records(matching: query, entity, context)
      ?? context.fetchIdentifiers(query, computed: computedPaths(of: entity))
  }
}

/// The records of entities by the values of a field, for a command that reads many rows of a file.
///
/// The command may delete records; it says which values it adds and changes.
struct ValueIndex {
  private struct Field: Hashable {
    let entity: String
    let name: String
  }

  /// The number of lookups from which an index is worth reading all records.
  private static let worthwhileCount = 16
  /// The number of records up to which there is room for an index.
  private static let recordLimit = 2_000_000

  private var lookups: [Field: Int] = [:]
  private var records: [Field: [Value: [PersistentIdentifier]]] = [:]
  /// The fields that the command changes, and those of too many records.
  private var excluded: Set<Field> = []

  /// Forgets all values, because those of the records may have changed.
  mutating func forget() { self = ValueIndex() }

  /// The records that match a query in the order of the store; nil for a query that is left to the store.
  ///
  /// Answered are comparisons of a field of which the store is not known to have an index.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(1) expected after some lookups.
  mutating func records(matching query: Query, _ entity: Schema.Entity, _ context: ModelContext)
    throws -> [PersistentIdentifier]?
  {
    guard case .compare(let name, .equal, let value) = query.filter, query.sort.isEmpty,
      query.offset == 0, let field = entity.fieldsByName[name],
      !field.isUnique, Self.hasExactEquality(field.type, value)
    else { return nil }
    let key = Field(entity: entity.name, name: name)
    lookups[key, default: 0] += 1
    guard lookups[key] ?? 0 > Self.worthwhileCount, !excluded.contains(key) else { return nil }
    if records[key] == nil {
      guard try context.fetchCount(matching: Query(entity.name)) <= Self.recordLimit else {
        excluded.insert(key)
        return nil
      }
      var index: [Value: [PersistentIdentifier]] = [:]
      try context.forEachSnapshot(matching: Query(entity.name, attributes: [name])) { snapshot in
        index[snapshot.orderedValues[0], default: []].append(snapshot.persistentIdentifier)
      }
      records[key] = index
    }
    return Array(
      (records[key]?[value] ?? []).lazy.filter { record in
        // A new record that was deleted again is no longer pending.
        let kind = context.pendingKind(of: record)
        return kind != .deleted && (kind != nil || !record.isTemporary)
      }
      .prefix(query.limit ?? .max)
    )
  }

  /// True if a value of the field that equals the value is the same value of the index.
  private static func hasExactEquality(_ type: AttributeType, _ value: Value) -> Bool {
    switch (type, value) {
    case (.text, .text), (.integer, .integer), (.uuid, .uuid): true
    default: false
    }
  }

  /// Records that the command has added a record to an entity with values in fields; the others can have any values.
  mutating func noteInsertion(
    of identifier: PersistentIdentifier,
    to entity: Schema.Entity,
    with values: [String: Value]
  ) {
    for field in entity.fields.map(\.name) {
      if let value = values[field] {
        records[Field(entity: entity.name, name: field)]?[value, default: []].append(identifier)
      } else {
        noteChange(of: entity.name, [field])
      }
    }
  }

  /// Records that the command changes these fields or, in JSON, parts of them.
  mutating func noteChange(of entity: String, _ fields: some Sequence<String>) {
    for field in fields {
      let name = String(field.prefix { $0 != "." && $0 != "[" })
      for name in Set([name, field]) {
        let key = Field(entity: entity, name: name)
        excluded.insert(key)
        records[key] = nil
      }
    }
  }
}
