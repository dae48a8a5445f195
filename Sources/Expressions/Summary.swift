import Foundation
import OpenSwiftData

/// A function of several records in an expression, with the value that it takes from each.
struct Summary: Sendable {
  let function: SummaryFunction
  /// The call as it is written.
  let source: String
  /// The value of a record; nil for `count()` and `row()`.
  var argument: Evaluation?
  var argumentType = ExpressionType.null
  /// The part of the values that a percentile is about, 0 to 1.
  var portion = ExactDecimal(mantissa: 5, exponent: -1)
  /// What random numbers are made from.
  var seed: Int64 = 0
  /// The values of a record, if it has several.
  var elements: ElementsEvaluation?

  init(_ function: SummaryFunction, source: String) {
    (self.function, self.source) = (function, source)
  }

  /// The type of the result.
  var type: ExpressionType {
    switch function {
    case .count, .distinct, .row: .integer
    case .sum, .mean, .running, .share:
      switch argumentType {
      case .number, .duration, .json: argumentType
      default: .decimal
      }
    case .median, .percentile: argumentType == .integer ? .decimal : argumentType
    case .stdev, .random: .number
    case .list: .json
    case .any, .all: .boolean
    case .min, .max, .first, .last, .prev, .next, .fill: argumentType
    }
  }

  /// The state before any record.
  var empty: SummaryState {
    switch function {
    case .distinct: .different([])
    case .sum, .mean, .running, .share: .sum(ExactSum())
    case .stdev: .spread(Spread())
    case .median, .percentile, .list: .values([])
    case .min, .max, .first, .last: .value(.null)
    case .any: .truth(false)
    case .all: .truth(true)
    default: .count(0)
    }
  }

  /// Adds the value of a record.
  ///
  /// - Throws: `ExpressionFailure` that names the call.
  func add(_ value: Computed, to state: inout SummaryState) throws(ExpressionFailure) {
    do throws(ExpressionFailure) {
      try state.add(value, self)
    } catch { throw named(error) }
  }

  /// The result of a state.
  ///
  /// - Throws: `ExpressionFailure` that names the call.
  func result(_ state: SummaryState) throws(ExpressionFailure) -> Computed {
    do throws(ExpressionFailure) {
      return try state.result(of: self)
    } catch { throw named(error) }
  }

  private func named(_ failure: ExpressionFailure) -> ExpressionFailure {
    var failure = failure
    if failure.source == nil { failure.source = Value.shortened(source) }
    return failure
  }
}

/// What a function has seen of a group.
enum SummaryState: Sendable {
  case count(Int64)
  case different(Set<Value>)
  case sum(ExactSum)
  case spread(Spread)
  case values([Value])
  case value(Computed)
  case truth(Bool)

  fileprivate mutating func add(_ added: Computed, _ summary: Summary) throws(ExpressionFailure) {
    let function = summary.function
    switch self {
    case .count(let count):
      let isCounted = added == .value(.boolean(true)) || summary.argumentType != .boolean
      if !added.isNull, isCounted { self = .count(count + 1) }
    case .truth(let truth):
      let isMet = added == .value(.boolean(true))
      self = .truth(function == .any ? truth || isMet : truth && isMet)
    case _ where added.isNull: break
    case .different(var values):
      self = .count(0)
      values.insert(added.groupKey)
      self = .different(values)
    case .sum(var sum):
      // The only reference, so that adding copies nothing.
      self = .count(0)
      defer { self = .sum(sum) }
      try sum.add(added, function)
    case .spread(var spread):
      try spread.add(added, function)
      self = .spread(spread)
    case .values(var values):
      self = .count(0)
      values.append(added.value ?? .text(added.text))
      self = .values(values)
    case .value(let best):
      let isBetter =
        switch function {
        case .first: best.isNull
        case .last: true
        case .min: best.isNull || added.order(best) == .orderedAscending
        default: best.isNull || added.order(best) == .orderedDescending
        }
      if isBetter { self = .value(added) }
    }
  }

  fileprivate func result(of summary: Summary) throws(ExpressionFailure) -> Computed {
    switch self {
    case .count(let count): return .value(.integer(count))
    case .different(let values): return .value(.integer(Int64(values.count)))
    case .sum(let sum):
      return try summary.function == .mean ? sum.mean() : sum.total(as: summary.type)
    case .spread(let spread): return spread.result
    case .value(let value): return value
    case .truth(let truth): return .value(.boolean(truth))
    case .values(let values):
      return try summary.function == .list
        ? values.jsonArray() : values.percentile(summary.portion)
    }
  }
}

extension Computed {
  /// The order of lists: numbers by their values, NaN last among them; durations by their usual lengths.
  func order(_ other: Computed) -> ComparisonResult {
    switch (self, other) {
    case (.value(let left), .value(let right)): left.compare(right)
    case (.duration(let left), .duration(let right)):
      Value.number(left.usualDays).compare(.number(right.usualDays))
    case (.duration, .value): .orderedDescending
    case (.value, .duration): .orderedAscending
    }
  }

  /// The value by which groups are told apart: numbers of JSON are the same if they are equal.
  var groupKey: Value {
    guard case .value(let value) = self else { return .text(text) }
    switch value {
    case .number(let number) where number.isFinite: return number == 0 ? .integer(0) : value.whole
    case .decimal: return value.whole
    default: return value
    }
  }
}

extension Value {
  /// The number as an integer if it is whole.
  fileprivate var whole: Value {
    if case .number(let number) = self {
      return Int64(exactly: number).map { .integer($0) } ?? self
    }
    return exact?.whole.map { .integer($0) } ?? self
  }
}

extension CalendarDuration {
  fileprivate var usualDays: Double {
    Double(months) * 30.436875 + Double(microseconds) / Double(Self.microsecondsInDay)
  }
}

extension [Value] {
  /// The limit of a cell, in bytes.
  private static var textLimit: Int { 16 << 20 }

  func jsonArray() throws(ExpressionFailure) -> Computed {
    var parts: [String] = []
    var size = 2
    for value in self {
      guard let json = try? Computed.value(value).stored(as: .json) else { continue }
      parts.append(json.text)
      size += parts[parts.count - 1].utf8.count + 1
      guard size <= Self.textLimit else { throw ExpressionFailure("the result exceeds 16 MiB") }
    }
    return .value(.json("[" + parts.joined(separator: ",") + "]"))
  }

  /// The value below which a part of the values is, by linear interpolation; of values that are no numbers the lower of
  /// two.
  fileprivate func percentile(_ portion: ExactDecimal) throws(ExpressionFailure) -> Computed {
    guard !isEmpty else { return .null }
    let ordered = sorted { $0.compare($1) == .orderedAscending }
    do throws(ExactDecimal.Problem) {
      let place = try ExactDecimal(whole: Int64(count - 1)) * portion
      let split = try place.dividedDown(by: ExactDecimal(whole: 1))
      let below = Int(split.quotient?.whole ?? 0)
      let (low, high) = (ordered[below], ordered[Swift.min(below + 1, count - 1)])
      if let first = low.exactUnlessBinary, let second = high.exactUnlessBinary {
        return .value(Value(try first + (second - first) * split.rest))
      }
      guard let first = low.asDouble, let second = high.asDouble, first != second,
        let part = Value(split.rest).asDouble, part != 0
      else { return .value(low) }
      return .value(.number(first + (second - first) * part))
    } catch { throw ExpressionFailure("\(error)") }
  }
}

extension Value {
  /// The exact number; nil for a binary one and for values that are no numbers.
  fileprivate var exactUnlessBinary: ExactDecimal? {
    if case .number = self { nil } else { exact }
  }
}
