import Expressions
import Foundation
import OpenSwiftData

/// In what the values of a field are counted: each by itself, or numbers and days in intervals.
enum Intervals: Hashable, Sendable {
  case values
  /// Numbers in intervals of this width, from a multiple of it on.
  case width(Decimal)
  /// Days and moments in parts of the calendar: `day`, `week`, `month`, `quarter` or `year`.
  case calendar(String)

  /// What the title of the counts says; nil for single values.
  var text: String? {
    switch self {
    case .values: nil
    case .width(let width): "intervals of \(Value.decimal(width).text)"
    case .calendar(let unit): "by \(unit)"
    }
  }
}

/// How the values of a field are spread over the records of a list.
struct Distribution: Hashable, Sendable {
  /// A value or an interval, with the records that have it.
  struct Part: Identifiable, Hashable, Sendable {
    /// The value, or the start of the interval.
    let value: Value
    /// The end of the interval, which is not in it; nil for a value.
    var end: Value?
    /// The title of the record that a link leads to.
    var title: String?
    let count: Int
    /// The records of this part and of those before it.
    fileprivate(set) var cumulated = 0
    var id: Value { value }
  }

  let intervals: Intervals
  /// What the values can be counted in, in the order of their size; single values come last.
  let choices: [Intervals]
  /// The values, the most frequent first, or the intervals in their order, with the empty ones; the missing values come
  /// last then.
  let parts: [Part]
  /// The number of different values.
  let valueCount: Int
  /// The number of records of the part that has most of them.
  let greatestCount: Int

  /// The number of different values up to which each has a line unless intervals are asked for.
  private static let mostValues = 30
  private static let mostIntervals = 1000
  /// The number of intervals that are shown at first, at most.
  private static let mostAtFirst = 24

  /// Arranges values that were counted, the most frequent first.
  ///
  /// - Parameters:
  ///   - values: The values with their counts.
  ///   - wanted: What they are counted in; nil for what shows the distribution best.
  /// - Complexity: O(n) in the number of values.
  init(_ values: [ValueCount], in wanted: Intervals?) {
    let scale = Scale(values.lazy.map(\.value))
    let possible = scale?.choices(most: Self.mostIntervals) ?? []
    let first = possible.first { $0.count <= Self.mostAtFirst } ?? possible.last
    let choices = possible.map(\.intervals) + [.values]
    (self.choices, valueCount) = (choices, values.count)
    let best = values.count > Self.mostValues ? first?.intervals : nil
    intervals = wanted.flatMap { choices.contains($0) ? $0 : nil } ?? best ?? .values
    var parts = values.map { Part(value: $0.value, title: $0.title, count: $0.count) }
    if let scale, intervals != .values { parts = scale.parts(values, in: intervals) }
    var total = 0
    for place in parts.indices {
      total += parts[place].count
      parts[place].cumulated = total
    }
    self.parts = parts
    greatestCount = parts.reduce(0) { max($0, $1.count) }
  }
}

/// The numbers, days or moments of a field, from the smallest to the greatest.
private enum Scale {
  case numbers(Value, Value, Kind)
  case days(CalendarDate, CalendarDate, areMoments: Bool)

  enum Kind { case integer, decimal, number }

  /// Nil for fewer than two values, or for values that have no distance.
  init?(_ values: some Sequence<Value>) {
    var (least, greatest): (Value?, Value?)
    var kinds: Set<ValueKind> = []
    for value in values where !value.isNull {
      guard let kind = value.kind, Self.kinds.contains(kind) else { return nil }
      kinds.insert(kind)
      if least.map({ value.compare($0) == .orderedAscending }) ?? true { least = value }
      if greatest.map({ value.compare($0) == .orderedDescending }) ?? true { greatest = value }
    }
    guard let least, let greatest, least != greatest else { return nil }
    if kinds.isSubset(of: [.date, .datetime]), kinds.count == 1 {
      guard let first = least.day, let last = greatest.day, first < last else { return nil }
      self = .days(first, last, areMoments: kinds == [.datetime])
    } else {
      guard kinds.isDisjoint(with: [.date, .datetime]), let first = least.double,
        let last = greatest.double, abs(first) < Self.limit, abs(last) < Self.limit, first < last
      else { return nil }
      self = .numbers(
        least,
        greatest,
        kinds == [.integer] ? .integer : kinds.contains(.number) ? .number : .decimal
      )
    }
  }

  /// The kinds of values that have a distance.
  private static let kinds: Set<ValueKind> = [.integer, .decimal, .number, .date, .datetime]

  /// Multiples of widths are exact below this number.
  private static let limit = 1e15

  static let units = ["day", "week", "month", "quarter", "year"]

