import Foundation

/// Comparisons of moments with days in UTC, which begin with their first moment and end before that of the next day.
extension Filter {
  /// The comparison of a field of moments with a whole day.
  package static func compare(_ name: String, _ comparison: Comparison, wholeDay day: CalendarDate)
    -> Filter
  {
    switch comparison {
    case .less, .greaterOrEqual: .compare(name, comparison, .datetime(day.start))
    case .lessOrEqual: .compare(name, .less, .datetime(day.end))
    case .greater: .compare(name, .greaterOrEqual, .datetime(day.end))
    case .equal:
      .and([
        .compare(name, .greaterOrEqual, .datetime(day.start)),
        .compare(name, .less, .datetime(day.end)),
      ])
    case .notEqual: .not(.compare(name, .equal, wholeDay: day))
    }
  }

  /// The comparison of a field with a value; a day is the whole day in a field of moments.
  package static func compare(
    _ field: Schema.Attribute,
    _ comparison: Comparison,
    _ value: Value
  ) -> Filter {
    switch value {
    case .json(let text): .json(field.name, comparison, text)
    case .date(let day) where field.type == .datetime:
      .compare(field.name, comparison, wholeDay: day)
    default: .compare(field.name, comparison, value)
    }
  }

  /// The test whether a field is between two values, which belong to the range.
  static func between(_ field: Schema.Attribute, _ low: Value, _ high: Value) -> Filter {
    guard field.type == .datetime, low.kind == .date || high.kind == .date else {
      return .between(field.name, low, high)
    }
    return .and([.compare(field, .greaterOrEqual, low), .compare(field, .lessOrEqual, high)])
  }

  /// The test whether a field has one of some values.
  static func isIn(_ field: Schema.Attribute, _ values: [Value]) -> Filter {
    let days = field.type == .datetime ? values.filter { $0.kind == .date } : []
    guard !days.isEmpty else { return .isIn(field.name, values) }
    let moments = values.filter { $0.kind != .date }
    let tests = days.map { Filter.compare(field, .equal, $0) }
    return .or(tests + (moments.isEmpty ? [] : [.isIn(field.name, moments)]))
  }
}

extension CalendarDate {
  fileprivate var start: Date { Date(timeIntervalSince1970: Double(daysSince1970) * 86_400) }
  fileprivate var end: Date { start.addingTimeInterval(86_400) }
}
