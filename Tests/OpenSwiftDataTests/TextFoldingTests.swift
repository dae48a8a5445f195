import Testing

@testable import OpenSwiftData

@Suite struct TextFoldingTests {
  @Test func everyCharacterThatFoldsToASCIIIsKnown() {
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = TextFolding.fold(String(scalar), .caseInsensitive)
      guard folded.utf8.contains(where: { $0 < 0x80 }) else { continue }
      var text = String(scalar)
      let isKnown = text.withUTF8 { TextFolding.mayFoldToASCII($0) }
      #expect(isKnown, "U+\(String(value, radix: 16))")
    }
  }

  @Test(arguments: [
    ("Straße", "ss", true), ("STRASSE", "ß", true), ("Käse Needle", "needle", true),
    ("Käse", "s", true), ("Käse", "x", false), ("300 \u{212A}", "k", true), ("ﬁlm", "fil", true),
    ("déjà vu", "A V", false), ("déjà vu", "VU", true),
  ])
  func searchesInAnyCaseFindWhatFoldingFinds(text: String, pattern: String, expected: Bool) throws {
    let matcher = try TextMatcher(TextMatch(.contains, pattern, options: .caseInsensitive))
    #expect(matcher.matches(text) == expected)
  }
}