  /// The intervals into which the values can be divided, with their number, from the narrow to the wide.
  func choices(most: Int) -> [(intervals: Intervals, count: Int)] {
    switch self {
    case .numbers(let first, let last, let kind):
      return Self.widths(first, last, isWhole: kind == .integer).map { width in
        (.width(width), Self.numbers(from: first, to: last, width, kind).count)
      }.filter { $0.1 <= most }
    case .days(let first, let last, _):
      return Self.units.compactMap { unit in
        let starts = Self.starts(first, last, unit).prefix(most + 1)
        let count = starts.reduce(0) { count, _ in count + 1 }
        return count > 1 && count <= most ? (.calendar(unit), count) : nil
      }
    }
  }

  /// The widths 1, 2 and 5 with powers of ten that give about 5 to 100 intervals.
  private static func widths(_ first: Value, _ last: Value, isWhole: Bool) -> [Decimal] {
    let range = (last.double ?? 0) - (first.double ?? 0)
    let lowest = Int(log10(range / 100).rounded(.down))
    return (lowest...(lowest + 3)).flatMap { power in
      [1, 2, 5].map { digit in Decimal(sign: .plus, exponent: power, significand: Decimal(digit)) }
    }.filter { width in
      let count = range / width.double
      return count <= 100 && count >= 4 && (!isWhole || width >= 1)
    }
  }

  /// The number of the interval with a value, among those of a width from zero on; nil for a missing value.
  private static func number(of value: Value, _ width: Decimal, _ kind: Kind) -> Int? {
    guard let quotient = value.double.map({ $0 / width.double }) else { return nil }
    let number = Int(quotient.rounded(.down))
    // The quotient may have been rounded over a bound.
    if value.compare(bound(number + 1, width, kind)) != .orderedAscending { return number + 1 }
    return value.compare(bound(number, width, kind)) == .orderedAscending ? number - 1 : number
  }

  private static func numbers(from first: Value, to last: Value, _ width: Decimal, _ kind: Kind)
    -> ClosedRange<Int>
  {
    (number(of: first, width, kind) ?? 0)...(number(of: last, width, kind) ?? 0)
  }

  private static func starts(_ first: CalendarDate, _ last: CalendarDate, _ unit: String)
    -> some Sequence<CalendarDate>
  {
    sequence(first: first.start(of: unit)) { $0.next(unit) }.lazy.prefix { $0 <= last }
  }

  /// The intervals in their order, with the number of records of each.
  func parts(_ values: [ValueCount], in intervals: Intervals) -> [Distribution.Part] {
    var counts: [Value: Int] = [:]
    for value in values {
      counts[start(of: value.value, in: intervals), default: 0] += value.count
    }
    let missing = counts[.null].map { [Distribution.Part(value: .null, count: $0)] } ?? []
    let parts = bounds(in: intervals).map { start, end in
      Distribution.Part(value: start, end: end, count: counts[start] ?? 0)
    }
    return parts + missing
  }

  private func start(of value: Value, in intervals: Intervals) -> Value {
    switch (intervals, self) {
    case (.width(let width), .numbers(_, _, let kind)):
      return Self.number(of: value, width, kind).map { Self.bound($0, width, kind) } ?? .null
    case (.calendar(let unit), .days(_, _, let areMoments)):
      return value.day.map { Self.bound($0.start(of: unit), areMoments) } ?? .null
    default: return value
    }
  }

  private func bounds(in intervals: Intervals) -> [(start: Value, end: Value)] {
    switch (intervals, self) {
    case (.width(let width), .numbers(let first, let last, let kind)):
      return Self.numbers(from: first, to: last, width, kind).map {
        (Self.bound($0, width, kind), Self.bound($0 + 1, width, kind))
      }
    case (.calendar(let unit), .days(let first, let last, let areMoments)):
      return Self.starts(first, last, unit).map {
        (Self.bound($0, areMoments), Self.bound($0.next(unit), areMoments))
      }
    default: return []
    }
  }

  private static func bound(_ number: Int, _ width: Decimal, _ kind: Kind) -> Value {
    let bound = Decimal(number) * width
    return switch kind {
    case .integer: .integer(Int64(bound.double))
    case .decimal: .decimal(bound)
    case .number: .number(bound.double)
    }
  }

  private static func bound(_ day: CalendarDate, _ areMoments: Bool) -> Value {
    areMoments ? .datetime(Date(day)) : .date(day)
  }
}

extension Value {
  /// The number, rounded to a binary one; nil for any other value.
  fileprivate var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value.isFinite ? value : nil
    case .decimal(let value): value.double
    default: nil
    }
  }

  /// The day, or that of the moment in UTC.
  fileprivate var day: CalendarDate? {
    switch self {
    case .date(let date): date
    case .datetime(let moment): CalendarDate(of: moment)
    default: nil
    }
  }
}

extension Decimal {
  /// The nearest number; that of `NSDecimalNumber` can be a neighbor.
  fileprivate var double: Double { Double(description) ?? .nan }
}

extension CalendarDate {
  /// The start of the next day, week, month, quarter or year after one.
  fileprivate func next(_ unit: String) -> CalendarDate {
    let days = ["day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366]
    return adding(days: days[unit] ?? 1).start(of: unit)
  }
}
