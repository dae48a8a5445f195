import OpenSwiftData

/// What the first words of a text tell about its meaning.
enum PredicateBeginning: Hashable {
  /// A field, or a word in its position, is followed by a comparison.
  case comparison
  /// The text is only the name of a field.
  case field(Schema.Attribute)
  /// The text ends after a field and the beginning of an operator.
  case operation(Schema.Attribute)
  case other

  init(_ text: String, _ entity: Schema.Entity) {
    // Only a predicate begins with these and a field.
    let tokens = Array(
      PredicateToken.split(text).drop { ["(", "!", "not"].contains($0.text.lowercased()) }
    )
    self = .other
    guard let first = tokens.first else { return }
    let field = first.field(of: entity)
    guard tokens.count > 1 else {
      if let field, first.isWhole { self = .field(field) }
      return
    }
    let second = tokens[1]
    // An unknown field that is compared with a text or a number is an error.
    let isNamed = field != nil || first.kind == .word && tokens.count > 2 && tokens[2].isLiteral
    if first.kind != .symbol && second.isComparison || isNamed && second.isWordOperator {
      self = .comparison
    } else if let field, second.word == "!" || tokens.count == 2 && second.beginsWordOperator {
      self = .operation(field)
    }
  }
}

/// A word, a quoted text, a number or a sign of a predicate that is being typed.
struct PredicateToken: Hashable {
  enum Kind: Hashable {
    case word, number, quoted, field, symbol
  }

  let kind: Kind
  /// Without quotes.
  let text: String
  /// Its range of characters in the whole text, including its quotes.
  let range: Range<Int>
  /// False when the closing quote is missing.
  var isWhole = true

  static let wordOperators = SyntaxToken.conditionWords.subtracting(["and", "or"])

  /// The word or the sign in lower case; empty for a text or a name in quotes.
  var word: String { kind == .quoted || kind == .field ? "" : text.lowercased() }

  var isConnective: Bool { ["and", "or", "&&", "||"].contains(word) }

  /// True for a sign such as `>=`.
  var isComparison: Bool {
    kind == .symbol && ("=<>".contains(text.prefix(1)) || text.hasPrefix("!="))
  }

  /// True for a word that compares, such as `contains`.
  var isWordOperator: Bool { kind == .word && Self.wordOperators.contains(word) }

  var beginsWordOperator: Bool {
    kind == .word && Self.wordOperators.contains { $0.hasPrefix(word) }
  }

  /// True if it can only be a value, or the beginning of a list of them.
  var isLiteral: Bool { kind == .quoted || kind == .number || text == "(" }

  /// The field that it names, in any case if that is unambiguous.
  func field(of entity: Schema.Entity) -> Schema.Attribute? {
    kind == .word || kind == .field ? entity.field(inAnyCase: text) : nil
  }

  /// Splits any text.
  static func split(_ text: String) -> [PredicateToken] {
    let characters = Array(text)
    var tokens: [PredicateToken] = []
    var start = 0
    while start < characters.count {
      let first = characters[start]
      if first.isWhitespace {
        start += 1
        continue
      }
      let token =
        "\"'`".contains(first)
        ? quoted(characters, from: start)
        : isWord(first) ? word(characters, from: start) : symbol(characters, from: start)
      tokens.append(token)
      start = token.range.upperBound
    }
    return tokens
  }

  static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.-:+".contains(character)
      || character.unicodeScalars.contains { $0.value > 0x7F }
  }

  private static func word(_ characters: [Character], from start: Int) -> PredicateToken {
    var end = characters[start...].firstIndex { !isWord($0) } ?? characters.count
    while let next = elementEnd(characters, from: end) {
      end = characters[next...].firstIndex { !isWord($0) } ?? characters.count
    }
    let kind: Kind = characters[start].isNumber || characters[start] == "-" ? .number : .word
    return PredicateToken(kind: kind, text: String(characters[start..<end]), range: start..<end)
  }

  /// The end of a step into JSON, such as the `[0]` of `tags[0]`, `[-1]` or the `["a.b"]` of `user["a.b"]`; nil
  /// if there is none.
  private static func elementEnd(_ characters: [Character], from start: Int) -> Int? {
    guard start + 1 < characters.count, characters[start] == "[" else { return nil }
    let digits = characters[(start + 1)...].prefix {
      $0 == "-" || ($0.isASCII && $0.isNumber)
    }
    var end = digits.endIndex
    if characters[start + 1] == "\"" {
      end = quoted(characters, from: start + 1).range.upperBound
    } else if digits.isEmpty {
      return nil
    }
    return end < characters.count && characters[end] == "]" ? end + 1 : nil
  }

  private static func symbol(_ characters: [Character], from start: Int) -> PredicateToken {
    let signs: Set<Character> = ["=", "<", ">", "!", "&", "|"]
    let isSign = signs.contains(characters[start])
    let end =
      isSign
      ? characters[start...].firstIndex { !signs.contains($0) } ?? characters.count : start + 1
    let text = String(characters[start..<end])
    return PredicateToken(kind: .symbol, text: text, range: start..<end)
  }

  private static func quoted(_ characters: [Character], from start: Int) -> PredicateToken {
    let quote = characters[start]
    var end = start + 1
    var text = ""
    while end < characters.count {
      if characters[end] == quote {
        // Two backticks in a name are one.
        guard quote == "`", end + 1 < characters.count, characters[end + 1] == quote else { break }
        end += 1
      }
      if characters[end] == "\\", quote != "`", end + 1 < characters.count { end += 1 }
      text.append(characters[end])
      end += 1
    }
    let isWhole = end < characters.count
    return PredicateToken(
      kind: quote == "`" ? .field : .quoted,
      text: text,
      range: start..<min(characters.count, end + 1),
      isWhole: isWhole
    )
  }
}
