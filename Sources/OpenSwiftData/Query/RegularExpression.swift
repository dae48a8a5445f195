import CRE2

/// A regular expression that needs time in proportion to the text, whatever the expression.
///
/// The syntax is that of RE2, with Unicode's letters, digits and white space behind `\w`, `\d` and `\s`.
/// Back references and looking around, which no such matcher knows, are refused.
///
/// The expression behind it never changes, and the library promises that many threads may match at once;
/// that is why the class may be shared.
final class RegularExpression: @unchecked Sendable {
  /// What is wrong with a pattern, and where.
  struct Problem: Error, CustomStringConvertible {
    /// What the expression does wrong.
    private let words: String
    /// The place in the pattern, in bytes from 0; nil when it is not known.
    let offset: Int?

    /// Creates a problem from what the expression does wrong, such as `lacks a ]`.
    init(_ words: String, at offset: Int? = nil) {
      self.words = words
      self.offset = offset
    }

    /// What is to be said behind the pattern.
    var description: String { "is not a valid regular expression: \(words)" }
  }

  /// The most bytes of a pattern.
  static let patternLimit = 1 << 16
  /// The most memory that one expression may take, its work included.
  private static let memoryLimit: Int64 = 32 << 20

  private let handle: OpaquePointer

  /// Reads a pattern.
  ///
  /// - Throws: `Problem` when it is no expression, one with unknown features, or one that is too large.
  /// - Complexity: O(n) in the size of the pattern with its repetitions, which is limited.
  init(_ pattern: String, ignoresCase: Bool) throws(Problem) {
    guard pattern.utf8.count <= Self.patternLimit else {
      throw Problem(
        "\(pattern.utf8.count) bytes exceed the limit of \(Self.patternLimit)"
      )
    }
    var translated = try RegularExpressionReader.translate(pattern)
    var error = CATALOG_REGEX_OK
    // 63 bytes and the zero, as the header says.
    var part = [CChar](repeating: 0, count: 64)
    let made = translated.withUTF8 { bytes in
      catalog_regex_create(
        bytes.baseAddress,
        bytes.count,
        ignoresCase,
        Self.memoryLimit,
        &error,
        &part
      )
    }
    guard let made else {
      let bytes = part.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Self.problem(error, String(decoding: bytes, as: UTF8.self), in: pattern)
    }
    handle = made
  }

  deinit { catalog_regex_destroy(handle) }

  /// True when the whole text, in UTF-8, fits.
  ///
  /// - Complexity: O(n) in the length of the text, with a factor that the limits bound.
  func matches(utf8 text: UnsafeBufferPointer<UInt8>) -> Bool {
    catalog_regex_matches(handle, text.baseAddress, text.count)
  }

  private static func problem(_ error: catalog_regex_error, _ part: String, in pattern: String)
    -> Problem
  {
    let words =
      switch error {
      case CATALOG_REGEX_BAD_ESCAPE: "unknown escape \(part)"
      case CATALOG_REGEX_BAD_CLASS: "unknown class \(part)"
      case CATALOG_REGEX_BAD_RANGE: "invalid range \(part)"
      case CATALOG_REGEX_MISSING_BRACKET: "missing ]"
      case CATALOG_REGEX_MISSING_PARENTHESIS: "missing ) or unknown group"
      case CATALOG_REGEX_UNEXPECTED_PARENTHESIS: "unexpected )"
      case CATALOG_REGEX_TRAILING_BACKSLASH: "unexpected \\ at the end"
      case CATALOG_REGEX_NOTHING_TO_REPEAT: "nothing to repeat before \(part)"
      case CATALOG_REGEX_BAD_COUNT: "repetition \(part) exceeds the limit of 1000"
      case CATALOG_REGEX_BAD_REPETITION: "invalid repetition \(part)"
      case CATALOG_REGEX_TOO_LARGE: "too large; shorten it or use fewer repetitions"
      default: "unreadable near \(Value.quoted(part))"
      }
    // The first place that looks like it; what was rewritten is not found, which is no harm.
    let offset = part.isEmpty ? nil : pattern.utf8Offset(of: part)
    return Problem(words, at: offset)
  }
}

extension String {
  /// Where the part begins first, in bytes.
  fileprivate func utf8Offset(of part: String) -> Int? {
    let (bytes, wanted) = (Array(utf8), Array(part.utf8))
    guard wanted.count <= bytes.count else { return nil }
    return (0...(bytes.count - wanted.count)).first { bytes[$0...].starts(with: wanted) }
  }
}
