import Testing

@testable import OpenSwiftData

@Suite struct TextFoldingTests {
  static let options: [TextMatch.Options] = [
    .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ]

  /// The text folded by the table; nil if a character is not in the table.
  private func foldByTable(_ text: String, _ options: TextMatch.Options) -> String? {
    var text = text
    return text.withUTF8 { text in
      withUnsafeTemporaryAllocation(
        of: UInt8.self,
        capacity: FoldTable.capacity(for: text.count)
      ) { room in
        FoldTable.table(for: options).fold(text, into: room).map {
          String(decoding: room[..<$0], as: UTF8.self)
        }
      }
    }
  }

  @Test(arguments: options)
  func theTableFoldsEveryCharacterAsTheFullFoldingDoes(options: TextMatch.Options) {
    for value in UInt32(0)..<0x11_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      guard let folded = foldByTable(text, options) else { continue }
      let expected = TextFolding.fold(text, options)
      #expect(folded.utf8.elementsEqual(expected.utf8), "U+\(String(value, radix: 16))")
    }
  }

  @Test(arguments: options)
  func theTableFoldsTextsAsTheFullFoldingDoes(options: TextMatch.Options) {
    let texts = [
      "Straße", "ΟΔΟΣ ὁδός", "Ça va, déjà vu?", "Größe – “Ärger”", "ЁЖИК ёжик", "İstanbul ıI",
      "e\u{301}", "漢字 Kanji", "ŒUVRE",
    ]
    for text in texts {
      guard let folded = foldByTable(text, options) else { continue }
      #expect(folded.utf8.elementsEqual(TextFolding.fold(text, options).utf8), "\(text)")
    }
    #expect(foldByTable("Größe", options) != nil)
  }

  @Test(arguments: [
    ("Straße", "ss", true), ("STRASSE", "ß", true), ("Käse Needle", "needle", true),
    ("Käse", "s", true), ("Käse", "x", false), ("300 \u{212A}", "k", true), ("ﬁlm", "fil", true),
    ("déjà vu", "A V", false), ("déjà vu", "VU", true), ("ΟΔΟΣ", "οδος", true),
  ])
  func searchesInAnyCaseFindWhatFoldingFinds(text: String, pattern: String, expected: Bool) throws {
    let matcher = try TextMatcher(TextMatch(.contains, pattern, options: .caseInsensitive))
    #expect(matcher.matches(text) == expected)
  }
}
