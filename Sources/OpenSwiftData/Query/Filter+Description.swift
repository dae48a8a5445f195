extension Filter: CustomStringConvertible {
  /// The filter in the language that `FilterParser` reads.
  ///
  /// Parsing it gives a filter that matches the same records. Two things cannot be written in that
  /// language: lists of links, and numbers that no store can save.
  public var description: String { text(inside: 0) }

  /// The text, in parentheses if `outer` binds more tightly: 0 nothing, 1 `or`, 2 `and`, 3 `not`.
  private func text(inside outer: Int) -> String {
    let (words, own) = words
    return own <= outer ? "(\(words))" : words
  }

  /// The text without outer parentheses, and its precedence.
  private var words: (String, Int) {
    switch self {
    case .constant(let value): (value ? "truepredicate" : "falsepredicate", 4)
    case .compare(let name, .equal, .null), .isNull(let name): ("\(Self.field(name)) is null", 4)
    case .compare(let name, .notEqual, .null), .not(.isNull(let name)):
      ("\(Self.field(name)) is not null", 4)
    case .compare(let name, let comparison, let value):
      ("\(Self.field(name)) \(comparison.rawValue) \(Self.literal(value))", 4)
    case .compareAttributes(let left, let comparison, let right):
      ("\(Self.field(left)) \(comparison.rawValue) \(Self.field(right))", 4)
    case .between(let name, let low, let high):
      ("\(Self.field(name)) between \(Self.literal(low)) and \(Self.literal(high))", 4)
    case .isIn(let name, let values):
      ("\(Self.field(name)) in (\(values.map(Self.literal).joined(separator: ", ")))", 4)
    case .text(let name, let match): ("\(Self.field(name)) \(match)", 4)
    case .anyText(let match): ("any field \(match)", 4)
    case .and(let parts): Self.joined(parts, " and ", 2) ?? ("truepredicate", 4)
    case .or(let parts): Self.joined(parts, " or ", 1) ?? ("falsepredicate", 4)
    case .not(let part): ("not \(part.text(inside: 2))", 3)
    }
  }

  private static func joined(_ parts: [Filter], _ word: String, _ strength: Int) -> (String, Int)? {
    switch parts.count {
    case 0: nil
    case 1: parts[0].words
    default: (parts.map { $0.text(inside: strength) }.joined(separator: word), strength)
    }
  }

  private static func field(_ name: String) -> String {
    FilterParser.spelled(name)
  }

  /// The value as the language has it.
  package static func literal(_ value: Value) -> String {
    guard let kind = value.kind else { return "null" }
    if case .json(var json) = value,
      let text = json.withUTF8({ TextMatch.characters(ofJSON: $0) }),
      jsonSpellings(of: text) == [json]
    {
      return TextEscape.quoted(text)
    }
    return kind.isBareInFilters ? value.text : TextEscape.quoted(value.text)
  }
}

extension TextMatch.Options {
  /// Reads letters as they stand in brackets, such as `cd`; nil if one of them is unknown.
  package init?(letters: String) {
    self = []
    for letter in letters.lowercased() {
      guard let option = Self.named.first(where: { $0.letter == letter })?.option else {
        return nil
      }
      insert(option)
    }
  }

  /// The letters of the options that are set.
  fileprivate var letters: String {
    String(Self.named.filter { contains($0.option) }.map(\.letter))
  }

  private static let named: [(letter: Character, option: Self)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("w", .characters),
  ]
}

extension TextMatch: CustomStringConvertible {
  /// The test in the language that `FilterParser` reads, such as `contains[cd] "up"`.
  public var description: String {
    let letters = options.letters
    let word = operation == .equals ? "=" : operation.rawValue
    return "\(word)\(letters.isEmpty ? "" : "[\(letters)]") \(TextEscape.quoted(pattern))"
  }
}

extension TextEscape {
  /// The text in double quotes, with escapes where necessary.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case "\0": quoted += "\\0"
      case _ where scalar.properties.generalCategory == .control:
        quoted += "\\u{\(String(scalar.value, radix: 16))}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
