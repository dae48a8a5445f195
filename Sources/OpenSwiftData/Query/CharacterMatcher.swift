import Foundation

/// A text test that compares like Swift strings: by whole characters, in any encoding of a character.
///
/// Nearly all texts are ASCII, where each byte is a character.
struct CharacterMatcher {
  private let operation: TextMatch.Operation
  private let options: TextMatch.Options
  private let pattern: String
  private let kind: Kind

  private enum Kind {
    /// Occurs in a text only where its bytes occur.
    case uniqueBytes
    /// Occurs in ASCII texts exactly where its bytes occur.
    case simple
    /// Does not occur in ASCII texts.
    case beyondASCII
    /// Contains CR or LF, which may be half of the single character CRLF.
    case other
  }

  /// The pattern for tests among bytes.
  let bytes: [UInt8]

  /// Nil for tests that do not compare characters.
  init?(_ match: TextMatch) {
    guard match.options.contains(.characters), match.operation.comparesText else { return nil }
    operation = match.operation
    options = match.options.subtracting(.characters)
    let folded = TextFolding.fold(match.pattern, options).precomposedStringWithCanonicalMapping
    pattern = folded
    bytes = Array(folded.utf8)
    kind =
      if match.comparesBytes {
        .uniqueBytes
      } else if bytes.contains(where: { $0 >= 0x80 }) {
        .beyondASCII
      } else {
        bytes.contains(0x0A) || bytes.contains(0x0D) ? .other : .simple
      }
  }

  /// The result for a text if its bytes are sufficient; nil if the characters must be compared.
  @inline(__always)
  func decide(isASCII: Bool, hasBytes: () -> Bool) -> Bool? {
    switch (kind, isASCII) {
    case (.uniqueBytes, true), (.simple, true): hasBytes()
    case (.uniqueBytes, false): hasBytes() ? nil : false
    case (.beyondASCII, true): false
    default: nil
    }
  }

  /// Compares the characters.
  func matches(_ text: String) -> Bool {
    let text = TextFolding.fold(text, options)
    return switch operation {
    case .equals: text == pattern
    case .contains: Self.contains(text, pattern)
    case .beginsWith: text.starts(with: pattern)
    case .endsWith: text.reversed().starts(with: pattern.reversed())
    case .like, .matches: false
    }
  }

  /// Compares elements, which for strings are characters; the `contains` of `String` does not.
  private static func contains<C: Collection>(_ whole: C, _ part: C) -> Bool
  where C.Element: Equatable { whole.contains(part) }
}

extension TextMatch.Operation {
  fileprivate var comparesText: Bool {
    switch self {
    case .equals, .contains, .beginsWith, .endsWith: true
    case .like, .matches: false
    }
  }
}

extension TextMatch {
  /// True for a character test that can be done on bytes.
  ///
  /// All characters of its pattern are ASCII and have only one encoding.
  package var comparesBytes: Bool {
    options == .characters && operation.comparesText && Self.hasOneSpelling(pattern)
      && !pattern.utf8.contains { $0 == 0x0A || $0 == 0x0D }
  }

  /// True for ASCII texts without characters that have a canonical equivalent.
  ///
  /// `K` is equivalent to the kelvin sign, `;` to the Greek question mark, and the grave accent exists twice.
  package static func hasOneSpelling(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 && !"K;`".utf8.contains($0) }
  }
}
