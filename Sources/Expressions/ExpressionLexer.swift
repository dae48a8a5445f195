import OpenSwiftData

/// One token of an expression.
struct ExpressionToken {
  enum Kind: Equatable {
    case word(String)
    /// A name in backticks.
    case name(String)
    /// Digits, perhaps with a percent sign behind them.
    case number(String, isPercent: Bool)
    case duration(String, unit: String)
    case date(String)
    case text(String)
    /// A value beside the text; nil for null.
    case parameter(String?)
    case symbol(String)
    case end
  }

  let kind: Kind
  let start: Int
  let end: Int

  /// True for this word in any case.
  func isWord(_ word: String) -> Bool {
    if case .word(let own) = kind { own.lowercased() == word } else { false }
  }

  func isSymbol(_ symbol: String) -> Bool { kind == .symbol(symbol) }
}

/// Splits an expression into tokens, one at a time.
struct ExpressionLexer {
  let bytes: [UInt8]
  private(set) var position: Int
  private let parameters: [String: String?]
  private var count = 0

  /// The number of tokens of one expression.
  private static let tokenLimit = 10_000

  init(_ text: String, from offset: Int, parameters: [String: String?]) {
    bytes = Array(text.utf8)
    position = offset
    self.parameters = parameters
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

  /// True if the offset is at the end or after a space.
  func isSpace(at place: Int) -> Bool {
    byte(at: place).map { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? true
  }

  mutating func next() throws(ExpressionSyntaxError) -> ExpressionToken {
    skipSpace()
    count += 1
    guard count <= Self.tokenLimit else {
      throw error("an expression has at most \(Self.tokenLimit) parts")
    }
    let start = position
    // `#` starts a comment, as everywhere in scripts.
    guard let byte = byte(at: position), byte != UInt8(ascii: "#") else {
      return ExpressionToken(kind: .end, start: start, end: start)
    }
    let kind = try kind(byte)
    return ExpressionToken(kind: kind, start: start, end: position)
  }

  private mutating func skipSpace() {
    while position < bytes.count, isSpace(at: position) { position += 1 }
  }

  private func error(_ message: String, at place: Int? = nil) -> ExpressionSyntaxError {
    ExpressionSyntaxError(offset: place ?? position, message: message)
  }

  private mutating func kind(_ byte: UInt8) throws(ExpressionSyntaxError) -> ExpressionToken.Kind {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try quotedText())
    case UInt8(ascii: "`"): return .name(try quoted(by: byte))
    case UInt8(ascii: "$"): return .parameter(try parameter())
    case 48...57: return try number()
    case UInt8(ascii: "."): if isDigit(at: position + 1) { return try number() }
    default: if Self.isWordByte(byte) { return .word(word()) }
    }
    return try symbol(byte)
  }

  private func isDigit(at place: Int) -> Bool {
    byte(at: place).map { (48...57).contains($0) } ?? false
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (48...57).contains(byte) || (65...90).contains(byte)
      || (97...122).contains(byte)
      || byte == UInt8(ascii: "_")
  }

