/// What a command does with records for which an expression has no value, as after a division by zero.
package enum FailingValues: String, Hashable, Sendable {
  /// The command fails and changes nothing.
  case refused
  /// The value is null.
  case missing
  /// The record stays as it is, or is left out of a list.
  case skip
}

/// The records for which an expression has no value: the first of them are named.
package struct RecordFailures: Sendable {
  /// The number of records that were looked at.
  package var recordCount = 0
  package private(set) var count = 0
  private var shown: [String] = []

  /// The number of records that a message names.
  private static let shownCount = 5

  /// Starts without failures.
  package init() {}

  /// Adds a record.
  package mutating func add(_ failure: ExpressionFailure, of identifier: String) {
    count += 1
    if shown.count < Self.shownCount { shown.append("\(identifier): \(failure)") }
  }

  /// Adds those of other records.
  mutating func add(_ other: RecordFailures) {
    count += other.count
    shown += other.shown.prefix(Self.shownCount - shown.count)
  }

  /// The first records and what is wrong with them.
  package var text: String { shown.joined(separator: "; ") + (count > shown.count ? "; …" : "") }
}
