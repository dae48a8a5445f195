import DataStoreTesting
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
    var different: [Unicode.Scalar] = []
    for value in UInt32(0)..<0x11_0000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      guard let folded = foldByTable(text, options) else { continue }
      let expected = TextFolding.fold(text, options)
      if !folded.utf8.elementsEqual(expected.utf8) { different.append(scalar) }
    }
    #expect(different == [])
  }

  @Test(arguments: options)
  func theTableFoldsTextsAsTheFullFoldingDoes(options: TextMatch.Options) {
    let texts = [
      "Straße", "ΟΔΟΣ ὁδός", "Ça va, déjà vu?", "Größe – “Ärger”", "ЁЖИК ёжик", "İstanbul ıI",
      "e\u{301}", "漢字 Kanji", "ŒUVRE", "바람의 집", "\u{AC00}\u{11A8}", "がき か\u{3099}", "🎬 Ä",
    ]
    for text in texts {
      guard let folded = foldByTable(text, options) else { continue }
      #expect(folded.utf8.elementsEqual(TextFolding.fold(text, options).utf8), "\(text)")
    }
    for text in ["Größe", "바람의 집", "夜の電車", "🎬 Ä"] {
      #expect(foldByTable(text, options) != nil, "\(text)")
    }
  }

  @Test(arguments: options + [[]])
  func foldedBytesAreThoseOfTheFoldedText(options: TextMatch.Options) {
    for text in [
      "", "Toy Story 2", "Straße", "ΟΔΟΣ", "e\u{301}É", "바람의 집", "か\u{3099}", "🎬 Ä", "\u{1E9E}",
    ] {
      let folded = TextFolding.foldedBytes(text, options)
      #expect(folded == Array(TextFolding.fold(text, options).utf8), "\(text)")
    }
  }

  /// Characters that combine with each other: accents, voicing marks, Korean letters.
  @Test(arguments: options)
  func foldTableMatchesFullFolding(options: TextMatch.Options) {
    let pieces: [String] = [
      "a", "E", "é", "ß", "Σ", "ς", "İ", "か", "が", "ハ", "\u{3099}", "\u{309A}", "\u{301}",
      "\u{307}", "\u{323}", "\u{302A}", "\u{302E}", "\u{1100}", "\u{1161}", "\u{11A8}", "가", "각",
      "電", "🎬", "👍🏽", "Ǆ", "ﬁ", "\u{FE0F}", "ᾳ", " ",
    ]
    var known = 0
    var seed = SeededGenerator.testSeed
    print("foldTableMatchesFullFolding seed \(seed)")
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<4 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += pieces[Int(seed >> 33) % pieces.count]
      }
      guard let folded = foldByTable(text, options) else { continue }
      known += 1
      let expected = TextFolding.fold(text, options)
      #expect(folded.utf8.elementsEqual(expected.utf8), "\(text.unicodeScalars.map(\.value))")
    }
    #expect(known > 1000)
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
