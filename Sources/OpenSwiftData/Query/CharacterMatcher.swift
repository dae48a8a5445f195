import Foundation

/// A text test that compares as Swift compares strings: by whole characters, in any spelling.
///
/// Nearly all texts are ASCII, where characters are bytes.
struct CharacterMatcher {
  private let operation: TextMatch.Operation
  private let options: TextMatch.Options
  private let pattern: String
  private let kind: Kind

  private enum Kind {
    /// Where its bytes are not, it is not.
    case plain
    /// It occurs in ASCII texts where its bytes do.
    case simple
    /// It does not occur in ASCII texts.
    case beyondASCII
    /// Lines may end in the midst of it.
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
      if match.isPlain {
        .plain
      } else if bytes.contains(where: { $0 >= 0x80 }) {
        .beyondASCII
      } else {
        bytes.contains(0x0A) || bytes.contains(0x0D) ? .other : .simple
      }
  }

  /// The answer for a text, as far as its bytes tell; nil when its characters must be looked at.
  @inline(__always)
  func decide(isASCII: Bool, hasBytes: () -> Bool) -> Bool? {
    switch (kind, isASCII) {
    case (.plain, true), (.simple, true): hasBytes()
    case (.plain, false): hasBytes() ? nil : false
    case (.beyondASCII, true): false
    default: nil
    }
  }

  /// Looks at the characters.
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

  /// Compares elements, which for strings are characters; `String` has a `contains` that does not.
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
  /// True for a test of characters whose pattern is found among bytes wherever it is found at all: one of
  /// ASCII characters that are not written in another way.
  package var isPlain: Bool {
    options == .characters && operation.comparesText && Self.hasOneSpelling(pattern)
      && !pattern.utf8.contains { $0 == 0x0A || $0 == 0x0D }
  }

  /// True for ASCII texts but for those with characters that have twins: `K` is the sign of kelvin as
  /// well, `;` the Greek question mark, and the grave accent is there twice.
  package static func hasOneSpelling(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 && !"K;`".utf8.contains($0) }
  }
}
