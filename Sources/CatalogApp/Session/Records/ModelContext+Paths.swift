import OpenSwiftData

extension ModelContext {
  /// The values at the end of a path, by the records that its first link refers to; a record without a value is
  /// missing.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(n) in the number of links.
  func values(at path: LinkPath, of links: Set<PersistentIdentifier>) throws
    -> [PersistentIdentifier: Value]
  {
    guard !links.isEmpty, let entity = schema.entitiesByName[path.destination] else { return [:] }
    let next = try FieldPath(path.rest, of: entity, in: schema)
    let found = try snapshots(for: Array(links), attributes: [next?.fields.first ?? path.rest])
      .compactMapValues { $0.orderedValues.first }
    guard let next else { return found.filter { !$0.value.isNull } }
    let records = Array(found.keys)
    let values = try values(at: next, in: records.map { found[$0] ?? .null })
    return Dictionary(uniqueKeysWithValues: zip(records, values)).filter { !$0.value.isNull }
  }

  /// The values at the end of a path, for the values of the field where it begins.
  ///
  /// - Throws: The error of a store that cannot be read.
  func values(at path: FieldPath, in values: [Value]) throws -> [Value] {
    switch path {
    case .members(let path): return values.map { path.path.value(in: $0) }
    case .link(let path):
      let links = values.map(\.linkedRecord)
      let found = try self.values(at: path, of: Set(links.compactMap { $0 }))
      return links.map { $0.flatMap { found[$0] } ?? .null }
    case .computed:
      // It needs whole records: `values(at:of:)`.
      return values.map { _ in .null }
    }
  }
}

extension Value {
  /// The record that a link refers to; nil for other values.
  var linkedRecord: PersistentIdentifier? {
    if case .link(let identifier) = self { identifier } else { nil }
  }
}
