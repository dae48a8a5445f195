/// The tokens of a predicate.
extension SyntaxScanner {
  /// True if a space comes before an offset.
  func followsSpace(_ offset: Int) -> Bool { offset == 0 || isSpace(at: offset - 1) }

  /// Skips a colon that directly follows the last token; false if there is none.
  mutating func takeColon() -> Bool {
    guard byte(at: position) == UInt8(ascii: ":") else { return false }
    position += 1
    return true
  }

  func error(
    at offset: Int,
    _ message: String,
    _ problem: FilterSyntaxError.Problem = .syntax
  ) -> FilterSyntaxError {
    let column = text(0..<min(offset, bytes.count)).count + 1
    return FilterSyntaxError(column: column, message: message, problem: problem)
  }

  /// Reads the next token of a predicate.
  package mutating func filterToken() throws(FilterSyntaxError) -> SyntaxToken {
    let isAtEnd = !skipSpace()
    let start = position
    do throws(SyntaxProblem) {
      let kind = try isAtEnd ? .end : kind()
      return SyntaxToken(kind: kind, start: start, end: position)
    } catch {
      throw self.error(at: error.offset, error.message, error.problem)
    }
  }

  private mutating func kind() throws(SyntaxProblem) -> SyntaxToken.Kind {
    if let shared = try sharedToken() { return shared }
    switch bytes[position] {
    case 48...57: return number()
    case UInt8(ascii: "-"), UInt8(ascii: "."):
      if position + 1 < bytes.count, (48...57).contains(bytes[position + 1]) { return number() }
    case let byte: if Self.isWordByte(byte) { return word() }
    }
    guard let symbol = symbol(Self.filterPairs, "=<>!(),{}[]") else { throw unexpected }
    return .symbol(symbol)
  }

  private static let filterPairs: Set = ["==", "!=", "<>", "<=", ">=", "=<", "=>", "&&", "||"]

  private mutating func word() -> SyntaxToken.Kind {
    let start = position
    while position < bytes.count,
      Self.isWordByte(bytes[position]) || bytes[position] == UInt8(ascii: "-")
        || bytes[position] == UInt8(ascii: ".")
    {
      position += 1
      takeElement()
    }
    return .word(text(start..<position))
  }

  /// Skips a step into JSON, such as the `[0]` of `tags[0]`, `[-1]` or the `["a.b"]` of `user["a.b"]`.
  private mutating func takeElement() {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "[") else { return }
    let digits = bytes[(position + 1)...].prefix {
      (48...57).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard let end = digits.isEmpty ? quotedEnd(from: position + 1) : digits.endIndex,
      end < bytes.count, bytes[end] == UInt8(ascii: "]")
    else { return }
    position = end + 1
    takeElement()
  }

  /// The end of a text in double quotes that begins at an offset; nil if there is none.
  private func quotedEnd(from start: Int) -> Int? {
    let quote = UInt8(ascii: "\"")
    guard start < bytes.count, bytes[start] == quote else { return nil }
    var place = start + 1
    while place < bytes.count {
      if bytes[place] == quote { return place + 1 }
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// A number, a date, or a date with time: digits and the characters allowed between them.
  private mutating func number() -> SyntaxToken.Kind {
    let start = position
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      let isExponentSign =
        (byte == 43 || byte == 45) && bytes[position - 1] | 0x20 == UInt8(ascii: "e")
      let isDatePart = byte == 45 || byte == UInt8(ascii: ":") || byte == 43
      guard Self.isWordByte(byte) || byte == UInt8(ascii: ".") || isExponentSign || isDatePart
      else {
        break
      }
      position += 1
    }
    let text = text(start..<position)
    let digits = text.utf8.prefix { (48...57).contains($0) }.count
    return digits == 4 && text.utf8.dropFirst(4).first == 45
      ? .date(text) : .number(text, isPercent: false)
  }
}
