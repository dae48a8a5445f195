package import OpenSwiftData

/// The tokens of an expression.
extension SyntaxScanner {
  /// Reads the next token of an expression.
  package mutating func expressionToken() throws(SyntaxProblem) -> SyntaxToken {
    let isAtEnd = !skipSpace()
    let start = position
    let kind = try isAtEnd ? .end : kind(bytes[position])
    return SyntaxToken(kind: kind, start: start, end: position)
  }

  private mutating func kind(_ byte: UInt8) throws(SyntaxProblem) -> SyntaxToken.Kind {
    if let shared = try sharedToken() { return shared }
    switch byte {
    case 48...57: return try number()
    case UInt8(ascii: "."): if isDigit(at: position + 1) { return try number() }
    default: if Self.isWordByte(byte) { return .word(word()) }
    }
    guard let symbol = symbol(Self.pairs, "+-*/%()[]{},=<>!.:") else { throw unexpected }
    return .symbol(symbol)
  }

  private static let pairs: Set = [
    "==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||", "??", "//", ":=",
  ]

  private func isDigit(at place: Int) -> Bool {
    byte(at: place).map { (48...57).contains($0) } ?? false
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

  // MARK: Numbers, days and durations

  private mutating func number() throws(SyntaxProblem) -> SyntaxToken.Kind {
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
    throw SyntaxProblem(
      offset: start,
      message:
        "\(Value.quoted(digits + rest)) is not a number; durations end in y, mo, w, d, h, min or s"
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

  /// Skips a percent sign right after a number, unless an operand follows it, so that it means the remainder.
  private mutating func takePercent(after digits: String) throws(SyntaxProblem) -> Bool {
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
      throw SyntaxProblem(
        offset: position,
        message:
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
}
