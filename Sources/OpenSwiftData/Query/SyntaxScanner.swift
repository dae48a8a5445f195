/// What is wrong in a predicate or an expression, and where.
package struct SyntaxProblem: Error, Hashable, Sendable {
  /// The place in the text, in bytes.
  package let offset: Int
  /// What was found and what was expected.
  package let message: String
  /// The kind of the error.
  package var problem = FilterSyntaxError.Problem.syntax
  /// True if the text names a function that does not exist.
  package var isAboutFunction = false

  /// Creates a problem at a place.
  package init(
    offset: Int,
    message: String,
    problem: FilterSyntaxError.Problem = .syntax,
    isAboutFunction: Bool = false
  ) {
    (self.offset, self.message) = (offset, message)
    (self.problem, self.isAboutFunction) = (problem, isAboutFunction)
  }
}

/// One token of a predicate or an expression.
package struct SyntaxToken: Equatable {
  /// What a token is.
  package enum Kind: Equatable {
    case word(String)
    /// A name in backticks.
    case name(String)
    /// Digits, in an expression perhaps with a percent sign behind them.
    case number(String, isPercent: Bool)
    case duration(String, unit: String)
    case date(String)
    case text(String)
    /// `$NAME`: a value that was given beside the text, which is never read as part of it; nil for null.
    case parameter(String, String?)
    case symbol(String)
    case end
  }

  /// What it is.
  package let kind: Kind
  /// The offset of its start, in bytes.
  package let start: Int
  /// The offset of its end, in bytes.
  package let end: Int

  /// Creates a token at a place.
  package init(kind: Kind, start: Int, end: Int) {
    (self.kind, self.start, self.end) = (kind, start, end)
  }

  /// The words that connect conditions, or compare in one.
  package static let conditionWords: Set = [
    "and", "or", "not", "in", "between", "contains", "beginswith", "endswith", "like", "matches",
    "is",
  ]
  /// The words that may follow a condition or an expression in a command.
  package static let clauseWords: Set = ["sort", "limit", "offset", "fields", "where"]

  /// True for one of these words in any case.
  package func isWord(in words: Set<String>) -> Bool {
    if case .word(let own) = kind { words.contains(own.lowercased()) } else { false }
  }

  /// True for this word in any case.
  package func isWord(_ word: String) -> Bool { isWord(in: [word]) }

  /// True for this symbol.
  package func isSymbol(_ symbol: String) -> Bool { kind == .symbol(symbol) }

  /// Its name in the messages about predicates.
  var name: String {
    switch kind {
    case .word(let text), .number(let text, _), .duration(let text, _), .date(let text),
      .text(let text), .symbol(let text):
      Value.quoted(text)
    case .name(let name): "`\(Value.shortened(name.replacing("`", with: "``")))`"
    case .parameter(let name, _): Value.quoted("$" + name)
    case .end: "the end"
    }
  }
}

/// Reads what predicates and expressions share: texts in quotes, names in backticks and parameters.
package struct SyntaxScanner {
  /// The whole text.
  package let bytes: [UInt8]
  /// The place of what is read next.
  package var position: Int
  private let parameters: [String: String?]

  /// Reads a text from an offset on; `parameters` are the values that `$NAME` stands for, nil for null.
  package init(_ text: String, from offset: Int, parameters: [String: String?] = [:]) {
    bytes = Array(text.utf8)
    position = offset
    self.parameters = parameters
  }

  /// A part of the text.
  package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The byte at a place; nil at the end.
  package func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  /// True if the offset is at the end or at a space.
  package func isSpace(at place: Int) -> Bool {
    byte(at: place).map { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? true
  }

  /// Skips spaces; false at the end and before a comment, which `#` starts as everywhere in scripts.
  @discardableResult
  package mutating func skipSpace() -> Bool {
    while position < bytes.count, isSpace(at: position) { position += 1 }
    return position < bytes.count && bytes[position] != UInt8(ascii: "#")
  }

  /// True for letters, digits and the underscore.
  package static func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (48...57).contains(byte) || (65...90).contains(byte)
      || (97...122).contains(byte)
      || byte == UInt8(ascii: "_")
  }

  /// The first of the pairs and single characters that a symbol may be; nil for any other character.
  package mutating func symbol(_ pairs: Set<String>, _ characters: String) -> String? {
    let pair = text(position..<min(position + 2, bytes.count))
    let isPair = pairs.contains(pair)
    guard isPair || characters.utf8.contains(bytes[position]) else { return nil }
    position += isPair ? 2 : 1
    return isPair ? pair : text(position - 1..<position)
  }

  /// The error of a character that begins nothing.
  package var unexpected: SyntaxProblem {
    let character = Character(Unicode.Scalar(bytes[position]))
    return SyntaxProblem(offset: position, message: "unexpected \"\(character)\"")
  }

  /// Reads a text in quotes, a name in backticks or a parameter; nil if something else comes next.
  package mutating func sharedToken() throws(SyntaxProblem) -> SyntaxToken.Kind? {
    switch bytes[position] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): .text(try quotedText())
    case UInt8(ascii: "`"): .name(try quoted(by: bytes[position]))
    case UInt8(ascii: "$"): try parameter()
    default: nil
    }
  }

  /// Reads `$` and the name of a parameter, which can stand in braces.
  private mutating func parameter() throws(SyntaxProblem) -> SyntaxToken.Kind {
    let start = position
    let isBraced = byte(at: start + 1) == UInt8(ascii: "{")
    let rest = bytes[(start + (isBraced ? 2 : 1))...]
    let letters = rest.prefix { isBraced ? $0 != UInt8(ascii: "}") : Self.isWordByte($0) }
    let name = String(decoding: letters, as: UTF8.self)
    guard !name.isEmpty, !isBraced || letters.endIndex < bytes.count else { throw unexpected }
    guard let value = parameters[name] else {
      let hint = isBraced ? "" : "; use --arg \(name) VALUE"
      let spelling = Value.quoted(isBraced ? "${\(name)}" : "$" + name)
      throw SyntaxProblem(
        offset: start,
        message: "unknown parameter \(spelling)\(hint)",
        problem: .unknownParameter
      )
    }
    position = letters.endIndex + (isBraced ? 1 : 0)
    return .parameter(name, value)
  }

  /// Reads quoted parts that follow each other without a space, which are one text as in the words of a command.
  private mutating func quotedText() throws(SyntaxProblem) -> String {
    var text = ""
    while let byte = byte(at: position), "\"'".utf8.contains(byte) { text += try quoted(by: byte) }
    return text
  }

  /// Reads a text in quotes, or a name in backticks, two of which stand for one.
  private mutating func quoted(by quote: UInt8) throws(SyntaxProblem) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = byte(at: position) {
      position += 1
      if byte == quote {
        guard quote == UInt8(ascii: "`"), self.byte(at: position) == quote else {
          return String(decoding: content, as: UTF8.self)
        }
        position += 1
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        var rest = bytes[position...]
        guard let scalars = TextEscape.take(from: &rest) else {
          throw SyntaxProblem(offset: position - 1, message: TextEscape.hint)
        }
        position = rest.startIndex
        content += scalars
        continue
      }
      content.append(byte)
    }
    let sign = Character(Unicode.Scalar(quote))
    throw SyntaxProblem(offset: start, message: "missing closing \(sign)")
  }
}
