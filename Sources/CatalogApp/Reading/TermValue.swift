import OpenSwiftData

/// The conditions on one field that a typed value stands for.
struct TermValue {
  let field: Schema.Attribute
  let today: CalendarDate?
  private var name: String { field.name }
  private var reader: EntryReader {
    EntryReader(today: today ?? CalendarDate(daysSince1970: 0), readsPercent: true)
  }

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
    let isGrouped = field.type.isNumeric && Self.isGrouped(text)
    let isNumber = isGrouped || field.type.isNumeric && Self.hasCommaFraction(text)
    if operation == ":", text.contains(","), !isNumber {
      let parts = text.split(separator: ",").map(String.init)
      var filters: [Filter] = []
      for part in parts { filters.append(try one(operation, part)) }
      return filters.count == 1 ? filters[0] : .or(filters)
    }
    return try one(operation, isGrouped ? text.replacing(",", with: "") : text)
  }

  /// True for a number, or a range of numbers, whose digits are in groups of three: `1,000`, `500-1,000`, `-$1,234.56`.
  ///
  /// Such a text could also be a list; a comma after it makes it one.
  private static func isGrouped(_ text: String) -> Bool {
    areNumbers(text) {
      $0.wholeMatch(of: /-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})(?:\.[0-9]+)?[kmbKMB]?/) != nil
    }
  }

  /// True for a number, or a range of numbers, with groups of three digits before a decimal comma: `1.000,50`, `1 000,5`.
  ///
  /// As a list, such a text would begin with a number that is written in another way than the next one.
  private static func hasCommaFraction(_ text: String) -> Bool {
    areNumbers(text) {
      $0.wholeMatch(of: /-?[0-9]{1,3}(?:[.'\s][0-9]{3})+(?:,[0-9]+)?/) != nil
    }
  }

  /// True if a text with a comma, or both ends of a range, are of a form, apart from signs of currencies.
  private static func areNumbers(_ text: String, _ isOfForm: (String) -> Bool) -> Bool {
    guard text.contains(",") else { return false }
    let bare = String(
      text.unicodeScalars.filter { $0.properties.generalCategory != .currencySymbol }
    )
    if isOfForm(bare) { return true }
    guard let (low, high) = range(bare) else { return false }
    return [low, high].allSatisfy { $0.isEmpty || isOfForm($0) }
  }

  /// The comparison at the beginning of a value, as in `price:>100`.
  static func sign(_ text: some StringProtocol) -> String? {
    ["!=", "<=", ">=", "<", ">", "="].first { text.hasPrefix($0) }
  }

  private func one(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    switch field.type {
    case .integer, .number, .decimal: return try number(operation, text)
    case .date, .datetime: return try date(operation, text)
    case .boolean:
      guard let value = typed(text) else {
        throw ValueError("\(Value.quoted(text)) is not yes or no")
      }
      return .compare(name, .equal, value)
    case .text: return Self.text(name, operation, text)
    case .json: return json(operation, text)
    case .uuid:
      let comparison = Self.comparison(operation)
      if let value = typed(text) { return .compare(name, comparison, value) }
      return .compare(name, comparison, try Value(parsing: text, as: .uuid))
    case .link, .links:
      if operation == ":" || operation == "=" { return Self.text(name, operation, text) }
      throw ValueError(
        "is a link; write : and a part of the title of the linked record after it"
      )
    }
  }

  // MARK: Texts

  private static func text(_ name: String, _ operation: String, _ text: String) -> Filter {
    let comparison = comparison(operation)
    guard comparison == .equal else { return .compare(name, comparison, .text(text)) }
    // As for all text that is typed on the screen, a capital letter makes case significant.
    var options: TextMatch.Options = text.contains(where: \.isUppercase) ? [] : .caseInsensitive
    if operation == "=" { return .text(name, TextMatch(.equals, text, options: options)) }
    // A part of a text is found without its accents, as words are.
    options.insert(.diacriticInsensitive)
    return .text(name, TextMatch(.contains, text, options: options))
  }

  /// A condition on a JSON value: the text is that of a string, or of the JSON itself.
  private func json(_ operation: String, _ text: String) -> Filter {
    guard case .text(_, let match) = Self.text(name, operation, text) else {
      return .json(name, Self.comparison(operation), text)
    }
    return .json(name, match)
  }

  /// A truth value or an identifier, as it can be typed into a cell.
  private func typed(_ text: String) -> Value? {
    guard case .value(let value) = reader.read(text, as: field.type) else { return nil }
    return value
  }

  /// The comparison of a sign; a colon means equal.
  private static func comparison(_ operation: String) -> Filter.Comparison {
    Filter.Comparison(rawValue: operation) ?? .equal
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
    return .compare(name, Self.comparison(operation), try number(text))
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

  /// A number in the exact form, or as it can be typed into a cell: `5m`, `50%`, `$5`, `12,50`.
  ///
  /// The number need not be one that the field can hold: it is a bound.
  private func number(_ text: String) throws(ValueError) -> Value {
    if let exact = exact(text) { return exact }
    switch reader.read(text, as: boundType) {
    case .value(let number): return exact(number.text) ?? number
    case .ambiguous(let meanings): throw Self.ambiguous(text, meanings)
    case .refused: throw ValueError("\(Value.quoted(text)) is not a number")
    }
  }

  private var boundType: AttributeType { field.type == .number ? .number : .decimal }

  private func exact(_ text: String) -> Value? {
    Int64(text).map(Value.integer) ?? (try? Value(parsing: text, as: boundType))
  }

  /// The error of a text that can be several values.
  private static func ambiguous(_ text: String, _ meanings: [EntryMeaning]) -> ValueError {
    let all = meanings.map { "\($0.value.text) (\($0.reading))" }.joined(separator: " or ")
    return ValueError("\(Value.quoted(text)) can be \(all); write one of them")
  }

  // MARK: Dates

  private func date(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    if operation == ":", let (low, high) = Self.dateRange(text) {
      let first = low.isEmpty ? nil : bound(.greaterOrEqual, try days(low).lowerBound)
      let last = high.isEmpty ? nil : bound(.lessOrEqual, try days(high).upperBound)
      let parts = [first, last].compactMap { $0 }
      guard !parts.isEmpty else { throw ValueError("a value is missing") }
      return parts.count == 1 ? parts[0] : .and(parts)
    }
    // A moment with its time is exact.
    if field.type == .datetime, text.contains(":"),
      let moment = try? Value(parsing: text, as: .datetime)
    {
      return .compare(name, Self.comparison(operation), moment)
    }
    let days = try days(text)
    switch operation {
    case "<": return bound(.less, days.lowerBound)
    case "<=": return bound(.lessOrEqual, days.upperBound)
    case ">": return bound(.greater, days.upperBound)
    case ">=": return bound(.greaterOrEqual, days.lowerBound)
    default:
      return .and([
        bound(.greaterOrEqual, days.lowerBound), bound(.lessOrEqual, days.upperBound),
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
    // Without the current day, only a text that does not depend on it is read.
    let meanings = today == nil ? EntryReader.period(text) : reader.days(text)
    switch EntryReading(meanings, Value.date) {
    case .value: return meanings[0].days
    case .ambiguous(let days): throw Self.ambiguous(text, days)
    case .refused, nil:
      throw ValueError(
        "\(Value.quoted(text)) is not a date; examples: 2009, 2009-05, \"2 may 2009\", yesterday, \"last may\", 3w"
      )
    }
  }

  /// A comparison with a whole day.
  private func bound(_ comparison: Filter.Comparison, _ day: CalendarDate) -> Filter {
    field.type == .datetime
      ? .compare(name, comparison, wholeDay: day) : .compare(name, comparison, .date(day))
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
