import OpenSwiftData

/// Determines from the first words of a text whether it is meant as a predicate.
struct PredicateBeginning {
  /// True if a field, or a word in its position, is followed by a comparison.
  private(set) var isPredicate = false
  /// True if the text is only the name of a field.
  private(set) var isMereField = false
  /// The possible next operators, if the text ends where one is expected.
  private(set) var operatorsToCome: String?

  static let wordOperators = [
    "contains", "beginswith", "endswith", "like", "matches", "between", "in", "is", "not",
  ]

  init(_ text: String, _ entity: Schema.Entity) {
    var tokens = PredicateToken.split(text)[...]
    while let first = tokens.first, ["(", "!", "not"].contains(first.text.lowercased()) {
      // Only a predicate begins with these and a field.
      tokens.removeFirst()
    }
    guard let first = tokens.popFirst() else { return }
    let field = first.field(of: entity)
    guard let second = tokens.first else {
      guard let field, first.isWhole else { return }
      isMereField = true
      operatorsToCome = Self.operators(for: field)
      return
    }
    let word = second.text.lowercased()
    if second.kind == .symbol, first.kind != .symbol {
      isPredicate = "=<>".contains(word.prefix(1)) || word.hasPrefix("!=")
      if !isPredicate, word == "!", let field { operatorsToCome = Self.operators(for: field) }
    } else if let field, second.kind == .word {
      isPredicate = Self.wordOperators.contains(word)
      if !isPredicate, tokens.count == 1, Self.wordOperators.contains(where: { $0.hasPrefix(word) })
      {
        operatorsToCome = Self.operators(for: field)
      }
    } else if first.kind == .word, Self.wordOperators.contains(word), tokens.count > 1 {
      // An unknown field that is compared with a text or a number is an error.
      let third = tokens[tokens.startIndex + 1]
      isPredicate = third.kind == .quoted || third.kind == .number || third.text == "("
    }
  }

  static func operators(for field: Schema.Attribute) -> String {
    field.type == .text
      ? "=, !=, contains, beginswith, like, in, is null" : "=, !=, <, >, between, in, is null"
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

  /// The field that it names, in any case if that is unambiguous.
  func field(of entity: Schema.Entity) -> Schema.Attribute? {
    guard kind == .word || kind == .field else { return nil }
    if let field = entity.fieldsByName[text] { return field }
    let alike = entity.fields.filter { $0.name.lowercased() == text.lowercased() }
    return alike.count == 1 ? alike[0] : nil
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
