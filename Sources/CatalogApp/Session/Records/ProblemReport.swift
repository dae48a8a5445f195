import OpenSwiftData

/// A record that breaks a rule, or in which something looks wrong.
package struct RecordProblem: Hashable, Identifiable, Sendable {
  let record: PersistentIdentifier
  /// The field; nil for the whole record.
  let field: String?
  /// The value of the field.
  let value: Value
  /// What is wrong.
  let words: String

  package var id: Self { self }

  /// The names of the values in `row`.
  static let columns = ["entity", "id", "field", "rule", "value"]

  /// The problem as a row of a table.
  var row: [Value] {
    [
      .text(record.entityName), .text(record.description), field.map { .text($0) } ?? .null,
      .text(words), value.isLink ? .text(value.text) : value,
    ]
  }
}

/// The records that break the same rule.
struct ProblemGroup: Hashable, Sendable {
  /// How many records of one rule are kept.
  static let limit = 10_000

  /// What the group is about, for a note about records that were not kept.
  let name: String
  /// True for a rule that somebody has written, false for what only looks wrong.
  let isRule: Bool
  /// The number of records.
  private(set) var count = 0
  /// The first of them.
  private(set) var problems: [RecordProblem] = []

  init(_ name: String, isRule: Bool) { (self.name, self.isRule) = (name, isRule) }

  /// Counts a record, and keeps it if there is room.
  mutating func add(
    _ record: PersistentIdentifier,
    _ field: String?,
    _ value: Value,
    _ words: @autoclosure () -> String
  ) {
    count += 1
    guard problems.count < Self.limit else { return }
    problems.append(
      RecordProblem(record: record, field: field, value: value, words: words())
    )
  }

  /// Says that not all records are listed; nil if they are.
  var note: String? {
    guard count > problems.count else { return nil }
    return "\(name): \(counted(count)), of which the first \(problems.count) are listed"
  }
}

/// What a search has found.
package struct ProblemReport: Hashable, Sendable {
  /// The records by rule: first the rules of the file, in their order.
  let groups: [ProblemGroup]

  /// The records that are listed.
  var problems: [RecordProblem] { groups.flatMap(\.problems) }
  /// The number of records that were found, once for each rule.
  var count: Int { groups.reduce(0) { $0 + $1.count } }
  /// The number of records that break a rule of the file.
  var brokenCount: Int { groups.reduce(0) { $0 + ($1.isRule ? $1.count : 0) } }
  /// What is not listed.
  var notes: [String] { groups.compactMap(\.note) }

  /// The records as rows.
  var table: OutputTable {
    OutputTable(columns: RecordProblem.columns, rows: problems.map(\.row))
  }
}
