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
    let number = field.type.isNumeric ? Self.numberWithComma(text) : nil
    guard operation == ":", number == nil else { return try one(operation, number ?? text) }
    let filters = try text.split(separator: ",").map { part throws(ValueError) in
      try one(operation, String(part))
    }
    return filters.count == 1 ? filters[0] : .or(filters)
  }

  /// A number, or a range of numbers, with commas that separate no alternatives, and without those that only group
  /// digits; nil for any other text.
  ///
  /// `1,000`, `500-1,000` and `-$1,234.56` could also be lists; a comma after them makes them one. As a list, `1.000,50`
  /// or `1 000,5` would begin with a number that is written in another way than the next one.
  private static func numberWithComma(_ text: String) -> String? {
    guard text.contains(",") else { return nil }
    let bare = String(
      text.unicodeScalars.filter { $0.properties.generalCategory != .currencySymbol }
    )
    let ends = range(bare).map { [$0.low, $0.high] } ?? [bare]
    func are(_ form: Regex<Substring>) -> Bool {
      ends.allSatisfy { $0.isEmpty || $0.wholeMatch(of: form) != nil }
    }
    if are(/-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})(?:\.[0-9]+)?[kmbKMB]?/) {
      return text.replacing(",", with: "")
    }
    return are(/-?[0-9]{1,3}(?:[.'\s][0-9]{3})+(?:,[0-9]+)?/) ? text : nil
  }

  /// The comparison at the beginning of a value, as in `price:>100`.
  static func sign(_ text: some StringProtocol) -> String? {
    ["!=", "<=", ">=", "<", ">", "="].first { text.hasPrefix($0) }
  }

  private func one(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    switch field.type {
    case .integer, .number, .decimal, .date, .datetime: return try ordered(operation, text)
    case .boolean:
      return .compare(name, .equal, try value(text, as: .boolean, else: "is not yes or no"))
    case .text: return Self.text(name, operation, text)
    case .json: return json(operation, text)
    case .uuid: return .compare(name, Self.comparison(operation), try value(text, as: .uuid))
    case .link, .links:
      if operation == ":" || operation == "=" { return Self.text(name, operation, text) }
      throw ValueError(
        "is a link; write : and a part of the title of the linked record after it"
      )
    }
  }

  /// The only value of a text, as it can be typed into a cell.
  private func value(_ text: String, as type: AttributeType, else problem: String? = nil)
    throws(ValueError) -> Value
  {
    try reader.read(text, as: type).value(of: text, else: problem)
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

  /// The comparison of a sign; a colon means equal.
  private static func comparison(_ operation: String) -> Filter.Comparison {
    Filter.Comparison(rawValue: operation) ?? .equal
  }

  // MARK: Numbers and dates

  /// The condition for a number or a period, or for a range of them.
  private func ordered(_ operation: String, _ text: String) throws(ValueError) -> Filter {
    let isNumber = field.type.isNumeric
    if operation == ":", let (low, high) = isNumber ? Self.range(text) : Self.dateRange(text) {
      let first = low.isEmpty ? nil : try ends(low).first
      let last = high.isEmpty ? nil : try ends(high).last
      if isNumber, let first, let last { return .between(name, first, last) }
      let parts = [
        first.map { Filter.compare(field, .greaterOrEqual, $0) },
        last.map { Filter.compare(field, .lessOrEqual, $0) },
      ].compactMap { $0 }
      guard !parts.isEmpty else { throw ValueError("a value is missing") }
      return parts.count == 1 ? parts[0] : .and(parts)
    }
    let (first, last) = try ends(text)
    let comparison = Self.comparison(operation)
    switch comparison {
    case .less, .greaterOrEqual: return .compare(field, comparison, first)
    case .greater, .lessOrEqual: return .compare(field, comparison, last)
    case .equal, .notEqual:
      guard first.kind == .date else { return .compare(field, comparison, first) }
      return .and([
        .compare(field, .greaterOrEqual, first), .compare(field, .lessOrEqual, last),
      ])
    }
  }

  /// The first and the last day of a period; a number or an exact moment is both.
  private func ends(_ text: String) throws(ValueError) -> (first: Value, last: Value) {
    if field.type == .datetime, text.contains(":"),
      let moment = try? Value(parsing: text, as: .datetime)
    {
      return (moment, moment)
    }
    if field.type.isNumeric {
      let number = try number(text)
      return (number, number)
    }
    let days = try days(text)
    return (.date(days.lowerBound), .date(days.upperBound))
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
    let number = try value(text, as: boundType, else: "is not a number")
    return exact(number.text) ?? number
  }

  private var boundType: AttributeType { field.type == .number ? .number : .decimal }

  private func exact(_ text: String) -> Value? {
    Int64(text).map(Value.integer) ?? (try? Value(parsing: text, as: boundType))
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
    let reading = EntryReading(meanings, Value.date) ?? .refused("")
    _ = try reading.value(
      of: text,
      else:
        "is not a date; examples: 2009, 2009-05, \"2 may 2009\", yesterday, \"last may\", 3w"
    )
    return meanings[0].days
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
