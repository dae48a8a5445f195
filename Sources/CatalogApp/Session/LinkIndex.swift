import OpenSwiftData

/// The records of entities by the values of a field, for a command that looks up many links.
///
/// Valid while the command does not change these entities.
struct LinkIndex {
  private struct Field: Hashable {
    let entity: String
    let name: String
  }

  /// The number of lookups from which an index is worth reading all records.
  private static let worthwhileCount = 8

  private var lookups: [Field: Int] = [:]
  private var records: [Field: [Value: [PersistentIdentifier]]] = [:]
  /// The entities that the command itself changes.
  private var changed: Set<String> = []

  /// The records with a value, in the order of the store, at most as many as the limit.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(1) expected after some lookups; O(n) in the number of records before.
  mutating func records(
    of entity: String,
    with value: Value,
    in field: String,
    limit: Int,
    _ context: ModelContext
  ) throws -> [PersistentIdentifier] {
    let key = Field(entity: entity, name: field)
    lookups[key, default: 0] += 1
    if lookups[key] ?? 0 > Self.worthwhileCount, !changed.contains(entity) {
      if records[key] == nil {
        var index: [Value: [PersistentIdentifier]] = [:]
        try context.forEachSnapshot(matching: Query(entity, attributes: [field])) { snapshot in
          let value = snapshot.orderedValues[0]
          if index[value]?.count ?? 0 < limit {
            index[value, default: []].append(snapshot.persistentIdentifier)
          }
        }
        records[key] = index
      }
      return records[key]?[value] ?? []
    }
    let filter = Filter.compare(field, .equal, value)
    return try context.fetchIdentifiers(matching: Query(entity, filter: filter, limit: limit))
  }

  /// Records that the command changes an entity; nil for any.
  mutating func noteChange(of entity: String?) {
    if let entity, changed.insert(entity).inserted {
      records = records.filter { $0.key.entity != entity }
    } else if entity == nil {
      records = [:]
      lookups = [:]
    }
  }
}
