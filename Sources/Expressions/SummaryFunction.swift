import OpenSwiftData

/// The functions of several records: of those of a group, or of records in their order.
package enum SummaryFunction: String, CaseIterable, Sendable {
  // Groups
  case count, distinct, sum, mean, min, max, median, percentile, stdev, first, last, list, any, all
  // Records in an order
  case row, prev, next, running, fill, share, random

  /// True for a function of the records around one, in their order.
  var isOfOrder: Bool {
    switch self {
    case .row, .prev, .next, .running, .fill, .share, .random: true
    default: false
    }
  }

  /// What the functions of groups do, for help.
  package static var ofGroups: [(usage: String, text: String)] {
    allCases.filter { !$0.isOfOrder }.map(\.summary)
  }

  /// What the functions of records in their order do, for help.
  package static var ofOrder: [(usage: String, text: String)] {
    allCases.filter(\.isOfOrder).map(\.summary)
  }

  /// The numbers of values that the function takes.
  private var counts: ClosedRange<Int> {
    switch self {
    case .row: 0...0
    case .count: 0...1
    case .percentile: 2...2
    default: 1...1
    }
  }

  private var summary: (usage: String, text: String) {
    switch self {
    case .count:
      ("count(), count(x)", "the records, those with a value, or those that meet a condition")
    case .distinct: ("distinct(x)", "the number of different values")
    case .sum: ("sum(x)", "the sum, exact; 0 of nothing")
    case .mean: ("mean(x)", "the mean")
    case .min: ("min(x)", "the smallest value")
    case .max: ("max(x)", "the largest value")
    case .median: ("median(x)", "the value in the middle, or the mean of the two")
    case .percentile: ("percentile(x, 90)", "the value below which so many percent are")
    case .stdev: ("stdev(x)", "the standard deviation of a sample")
    case .first: ("first(x)", "the first value")
    case .last: ("last(x)", "the last value")
    case .list: ("list(x)", "all values, as JSON")
    case .any: ("any(P)", "true if a record meets the condition")
    case .all: ("all(P)", "true if all records meet the condition")
    case .row: ("row()", "the number of the record in the list")
    case .prev: ("prev(x)", "the value in the record before")
    case .next: ("next(x)", "the value in the record after")
    case .running: ("running(x)", "the sum of the values so far")
    case .fill: ("fill(x)", "the value, or the last one before it")
    case .share: ("share(x)", "the part that the value has of the sum of all")
    case .random:
      ("random(seed)", "a number from 0 up to 1 that depends on the seed and on row() only")
    }
  }

  /// Finds the function that a call means: `min` and `max` of several values compare these.
  init?(named name: String, count: Int) {
    self.init(rawValue: name.lowercased())
    if self == .min || self == .max, count > 1 { return nil }
  }

  /// Refuses a number of values that the function does not take.
  func check(count: Int, at offset: Int) throws(SyntaxProblem) {
    if counts.contains(count) { return }
    throw SyntaxProblem(
      offset: offset,
      message: "\(rawValue) takes \(ExpressionFunction.words(counts)), found \(count)"
    )
  }
}
