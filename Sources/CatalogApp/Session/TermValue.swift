import OpenSwiftData

/// The conditions on one field that a typed value stands for.
struct TermValue {
  let field: Schema.Attribute
  let today: CalendarDate?
  private var name: String { field.name }

  func filter(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    if operation == ":", field.type.isOrdered, let sign = Self.sign(text) {
      return try filter(sign, String(text.dropFirst(sign.count)))
    }
    guard !text.isEmpty else { throw ValueError("a value is missing") }
    switch (operation, text.lowercased()) {
    case (":", "null"), (":", "none"), ("=", "null"): return .isNull(name)
    case (":", "*"), (":", "any"), ("!=", "null"): return .not(.isNull(name))
    default: break
    }
    if operation == "!=" { return .not(try filter("=", text)) }
    let isGrouped = isNumeric && Self.isGrouped(text)
    if operation == ":", text.contains(","), !isGrouped {
      let parts = text.split(separator: ",").map(String.init)
      var filters: [Filter] = []
      for part in parts { filters.append(try one(operation, part)) }
      return filters.count == 1 ? filters[0] : .or(filters)
    }
    return try one(operation, isGrouped ? text.replacing(",", with: "") : text)
  }

  private var isNumeric: Bool {
    switch field.type {
    case .integer, .number, .decimal: true
    default: false
    }
  }

