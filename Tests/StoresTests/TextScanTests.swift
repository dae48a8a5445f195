import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Searching all texts of a column at once finds what testing each text finds.
@Suite struct TextScanTests {
  @Test func everyCharacterThatFoldsToASCIIIsKnown() {
    var count = 0
    for number in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let text = String(scalar)
      let folded = TextFolding.fold(text, .caseInsensitive)
      guard folded.utf8.contains(where: { $0 < 0x80 }) else { continue }
      count += 1
      let isKnown = Array(text.utf8).withUnsafeBufferPointer { TextScan.mayFoldToASCII($0) }
      #expect(isKnown, "U+\(String(number, radix: 16)) becomes \(folded)")
    }
    #expect(count > 15)
  }

  /// Pieces of texts: letters in both cases, marks that combine with the letter before, and characters that become
  /// other or more letters when case is ignored.
  private static let pieces =
    [
      "a", "B", "s", "S", "k", "K", "i", "I", " ", ";", "é", "É", "ß", "ẞ", "ſ", "İ", "ı",
      "\u{212A}",
    ]
    + [
      "\u{301}", "\u{307}", "ŉ", "ﬁ", "ﬀ", "Σ", "ς", "東", "가", "が", "🎬", "\u{37E}", "Å", "ǰ", "ẖ",
      "n", "F",
    ]
  private static let patterns = [
    "s", "ss", "K", "k", "i", "fi", ";", "as", "SK", "é", "ßk", "n", "h",
  ]

  @Test func theScanFindsWhatTestingEachTextFinds() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let entity = Schema.Entity("Film", attributes: [.init("title", .text)])
    let store = try MemoryStore(MemoryStoreConfiguration(schema: Schema(entity)))
    // Most texts are ASCII, as in many files; then only some must be tested one by one.
    let texts = (0..<3000).map { number in
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Self.pieces[Int.random(in: 0..<(number % 4 == 0 ? Self.pieces.count : 10), using: &random)]
      }
      .joined()
    }
    let new = texts.enumerated().map { number, text in
      DefaultSnapshot(
        persistentIdentifier: IdentifierScope(store: store.identifier, entity: "Film")
          .identifier(number: number + 1),
        layout: entity.layout,
        orderedValues: [.text(text)]
      )
    }
    _ = try store.commit(ChangeSet(inserted: new), author: nil)
    for pattern in Self.patterns {
      for options: TextMatch.Options in [
        [], .caseInsensitive, [.caseInsensitive, .diacriticInsensitive],
      ] {
        let match = TextMatch(.contains, pattern, options: options)
        let matcher = try TextMatcher(match)
        let expected = texts.indices.filter { matcher.matches(texts[$0]) }.map { $0 + 1 }
        let query = Query("Film", filter: .text("title", match))
        let found = try store.identifiers(matching: query).compactMap { Int($0.description) }
        #expect(found == expected, "\(pattern) \(options), seed \(seed)")
      }
    }
  }
}
