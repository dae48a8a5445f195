import OpenSwiftData

/// The groups of a table that are folded: each is then a single line.
package struct GroupFolds: Hashable, Sendable {
  /// The field by which the records are grouped.
  let field: String
  /// The values of the groups that differ from the others.
  private var values: Set<Value> = []
  /// True if the groups with other values are folded.
  private(set) var areOthersFolded = false

  init(field: String) { self.field = field }

  /// True if no group is folded.
  var isEmpty: Bool { values.isEmpty && !areOthersFolded }

  /// True if the group with a value is folded.
  func contains(_ value: Value) -> Bool { values.contains(value) != areOthersFolded }

  /// The values of the folded groups; nil if they are all except some.
  var folded: Set<Value>? { areOthersFolded ? nil : values }

  /// Folds the group with a value, or unfolds it.
  mutating func toggle(_ value: Value) { values.formSymmetricDifference([value]) }

  /// Folds all groups.
  mutating func foldAll() { (areOthersFolded, values) = (true, []) }
}