  /// True for a number, or a range of numbers, whose digits are in groups of three: `1,000`, `500-1,000`.
  ///
  /// Such a text could also be a list; a comma after it makes it one.
  private static func isGrouped(_ text: String) -> Bool {
    let number = /-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})(?:\.[0-9]+)?[kmbKMB]?/
    guard text.contains(",") else { return false }
    if text.wholeMatch(of: number) != nil { return true }
    guard let (low, high) = range(text) else { return false }
    return [low, high].allSatisfy { $0.isEmpty || $0.wholeMatch(of: number) != nil }
  }

  /// The comparison at the beginning of a value, as in `price:>100`.
  private static func sign(_ text: String) -> String? {
    ["!=", "<=", ">=", "<", ">", "="].first { text.hasPrefix($0) }
  }

  private func one(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    switch field.type {
    case .integer, .number, .decimal: return try number(operation, text)
    case .date, .datetime: return try date(operation, text)
    case .boolean: return .compare(name, .equal, .boolean(try truth(text)))
    case .text: return Self.text(name, operation, text)
    case .json: return json(operation, text)
    case .uuid:
      return .compare(name, try comparison(operation), try Value(parsing: text, as: .uuid))
    case .link, .links:
      if operation == ":" || operation == "=" { return Self.text(name, operation, text) }
      throw ValueError(
        "is a link; write : and a part of the title of the linked record after it"
      )
    }
  }

  // MARK: Texts

  private static func text(_ name: String, _ operation: String, _ text: String) -> Filter {
    switch operation {
    case "<": return .compare(name, .less, .text(text))
    case ">": return .compare(name, .greater, .text(text))
    case "<=": return .compare(name, .lessOrEqual, .text(text))
    case ">=": return .compare(name, .greaterOrEqual, .text(text))
    default:
      // As for all text that is typed on the screen, a capital letter makes case significant.
      var options: TextMatch.Options = text.contains(where: \.isUppercase) ? [] : .caseInsensitive
      if operation == "=" { return .text(name, TextMatch(.equals, text, options: options)) }
      // A part of a text is found without its accents, as words are.
      options.insert(.diacriticInsensitive)
      return .text(name, TextMatch(.contains, text, options: options))
    }
  }

  /// A condition on a JSON value: the text is that of a string, or of the JSON itself.
  private func json(_ operation: String, _ text: String) -> Filter {
    if let comparison = Filter.Comparison(rawValue: operation), comparison != .equal {
      return .json(name, comparison, text)
    }
    guard case .text(_, let match) = Self.text(name, operation, text) else {
      return .constant(false)
    }
    return .json(name, match)
  }

  private func truth(_ text: String) throws(ValueError) -> Bool {
    switch text.lowercased() {
    case "y", "yes", "true", "t", "1", "on": return true
    case "n", "no", "false", "f", "0", "off": return false
    default: throw ValueError("\(Value.quoted(text)) is not yes or no")
    }
  }

  private func comparison(_ operation: String) throws(ValueError) -> Filter.Comparison {
    switch operation {
    case "<": return .less
    case "<=": return .lessOrEqual
    case ">": return .greater
    case ">=": return .greaterOrEqual
    default: return .equal
    }
  }

  // MARK: Numbers

  private func number(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    if operation == ":", let (low, high) = Self.range(text) {
      let ends = (low.isEmpty ? nil : try number(low), high.isEmpty ? nil : try number(high))
      switch ends {
      case (let low?, let high?): return .between(name, low, high)
      case (let low?, nil): return .compare(name, .greaterOrEqual, low)
      case (nil, let high?): return .compare(name, .lessOrEqual, high)
      case (nil, nil): throw ValueError("a value is missing")
      }
    }
    return .compare(name, try comparison(operation), try number(text))
  }

  /// The ends of `1990-1999`, `1990-99`, `5..10`, `1990-` or `..10`; nil for a single number.
  private static func range(_ text: String) -> (low: String, high: String)? {
    if let dots = text.firstRange(of: "..") {
      return (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
    }
    guard let dash = text.dropFirst().firstIndex(of: "-") else { return nil }
    let low = String(text[..<dash])
    // `1e-5` is one number.
    guard low.last?.lowercased() != "e" else { return nil }
    let high = String(text[text.index(after: dash)...])
    let isShort =
      high.count < low.count && (low + high).allSatisfy { $0.isASCII && $0.isNumber }
    return (low, isShort && !high.isEmpty ? low.prefix(low.count - high.count) + high : high)
  }

  /// A number, perhaps with `k`, `m` or `b` for thousands, millions or billions, or with `%` for hundredths.
  private func number(_ text: String) throws(ValueError) -> Value {
    if text.last == "%", let digits = DigitText(String(text.dropLast())) {
      return try value(digits.hundredth.trimmed)
    }
    let places = ["k": 3, "m": 6, "b": 9][text.last?.lowercased() ?? ""]
    let typed = places == nil ? text : String(text.dropLast())
    if let places, let digits = DigitText(typed) {
      return try value(digits.shifted(by: places).trimmed)
    }
    return try value(text)
  }

  private func value(_ text: String) throws(ValueError) -> Value {
    if let whole = Int64(text) { return .integer(whole) }
    do throws(ValueError) {
      return try Value(parsing: text, as: field.type == .number ? .number : .decimal)
    } catch {
      throw ValueError("\(Value.quoted(text)) is not a number")
    }
  }

  // MARK: Dates

  private func date(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    if operation == ":", let (low, high) = Self.dateRange(text) {
      let first = low.isEmpty ? nil : try bound(.greaterOrEqual, try days(low).lowerBound)
      let last = high.isEmpty ? nil : try bound(.lessOrEqual, try days(high).upperBound)
      let parts = [first, last].compactMap { $0 }
      guard !parts.isEmpty else { throw ValueError("a value is missing") }
      return parts.count == 1 ? parts[0] : .and(parts)
    }
    // A moment with its time is exact.
    if field.type == .datetime, text.contains(":"),
      let moment = try? Value(parsing: text, as: .datetime)
    {
      return .compare(name, try comparison(operation), moment)
    }
    let days = try days(text)
    switch operation {
    case "<": return try bound(.less, days.lowerBound)
    case "<=": return try bound(.lessOrEqual, days.upperBound)
    case ">": return try bound(.greater, days.upperBound)
    case ">=": return try bound(.greaterOrEqual, days.lowerBound)
    default:
      return .and([
        try bound(.greaterOrEqual, days.lowerBound), try bound(.lessOrEqual, days.upperBound),
      ])
    }
  }

  /// The ends of a range with two dots or of `2024-05-`, and of years such as `1990-1999` or `1990-99`; nil for any
  /// other text.
  private static func dateRange(_ text: String) -> (low: String, high: String)? {
    if text.contains("..") { return range(text) }
    // An open end, as with numbers.
    if text.last == "-", text.count > 1 { return (String(text.dropLast()), "") }
    guard text.wholeMatch(of: /[0-9]{4}-([0-9]{4}|[0-9]{2})/) != nil, let years = range(text),
      years.low < years.high, text.count == 9 || Int(text.suffix(2)) ?? 0 > 12
    else { return nil }
    return years
  }

  private func days(_ text: String) throws(ValueError) -> ClosedRange<CalendarDate> {
    if let words = DateWords(text, today: today) { return words.days }
    // A single day, as it can be typed into a cell.
    switch today.flatMap({ EntryReader(today: $0).date(text) }) {
    case .day(let day): return day...day
    case .either(let days):
      let both = days.map { "\($0.day) (\($0.reading))" }.joined(separator: " or ")
      throw ValueError("\(Value.quoted(text)) can be \(both); write one of them")
    case nil:
      throw ValueError(
        "\(Value.quoted(text)) is not a date; examples: 2009, 2009-05, \"2 may 2009\", yesterday, \"last may\", 3w"
      )
    }
  }

  /// A comparison with a whole day.
  private func bound(_ comparison: Filter.Comparison, _ day: CalendarDate) throws(ValueError)
    -> Filter
  {
    guard field.type == .datetime else { return .compare(name, comparison, .date(day)) }
    // A day ends where the next one begins.
    let isAfter = comparison == .lessOrEqual || comparison == .greater
    let edge = isAfter ? CalendarDate(daysSince1970: day.daysSince1970 + 1) : day
    let moment = try Value(parsing: "\(edge)T00:00:00Z", as: .datetime)
    let isBelow = comparison == .less || comparison == .lessOrEqual
    return .compare(name, isBelow ? .less : .greaterOrEqual, moment)
  }
}

extension AttributeType {
  /// True for numbers and dates, whose values no comparison sign begins.
  fileprivate var isOrdered: Bool {
    switch self {
    case .integer, .number, .decimal, .date, .datetime: true
    default: false
    }
  }
}
