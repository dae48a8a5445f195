import Foundation
package import OpenSwiftData

/// Functions of days and moments, which are in UTC.
extension ExpressionCall {
  func day() throws(SyntaxProblem) -> CompiledPart {
    switch function {
    case .today: return compiler.constant(node, .value(.date(compiler.scope.today)))
    case .now: return compiler.constant(node, .value(compiler.scope.now))
    case .start: return try start()
    case .days: return try days()
    case .unix: return try unix(perSecond: 1)
    case .unixms: return try unix(perSecond: 1000)
    default: return try component()
    }
  }

  /// A day or a moment.
  private func checkIsDay(hasTime: Bool = false) throws(SyntaxProblem) {
    let type = values[0].type
    let allowed: [ExpressionType] = hasTime ? [.datetime, .null] : [.date, .datetime, .null]
    if allowed.contains(type) || type == .json { return }
    let hint =
      type == .text
      ? "; write \(hasTime ? "datetime" : "date")(\(compiler.source(values[0].node)))" : ""
    throw error(
      "\(name) needs \(hasTime ? "a datetime" : "a date or datetime"), found \(type.rawValue)\(hint)",
      0
    )
  }

  private func component() throws(SyntaxProblem) -> CompiledPart {
    let hasTime = [.hour, .minute, .second].contains(function)
    try checkIsDay(hasTime: hasTime)
    return strict(.integer) { [function, name] values throws(ExpressionFailure) in
      guard case .value(let value) = values[0], let parts = DayParts(value) else {
        throw ExpressionFailure(
          "\(Value.quoted(values[0].text)) is \(values[0].type.rawValue); \(name) needs a date or datetime"
        )
      }
      return .value(.integer(Int64(parts.number(function))))
    }
  }

  private static let units = ["year", "quarter", "month", "week", "day", "hour", "minute"]

  private func start() throws(SyntaxProblem) -> CompiledPart {
    try checkIsDay()
    let unit = try literal(1)
    guard Self.units.contains(unit) else {
      throw error(
        "start: unknown unit \(Value.quoted(unit)); use year, quarter, month, week, day, hour or minute",
        1
      )
    }
    return strict(values[0].type) { values throws(ExpressionFailure) in
      switch values[0] {
      case .value(.date(let date)):
        guard unit != "hour", unit != "minute" else {
          throw ExpressionFailure("a date has no \(unit)")
        }
        return .value(.date(date.start(of: unit)))
      case .value(.datetime(let moment)):
        let (day, seconds) = moment.dayAndSeconds
        let step: Double = unit == "hour" ? 3600 : 60
        guard unit == "hour" || unit == "minute" else {
          return .value(.datetime(Date(day.start(of: unit))))
        }
        let whole = (seconds / step).rounded(.down) * step
        return .value(.datetime(Date(day).addingTimeInterval(whole)))
      default:
        throw ExpressionFailure(
          "\(Value.quoted(values[0].text)) is \(values[0].type.rawValue); start needs a date or datetime"
        )
      }
    }
  }

  private func days() throws(SyntaxProblem) -> CompiledPart {
    guard values[0].type == .duration || values[0].type == .null else {
      throw error(
        "days needs a duration such as today() - day, found \(values[0].type.rawValue)",
        0
      )
    }
    return strict(.integer) { values throws(ExpressionFailure) in
      guard case .duration(let duration) = values[0], duration.months == 0 else {
        throw ExpressionFailure("months have no number of days")
      }
      return .value(.integer(duration.microseconds / CalendarDuration.microsecondsInDay))
    }
  }

  /// Seconds or milliseconds since 1970 of a moment, or the moment of a number.
  private func unix(perSecond factor: Int64) throws(SyntaxProblem) -> CompiledPart {
    let type = values[0].type
    guard [.datetime, .integer, .decimal, .json, .null].contains(type) else {
      throw error(
        "\(name) needs a datetime or a whole or decimal number, found \(type.rawValue)",
        0
      )
    }
    return strict(type.isNumeric ? .datetime : .decimal) {
      [name] values throws(ExpressionFailure) in
      let outside = ExpressionFailure("is outside the years 0000 to 9999")
      let epoch = Int64(Date.timeIntervalBetween1970AndReferenceDate) * 1_000_000
      switch values[0] {
      case .value(.datetime(let moment)):
        let exact = ExactDecimal(whole: moment.microseconds + epoch)
        let seconds = try? exact / ExactDecimal(whole: 1_000_000 / factor)
        return .value(seconds.map { Value($0) } ?? .null)
      case .value(let number):
        guard let exact = number.exact else {
          throw ExpressionFailure("\(Value.quoted(number.text)) is not a number; \(name) needs one")
        }
        guard
          let scaled = try? (exact * ExactDecimal(whole: 1_000_000 / factor)).rounded(0, .halfEven),
          let microseconds = scaled.whole
        else { throw outside }
        let (since2001, overflow) = microseconds.subtractingReportingOverflow(epoch)
        let moment = Date(microseconds: since2001)
        guard !overflow, Timestamp.isInRange(moment) else { throw outside }
        return .value(.datetime(moment))
      case .duration: throw outside
      }
    }
  }
}

/// The parts of a day or a moment.
struct DayParts {
  let day: CalendarDate
  /// The seconds since the day began; nil for a day without a time.
  let seconds: Double?

  /// Nil for a value that is neither.
  init?(_ value: Value) {
    switch value {
    case .date(let date): (day, seconds) = (date, nil)
    case .datetime(let moment):
      let parts = moment.dayAndSeconds
      (day, seconds) = (parts.day, parts.seconds)
    default: return nil
    }
  }

  /// Monday is 1, Sunday 7.
  var weekday: Int { day.weekday + 1 }

  /// The day of the year, from 1.
  var dayOfYear: Int { Int(day.daysSince1970 - day.start(of: "year").daysSince1970) + 1 }

  /// The week of ISO 8601, and its year: that of its Thursday.
  var week: (year: Int, number: Int) {
    let thursday = day.adding(days: 4 - weekday)
    let first = thursday.start(of: "year")
    return (thursday.components.year, Int(thursday.daysSince1970 - first.daysSince1970) / 7 + 1)
  }

  var hour: Int { Int(seconds ?? 0) / 3600 }
  var minute: Int { Int(seconds ?? 0) / 60 % 60 }
  var second: Int { Int(seconds ?? 0) % 60 }

  /// What a function of days gives.
  fileprivate func number(_ function: ExpressionFunction) -> Int {
    let (year, month, day) = self.day.components
    switch function {
    case .year: return year
    case .month: return month
    case .day: return day
    case .quarter: return (month + 2) / 3
    case .weekday: return weekday
    case .week: return week.number
    case .hour: return hour
    case .minute: return minute
    default: return second
    }
  }
}

extension CalendarDate {
  /// The first day of the year, quarter, month or week; the day itself for other units.
  package func start(of unit: String) -> CalendarDate {
    let (year, month, _) = components
    switch unit {
    case "year": return CalendarDate(year: year, month: 1, day: 1) ?? self
    case "quarter": return CalendarDate(year: year, month: (month - 1) / 3 * 3 + 1, day: 1) ?? self
    case "month": return CalendarDate(year: year, month: month, day: 1) ?? self
    case "week": return adding(days: -weekday)
    default: return self
    }
  }
}
