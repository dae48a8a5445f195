import Foundation
import OpenSwiftData

/// Functions that make values of other types, in the words of `field type`.
extension ExpressionCall {
  func conversion() throws(SyntaxProblem) -> CompiledPart {
    switch function {
    case .text:
      return strict(.text) { values throws(ExpressionFailure) in .value(.text(values[0].text)) }
    case .integer:
      return converted(.integer) { value throws(ExpressionFailure) in try Self.integer(value) }
    case .number:
      return converted(.number) { value throws(ExpressionFailure) in try Self.number(value) }
    case .boolean:
      return converted(.boolean) { value throws(ExpressionFailure) in try Self.boolean(value) }
    case .decimal:
      let hasComma = try option(1, among: ["comma", "point"]) == "comma"
      return converted(.decimal) { value throws(ExpressionFailure) in
        try Self.decimal(value, hasComma: hasComma)
      }
    case .date: return try date()
    case .datetime:
      return converted(.datetime) { value throws(ExpressionFailure) in try Self.moment(value) }
    case .json: return converted(.json) { value throws(ExpressionFailure) in try Self.json(value) }
    case .format:
      return strict(.text) { values throws(ExpressionFailure) in
        .value(.text(try ValueFormat(values[1].text).text(of: values[0])))
      }
    default: return attempt()
    }
  }

  /// The value, or null if it fails.
  private func attempt() -> CompiledPart {
    let value = values[0]
    return CompiledPart(node: node, type: value.type) { row throws(ExpressionFailure) in
      do { return try value.evaluation(row) } catch { return .null }
    }
  }

  private func converted(
    _ type: ExpressionType,
    _ body: @escaping @Sendable (Computed) throws(ExpressionFailure) -> Value
  ) -> CompiledPart {
    strict(type) { values throws(ExpressionFailure) in .value(try body(values[0])) }
  }

  /// Reads a text as typed values are read.
  private static func read(_ text: String, as type: AttributeType) throws(ExpressionFailure)
    -> Value
  {
    do { return try Value(reading: text, as: type) } catch {
      throw ExpressionFailure(error.description)
    }
  }

  private static func integer(_ value: Computed) throws(ExpressionFailure) -> Value {
    switch value {
    case .value(.integer(let whole)): return .integer(whole)
    case .value(.boolean(let truth)): return .integer(truth ? 1 : 0)
    case .value(.text(let text)): return try read(text, as: .integer)
    case .value(.number(let number)):
      if let whole = Int64(exactly: number) { return .integer(whole) }
      if !number.isFinite { throw ExpressionFailure("\(value.text) is not a whole number") }
      if number == number.rounded() { fallthrough }
      throw notWhole(value)
    case .value(.decimal):
      guard case .value(let number) = value, let exact = number.exact, exact.exponent >= 0 else {
        throw notWhole(value)
      }
      guard let whole = exact.whole else {
        throw ExpressionFailure(
          "\(Value.quoted(value.text)) exceeds 64-bit integers; use a decimal"
        )
      }
      return .integer(whole)
    default: throw ExpressionFailure("\(Value.quoted(value.text)) is not a whole number")
    }
  }

  private static func notWhole(_ value: Computed) -> ExpressionFailure {
    ExpressionFailure(
      "\(Value.quoted(value.text)) is not a whole number; write round(…), floor(…) or ceil(…)"
    )
  }

  private static func decimal(_ value: Computed, hasComma: Bool) throws(ExpressionFailure) -> Value
  {
    switch value {
    case .value(.text(let text)):
      guard hasComma else { return try read(text, as: .decimal) }
      guard let plain = CommaNumber(text)?.plain else {
        throw ExpressionFailure("\(Value.quoted(text)) is not a decimal number with a comma")
      }
      return try read(plain, as: .decimal)
    case .value(.boolean(let truth)): return Value(ExactDecimal(whole: truth ? 1 : 0))
    case .value(.number(let number)) where !number.isFinite:
      throw ExpressionFailure("\(value.text) is not a decimal number")
    case .value(let number):
      if let exact = number.exact { return Value(exact) }
      let isNumber = value.type.isNumeric
      throw ExpressionFailure(
        isNumber
          ? "\(ExactDecimal.Problem.outOfRange)"
          : "\(Value.quoted(value.text)) is not a decimal number"
      )
    case .duration: throw ExpressionFailure("\(Value.quoted(value.text)) is not a decimal number")
    }
  }

  private static func number(_ value: Computed) throws(ExpressionFailure) -> Value {
    switch value {
    case .value(.text(let text)):
      // The nearest number, where a field would refuse digits that it cannot keep.
      guard (try? Value(parsing: text, as: .decimal)) != nil, let number = Double(text) else {
        return try read(text, as: .number)
      }
      return .number(number)
    case .value(.boolean(let truth)): return .number(truth ? 1 : 0)
    case .value(let number):
      if let double = number.asDouble { return .number(double) }
      throw ExpressionFailure("\(Value.quoted(value.text)) is not a number")
    case .duration: throw ExpressionFailure("\(Value.quoted(value.text)) is not a number")
    }
  }

