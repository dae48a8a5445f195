/// Translates a pattern in common syntax into one for the matcher.
///
/// `\w`, `\d` and `\s` mean the letters, digits and spaces of Unicode, not only of ASCII; `(?<name>…)` is a
/// group. Unsupported features are reported with their position.
struct RegularExpressionReader {
  private let bytes: [UInt8]
  private var position = 0
  private var result: [UInt8] = []

  /// The equivalents of `\w` and `\s` in brackets.
  private static let word = "\\p{L}\\p{M}\\p{N}\\p{Pc}"
  private static let space = "\\s\\v\\x{85}\\p{Z}"

  /// The pattern for the matcher.
  ///
  /// - Throws: `RegularExpression.Problem` for backreferences, lookaround and single bytes.
  static func translate(_ pattern: String) throws(RegularExpression.Problem) -> String {
    var reader = RegularExpressionReader(bytes: Array(pattern.utf8))
    while reader.position < reader.bytes.count { try reader.step() }
    return String(decoding: reader.result, as: UTF8.self)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func step() throws(RegularExpression.Problem) {
    switch bytes[position] {
    case UInt8(ascii: "\\"): try escape(inBrackets: false)
    case UInt8(ascii: "["): try brackets()
    case UInt8(ascii: "("): try group()
    default: copy(1)
    }
  }

  private func problem(_ words: String, at offset: Int) -> RegularExpression.Problem {
    RegularExpression.Problem(words, at: offset)
  }

  private mutating func copy(_ count: Int) {
    let end = min(position + count, bytes.count)
    result += bytes[position..<end]
    position = end
  }

  private mutating func replace(_ count: Int, by text: String) {
    result += text.utf8
    position += count
  }

  private func begins(with text: String) -> Bool {
    bytes[position...].starts(with: text.utf8)
  }

  private mutating func group() throws(RegularExpression.Problem) {
    for sign in ["(?=", "(?!", "(?<=", "(?<!"] where begins(with: sign) {
      throw problem("lookahead and lookbehind are not supported: \(sign)…)", at: position)
    }
    if begins(with: "(?>") {
      throw problem("atomic groups are not supported: (?>…)", at: position)
    }
    if begins(with: "(?#") {
      throw problem("comments are not supported: (?#…)", at: position)
    }
    if begins(with: "(?<") {
      replace(3, by: "(?P<")
    } else {
      copy(1)
    }
  }

  private mutating func brackets() throws(RegularExpression.Problem) {
    copy(1)
    if begins(with: "^") { copy(1) }
    // A `]` immediately after the opening bracket is literal.
    if begins(with: "]") { copy(1) }
    while position < bytes.count, bytes[position] != UInt8(ascii: "]") {
      if bytes[position] == UInt8(ascii: "\\") {
        try escape(inBrackets: true)
      } else if begins(with: "[:"), let end = endOfNamedClass {
        copy(end - position)
      } else {
        copy(1)
      }
    }
    copy(1)
  }

  /// The end of a named class such as `[:alpha:]`.
  private var endOfNamedClass: Int? {
    var place = position + 2
    while place < bytes.count, bytes[place] == UInt8(ascii: "^") || bytes[place] | 0x20 &- 97 < 26 {
      place += 1
    }
    return bytes[place...].starts(with: ":]".utf8) ? place + 2 : nil
  }

  private mutating func escape(inBrackets: Bool) throws(RegularExpression.Problem) {
    guard position + 1 < bytes.count else { return copy(1) }
    let letter = Character(Unicode.Scalar(bytes[position + 1]))
    switch letter {
    case "1"..."9", "k", "g":
      throw problem("backreferences are not supported: \\\(letter)", at: position)
    case "C": throw problem("single bytes are not supported: \\C", at: position)
    case "d": replace(2, by: "\\p{Nd}")
    case "D": replace(2, by: "\\P{Nd}")
    case "w": replace(2, by: inBrackets ? Self.word : "[\(Self.word)]")
    case "s": replace(2, by: inBrackets ? Self.space : "[\(Self.space)]")
    case "W", "S":
      guard !inBrackets else {
        throw problem(
          "\\\(letter) is not supported between [ and ]; use [^\\\(letter.lowercased())]",
          at: position
        )
      }
      replace(2, by: "[^\(letter == "W" ? Self.word : Self.space)]")
    case "Q" where !inBrackets: quotation()
    default: copy(2)
    }
  }

  /// Copies the text between `\Q` and `\E` as literal characters.
  private mutating func quotation() {
    copy(2)
    while position < bytes.count, !begins(with: "\\E") { copy(1) }
    copy(2)
  }
}
