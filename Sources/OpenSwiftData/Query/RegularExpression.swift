import CRE2

/// A regular expression that always matches in time proportional to the length of the text.
///
/// The syntax is that of RE2; `\w`, `\d` and `\s` match Unicode letters, digits and white space.
/// Backreferences and lookaround are rejected because such a matcher cannot support them.
///
/// Unchecked because the underlying expression never changes, and the library guarantees that several threads
/// may match with it at the same time.
package final class RegularExpression: @unchecked Sendable {
  /// A problem in a pattern, and its position.
  package struct Problem: Error, CustomStringConvertible {
    /// The description of the problem.
    private let words: String
    /// The position in the pattern, in bytes from 0; nil if it is not known.
    let offset: Int?

    /// Creates a problem from its description, such as `lacks a ]`.
    init(_ words: String, at offset: Int? = nil) {
      self.words = words
      self.offset = offset
    }

    /// The text that follows the pattern in a message.
    package var description: String { "is not a valid regular expression: \(words)" }
  }

  /// The maximum size of a pattern in bytes.
  static let patternLimit = 1 << 16
  /// The maximum memory of one expression, including matching.
  private static let memoryLimit: Int64 = 32 << 20

  private let handle: OpaquePointer

  /// Compiles a pattern; only one that captures groups can find them.
  ///
  /// - Throws: `Problem` when the pattern is invalid, uses unsupported features or is too large.
  /// - Complexity: O(n) in the size of the pattern with its repetitions, which is limited.
  package init(
    _ pattern: String,
    ignoresCase: Bool = false,
    capturesGroups: Bool = false
  ) throws(Problem) {
    guard pattern.utf8.count <= Self.patternLimit else {
      throw Problem(
        "\(pattern.utf8.count) bytes exceed the limit of \(Self.patternLimit)"
      )
    }
    var translated = try RegularExpressionReader.translate(pattern)
    var error = CATALOG_REGEX_OK
    // 63 bytes and the terminating zero, according to the header.
    var part = [CChar](repeating: 0, count: 64)
    let made = translated.withUTF8 { bytes in
      catalog_regex_create(
        bytes.baseAddress,
        bytes.count,
        ignoresCase,
        capturesGroups,
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

  /// True when the whole text, in UTF-8, matches.
  ///
  /// - Complexity: O(n) in the length of the text, with a factor that the limits bound.
  func matches(utf8 text: UnsafeBufferPointer<UInt8>) -> Bool {
    catalog_regex_matches(handle, text.baseAddress, text.count)
  }

  /// The number of groups in parentheses.
  package var groupCount: Int { Int(catalog_regex_group_count(handle)) }

  /// The first match in a text at or after an offset: the places of the whole match and of each group, in bytes; nil for a
  /// group that does not take part.
  ///
  /// - Returns: Nil without a match.
  /// - Complexity: As `matches(utf8:)`.
  package func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> [Range<
    Int
  >?]? {
    let count = groupCount + 1
    var spans = [Int](repeating: -1, count: 2 * count)
    guard
      catalog_regex_find(handle, text.baseAddress, text.count, start, &spans, Int32(count))
    else { return nil }
    return (0..<count).map { spans[2 * $0] < 0 ? nil : spans[2 * $0]..<spans[2 * $0 + 1] }
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
    // The first occurrence of the part; rewritten parts are not found, which only omits the position.
    let offset = part.isEmpty ? nil : pattern.utf8Offset(of: part)
    return Problem(words, at: offset)
  }
}

extension String {
  /// The offset of the first occurrence of the part, in bytes.
  fileprivate func utf8Offset(of part: String) -> Int? {
    let (bytes, wanted) = (Array(utf8), Array(part.utf8))
    guard wanted.count <= bytes.count else { return nil }
    return (0...(bytes.count - wanted.count)).first { bytes[$0...].starts(with: wanted) }
  }
}