  private static func boolean(_ value: Computed) throws(ExpressionFailure) -> Value {
    switch value {
    case .value(.boolean(let truth)): return .boolean(truth)
    case .value(.text(let text)): return try read(text, as: .boolean)
    case .value(.integer(let whole)) where whole == 0 || whole == 1: return .boolean(whole == 1)
    default: throw ExpressionFailure("\(Value.quoted(value.text)) is neither true nor false")
    }
  }

  private static func json(_ value: Computed) throws(ExpressionFailure) -> Value {
    switch value {
    case .value(.json(let text)): return .json(text)
    case .value(.boolean), .value(.integer), .value(.decimal): return .json(value.text)
    case .value(.number(let number)) where number.isFinite: return .json(value.text)
    case .value(.text(let text)):
      do { return .json(try JSONText.compact(text)) } catch {
        throw ExpressionFailure("\(Value.quoted(text)) is not JSON")
      }
    default: return .json(JSONText.quoted(value.text))
    }
  }

  private static func moment(_ value: Computed) throws(ExpressionFailure) -> Value {
    switch value {
    case .value(.datetime(let moment)): return .datetime(moment)
    case .value(.date(let date)): return .datetime(Date(date))
    case .value(.text(let text)): return try read(text, as: .datetime)
    default: throw ExpressionFailure("\(Value.quoted(value.text)) is not a date with time")
    }
  }

  // MARK: Days

  private func date() throws(SyntaxProblem) -> CompiledPart {
    if values.count == 3 {
      let parts = (try whole(0), try whole(1), try whole(2))
      return result(.date) { row throws(ExpressionFailure) in
        let (year, month, day) = (try parts.0(row), try parts.1(row), try parts.2(row))
        guard let year, let month, let day else { return .null }
        return .value(.date(try Self.date(year, month, day)))
      }
    }
    if values.count == 2, values[1].node.literalText != nil {
      _ = try option(1, among: ["dmy", "mdy", "ymd"])
    }
    return strict(.date) { values throws(ExpressionFailure) in
      if values.count == 2 { return .value(try Self.date(values[0].text, order: values[1].text)) }
      switch values[0] {
      case .value(.date): return values[0]
      case .value(.datetime(let moment)): return .value(.date(moment.dayAndSeconds.day))
      case .value(.text(let text)): return .value(try Self.read(text, as: .date))
      default: throw ExpressionFailure("\(Value.quoted(values[0].text)) is not a date")
      }
    }
  }

  private static func date(_ year: Int, _ month: Int, _ day: Int) throws(ExpressionFailure)
    -> CalendarDate
  {
    if let date = CalendarDate(year: year, month: month, day: day) { return date }
    guard (0...9999).contains(year) else {
      throw ExpressionFailure("is outside the years 0000 to 9999")
    }
    let padded = CalendarDate.padded
    do {
      _ = try Value(parsing: "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))", as: .date)
    } catch {
      // The digits alone were not in the expression.
      let parts = error.description.split(separator: "is not a date: ", maxSplits: 1)
      if parts.count == 2 { throw ExpressionFailure(String(parts[1])) }
    }
    throw ExpressionFailure("is not a date")
  }

  /// Reads a day whose parts are in some order, between points, minuses, strokes or spaces.
  private static func date(_ text: String, order: String) throws(ExpressionFailure) -> Value {
    guard ["dmy", "mdy", "ymd"].contains(order) else {
      throw ExpressionFailure("unknown order \(Value.quoted(order)); use dmy, mdy or ymd")
    }
    let parts = text.split(omittingEmptySubsequences: false) { "-./ ".contains($0) }
    let areDigits = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
    }
    var numbers: [Character: (value: Int, count: Int)] = [:]
    for (letter, part) in zip(order, parts) { numbers[letter] = (Int(part) ?? -1, part.count) }
    guard parts.count == 3, areDigits, let year = numbers["y"], year.count == 4,
      let month = numbers["m"],
      let day = numbers["d"], month.count <= 2, day.count <= 2
    else { throw ExpressionFailure("\(Value.quoted(text)) is not a date in the order \(order)") }
    do { return .date(try date(year.value, month.value, day.value)) } catch {
      throw ExpressionFailure("\(Value.quoted(text)) is not a date: \(error.problem)")
    }
  }
}

/// A number such as `1.234,56`, with a comma before the fraction.
private struct CommaNumber {
  /// The number with a point.
  let plain: String

  /// Nil for a text that is none: groups have three digits and one separator.
  init?(_ text: String) {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative || text.hasPrefix("+") ? 1 : 0)
      .split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first else { return nil }
    let separators = Set(first.filter { !$0.isASCIIDigit })
    guard separators.count <= 1, separators.allSatisfy({ ". \u{A0}\u{202F}'\u{2019}".contains($0) })
    else {
      return nil
    }
    let groups = first.split(omittingEmptySubsequences: false) { separators.contains($0) }
    guard let head = groups.first, !head.isEmpty, groups.count == 1 || head.count <= 3,
      groups.dropFirst().allSatisfy({ $0.count == 3 })
    else { return nil }
    var digits = groups.joined()
    if parts.count == 2 {
      guard !parts[1].isEmpty, parts[1].allSatisfy(\.isASCIIDigit) else { return nil }
      digits += "." + parts[1]
    }
    plain = (isNegative ? "-" : "") + digits
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
