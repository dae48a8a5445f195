import OpenSwiftData

/// Conditions that every match of a test of texts fulfills, for tests that only the program can decide.
///
/// A text of ASCII letters is decided exactly by a regular expression; every other text is left to the program, because
/// folding turns many letters into ASCII ones.
struct TextSuperset {
  let match: TextMatch

  /// The condition for a column of texts; nil if nothing is known about the matches.
  func condition(_ operand: String) -> SQLText? {
    guard let expression, !expression.utf8.contains(0) else { return nil }
    return """
      (\(operand) COLLATE "C" ~ \(.text(expression)) OR \(operand) COLLATE "C" ~ '[^\u{01}-\u{7f}]')
      """
  }

  /// The regular expression for texts of ASCII characters.
  private var expression: String? {
    guard match.pattern.utf8.allSatisfy({ $0 < 0x80 }), !match.options.contains(.jsonStrings) else {
      return nil
    }
    let ignoresCase = !match.options.isDisjoint(with: [.caseInsensitive, .asciiCaseInsensitive])
    let body = match.pattern.unicodeScalars.map { Self.element($0, ignoresCase) }.joined()
    switch match.operation {
    case .equals: return "^\(body)$"
    case .beginsWith: return "^\(body)"
    case .endsWith: return "\(body)$"
    case .contains: return body
    case .like, .matches: return nil
    }
  }

  private static func element(_ scalar: Unicode.Scalar, _ ignoresCase: Bool) -> String {
    let letter = String(scalar)
    guard scalar.properties.isAlphabetic else {
      return ("0"..."9").contains(letter) || letter == " " ? letter : "\\U" + hexadecimal(scalar)
    }
    return ignoresCase ? "[\(letter.lowercased())\(letter.uppercased())]" : letter
  }

  /// The eight digits after `\U`.
  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension ColumnDescription {
  /// True if the text form of a value may have this text in it.
  func mayShow(_ pattern: String) -> Bool {
    guard let letters else { return true }
    return pattern.lowercased().allSatisfy { letters.contains($0) || !$0.isASCII }
  }

  /// The small letters and other characters that values have in their text form; nil for any.
  private var letters: String? {
    switch form {
    case .decimal, .number: return "-+.0123456789einfa"
    case .boolean: return "trufalse"
    case .moment: return "-+.:tz0123456789"
    default: break
    }
    switch server?.type {
    case .int2, .int4, .int8, .date: return "-0123456789"
    case .uuid: return "-0123456789abcdef"
    default: return nil
    }
  }
}
