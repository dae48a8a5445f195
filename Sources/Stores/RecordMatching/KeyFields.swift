import OpenSwiftData

/// The fields by which the records of an entity are known.
struct KeyFields: Hashable, Sendable {
  /// The fields; empty if records are known as a whole.
  let names: [String]
  let strength: MatchingKey.Strength

  init(_ names: [String], _ strength: MatchingKey.Strength) {
    (self.names, self.strength) = (names, strength)
  }

  /// Finds the fields in the records of a table.
  ///
  /// - Complexity: O(n) in the number of values.
  init(of table: EntityTable) {
    if let unique = table.entity.fields.first(where: \.isUnique) {
      self.init([unique.name], .identifier)
      return
    }
    let rows = table.rowsInOrder()
    let versions = MatchedVersions(table, rows, table, rows).withoutNumbering
    let key = KeyChoice(versions).key
    self.init(key?.columns.map { versions.columns[$0].name } ?? [], key?.strength ?? .guess)
  }

  /// The fields under other names; none if one has no name.
  func map(_ name: (String) -> String?) -> KeyFields {
    let renamed = names.compactMap(name)
    return renamed.count == names.count ? KeyFields(renamed, strength) : KeyFields([], .guess)
  }

  /// The fields; empty if they are only a guess.
  var sure: [String] { strength > .guess ? names : [] }
}
