package import OpenSwiftData

/// What a text typed on the screen means for a field.
package enum EntryReading: Hashable, Sendable {
  /// The value to store.
  case value(Value)
  /// The values that the text may mean; the user chooses one of them.
  case ambiguous([EntryMeaning])
  /// The reason why the text has no value of the type, as one clause.
  case refused(String)

  /// What a text with some meanings means; nil without any.
  init?(_ meanings: [EntryMeaning]) {
    guard let first = meanings.first else { return nil }
    self = meanings.count == 1 ? .value(first.value) : .ambiguous(meanings)
  }

  /// The first days of some meanings as values of a field; nil without any.
  init?(_ meanings: [EntryReader.DayMeaning], _ transform: (CalendarDate) -> Value) {
    self.init(meanings.map { EntryMeaning(transform($0.days.lowerBound), $0.reading) })
  }

  /// The only value of a text.
  ///
  /// - Throws: `ValueError` with the meanings or the reason, or with what the text is not.
  func value(of text: String, else problem: String? = nil) throws(ValueError) -> Value {
    switch self {
    case .value(let value): return value
    case .ambiguous(let meanings):
      throw ValueError("\(Value.quoted(text)) can be \(meanings.words); write one of them")
    case .refused(let reason):
      throw ValueError(problem.map { "\(Value.quoted(text)) \($0)" } ?? reason)
    }
  }
}

/// One of several values that a text may mean.
package struct EntryMeaning: Hashable, Sendable {
  package let value: Value
  /// How the text was read, such as `month first`.
  package let reading: String

  package init(_ value: Value, _ reading: String) { (self.value, self.reading) = (value, reading) }
}

extension [EntryMeaning] {
  /// `1000 (with thousands) or 1.000 (with a decimal comma)`.
  var words: String { map { "\($0.value.text) (\($0.reading))" }.joined(separator: " or ") }
}

/// Reads values as people write them: `3 mar 72`, `yesterday`, `12,50`, `1.2m`.
///
/// Only for typing on the screen, where the exact value is shown before it is accepted; commands and scripts
/// take the exact form alone. A text in the exact form always keeps its exact meaning, and a text field
/// keeps every text as it is. Numbers are converted digit by digit, never through binary fractions.
package struct EntryReader: Hashable, Sendable {
  /// The current day, for relative dates and for years of two digits.
  let today: CalendarDate
  /// How the values of a whole column are written; nil for what a person types.
  var convention: EntryConvention?
  /// True if `50%` is a number: the column shows parts of one as percentages.
  var readsPercent = false

  /// Reads a text as a value of the type.
  ///
  /// Links are not read here: only the store can find their records.
  package func read(_ text: String, as type: AttributeType) -> EntryReading {
    let refusal: String
    do {
      let value = try Value(parsing: text, as: type)
      // 1.234 is the exact form of another number than the one that is meant with a decimal comma.
      guard type.isNumeric, convention?.decimalMark == ",", text.contains(".") else {
        return .value(value)
      }
      refusal = "\(Value.quoted(text)) has no decimal comma"
    } catch {
      refusal = error.description
    }
    if type == .json, convention == nil { return Self.json(text) ?? .refused(refusal) }
    let trimmed = String(text[...].trimmed)
    if convention?.decimalMark == nil, trimmed.utf8.count != text.utf8.count,
      let value = try? Value(parsing: trimmed, as: type)
    {
      return .value(value)
    }
    // Longer text was pasted; parsing it again after each key would be slow.
    guard trimmed.utf8.count <= 64 else { return .refused(refusal) }
    let reading =
      switch type {
      case .integer, .number, .decimal: number(trimmed, as: type)
      case .date: EntryReading(date(trimmed), Value.date)
      case .datetime: moment(trimmed)
      case .boolean: Self.boolean(trimmed).map { EntryReading.value(.boolean($0)) }
      case .uuid: Self.uuid(trimmed)
      case .text, .json, .link, .links: nil as EntryReading?
      }
    return reading ?? .refused(refusal)
  }

  /// Plain words as a JSON string; nil for a text that begins like JSON, or has only white space.
  private static func json(_ text: String) -> EntryReading? {
    let words = String(text[...].trimmed)
    guard let first = words.first, !"[{\"".contains(first) else { return nil }
    return .value(.json(JSONText.quoted(words)))
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "t", "on", "✓", "✔", "x", "[x]": true
    case "f", "off", "✗", "✘", "-", "[ ]", "[]": false
    default: nil
    }
  }

  private static func uuid(_ text: String) -> EntryReading? {
    var digits = text.lowercased().filter { !"{}- ".contains($0) }
    if digits.hasPrefix("urn:uuid:") { digits.removeFirst(9) }
    guard digits.utf8.count == 32, digits.count == 32 else { return nil }
    for place in [20, 16, 12, 8] {
      digits.insert("-", at: digits.index(digits.startIndex, offsetBy: place))
    }
    return (try? Value(parsing: digits, as: .uuid)).map { .value($0) }
  }
}

/// How values of a whole column are written: dates and numbers that can be read in two ways have one meaning, and
/// words such as `yesterday` have none.
package struct EntryConvention: Hashable, Sendable {
  /// The order of day, month and year in dates made of numbers.
  package enum DateOrder: String, CaseIterable, Sendable { case dmy, mdy, ymd }

  /// The order in dates; nil to accept only dates with one meaning.
  package var dateOrder: DateOrder?
  /// The comma or point before a fraction; nil to accept only numbers with one meaning.
  package var decimalMark: Character?
}

extension Substring {
  /// The text without white space at its ends.
  var trimmed: Substring {
    var text = drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