  private mutating func word() -> String {
    let start = position
    while let byte = byte(at: position),
      Self.isWordByte(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    {
      position += 1
    }
    return text(start..<position)
  }

  /// Skips letters and digits, and returns them.
  mutating func plainWord() -> String {
    let start = position
    while let byte = byte(at: position), Self.isWordByte(byte) || byte == UInt8(ascii: "-") {
      position += 1
    }
    return text(start..<position)
  }

  private static let symbols = [
    "==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||", "??", "//", ":=",
  ]

  private mutating func symbol(_ byte: UInt8) throws(ExpressionSyntaxError) -> ExpressionToken.Kind
  {
    let pair = text(position..<min(position + 2, bytes.count))
    if Self.symbols.contains(pair) {
      position += 2
      return .symbol(pair)
    }
    guard "+-*/%()[]{},=<>!.:".utf8.contains(byte) else {
      throw error("unexpected \"\(Character(Unicode.Scalar(byte)))\"")
    }
    position += 1
    return .symbol(String(Character(Unicode.Scalar(byte))))
  }

  // MARK: Numbers, days and durations

  private mutating func number() throws(ExpressionSyntaxError) -> ExpressionToken.Kind {
    let start = position
    takeDigits()
    if position - start == 4, byte(at: position) == UInt8(ascii: "-"), isDigit(at: position + 1) {
      return .date(date(from: start))
    }
    if byte(at: position) == UInt8(ascii: "."), isDigit(at: position + 1) {
      position += 1
      takeDigits()
    }
    let end = position
    takeExponent()
    let digits = text(start..<position)
    while let byte = byte(at: position), Self.isWordByte(byte) || byte == UInt8(ascii: ".") {
      position += 1
    }
    let rest = text((start + digits.utf8.count)..<position)
    if rest.isEmpty { return .number(digits, isPercent: try takePercent(after: digits)) }
    if end == start + digits.utf8.count, CalendarDuration.units.contains(where: { $0.name == rest })
    {
      return .duration(digits, unit: rest)
    }
    throw error(
      "\(Value.quoted(digits + rest)) is not a number; durations end in y, mo, w, d, h, min or s",
      at: start
    )
  }

  private mutating func takeDigits() { while isDigit(at: position) { position += 1 } }

  private mutating func takeExponent() {
    guard byte(at: position).map({ $0 | 0x20 }) == UInt8(ascii: "e") else { return }
    let hasSign = byte(at: position + 1).map { $0 == 43 || $0 == 45 } ?? false
    guard isDigit(at: position + (hasSign ? 2 : 1)) else { return }
    position += hasSign ? 2 : 1
    takeDigits()
  }

  /// A day, perhaps with a time and a zone.
  private mutating func date(from start: Int) -> String {
    while let byte = byte(at: position), (48...57).contains(byte) || byte == 45 { position += 1 }
    if byte(at: position).map({ $0 | 0x20 }) == UInt8(ascii: "t"), isDigit(at: position + 1) {
      position += 1
      while let byte = byte(at: position), (48...58).contains(byte) || byte == 46 { position += 1 }
      let zone = byte(at: position)
      if zone.map({ $0 | 0x20 }) == UInt8(ascii: "z") {
        position += 1
      } else if zone == 43 || zone == 45, isDigit(at: position + 1) {
        position += 1
        while let byte = byte(at: position), (48...58).contains(byte) { position += 1 }
      }
    }
    return text(start..<position)
  }

  /// Skips a percent sign directly behind a number, unless an operand follows and it means the remainder.
  private mutating func takePercent(after digits: String) throws(ExpressionSyntaxError) -> Bool {
    guard byte(at: position) == UInt8(ascii: "%") else { return false }
    var rest = self
    rest.position += 1
    let isApart = rest.isSpace(at: rest.position)
    rest.skipSpace()
    guard let byte = rest.byte(at: rest.position),
      "\"'`$(".utf8.contains(byte) || Self.isWordByte(byte)
    else {
      position += 1
      return true
    }
    guard isApart else { return false }
    let word = Self.isWordByte(byte) ? rest.word().lowercased() : ""
    guard ExpressionParser.operatorWords.contains(word) else {
      throw error(
        "% directly behind a number is percent; write the remainder with a space: \(digits) % \(rest.operand)"
      )
    }
    position += 1
    return true
  }

  /// The word or the character before the position, for a message.
  private var operand: String {
    var rest = self
    let end = position
    while rest.position > 0, !isSpace(at: rest.position - 1) { rest.position -= 1 }
    return text(rest.position..<max(end, min(rest.position + 1, bytes.count)))
  }

  // MARK: Texts and parameters

  /// `$` and the name of a parameter, which can stand in braces.
  private mutating func parameter() throws(ExpressionSyntaxError) -> String? {
    let start = position
    let isBraced = byte(at: start + 1) == UInt8(ascii: "{")
    let rest = bytes[(start + (isBraced ? 2 : 1))...]
    let name = rest.prefix { isBraced ? $0 != UInt8(ascii: "}") : Self.isWordByte($0) }
    let text = String(decoding: name, as: UTF8.self)
    guard !text.isEmpty, !isBraced || name.endIndex < bytes.count else {
      throw error("unexpected \"$\"")
    }
    guard let value = parameters[text] else {
      let hint = isBraced ? "" : "; use --arg \(text) VALUE"
      throw ExpressionSyntaxError(
        offset: start,
        message: "unknown parameter \(Value.quoted(isBraced ? "${\(text)}" : "$" + text))\(hint)",
        problem: .unknownParameter
      )
    }
    position = name.endIndex + (isBraced ? 1 : 0)
    return value
  }

  /// Quoted parts that follow each other without a space are one text, as in the words of a command.
  private mutating func quotedText() throws(ExpressionSyntaxError) -> String {
    var text = ""
    while let byte = byte(at: position), "\"'".utf8.contains(byte) { text += try quoted(by: byte) }
    return text
  }

  /// A text in quotes or a name in backticks, two of which stand for one.
  mutating func quoted(by quote: UInt8) throws(ExpressionSyntaxError) -> String {
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
          throw error(TextEscape.hint, at: position - 1)
        }
        position = rest.startIndex
        content += scalars
        continue
      }
      content.append(byte)
    }
    throw error("missing closing \(Character(Unicode.Scalar(quote)))", at: start)
  }
}
