import DataStoreTesting
import Testing

@testable import CatalogApp

/// Text on the screen: how characters are shown, and how wide they are.
///
/// Covers H06, H11.
@Suite struct DisplayTextTests {
  @Test(arguments: [
    ("a message that is far too long, see :check", 24, "a message t…, see :check"),
    ("日本語日本語日本語日本語日本語", 17, "日本語日…語日本語"), ("short", 16, "short"), ("too long", 5, "too …"),
  ])
  func theMiddleOfALongMessageIsLeftOut(raw: String, limit: Int, text: String) {
    let shown = DisplayText(raw).shortened(to: limit)
    #expect(shown.plain == text)
    #expect(shown.width <= limit)
  }

  // Covers G14, H02, H03, H04, H05, H07.
  @Test(arguments: [
    // C0 and DEL are shown in caret form; line ends and tabs as symbols.
    ("a\u{0}b\u{1B}[31m\u{7}\u{7F}", "a^@b^[[31m^G^?"), ("\u{1F}\u{B}\u{C}\u{8}", "^_^K^L^H"),
    ("a\nb\rc\td\r\ne", "a↵b␍c→d␍↵e"),
    ("\u{1B}]0;title\u{7}", "^[]0;title^G"), ("\u{1B}]52;c;QQ==\u{1B}\\", "^[]52;c;QQ==^[\\"),
    // C1.
    ("\u{80}\u{9B}2J\u{9F}", "<U+0080><U+009B>2J<U+009F>"),
    // The twelve bidi controls are shown; the terminal arranges letters of right-to-left scripts.
    ("\u{61C}\u{200E}\u{200F}", "<U+061C><U+200E><U+200F>"),
    ("\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}", "<U+202A><U+202B><U+202C><U+202D><U+202E>"),
    ("\u{2066}\u{2067}\u{2068}\u{2069}", "<U+2066><U+2067><U+2068><U+2069>"),
    ("שלום", "שלום"),
    // Invisible characters.
    ("a\u{200B}b\u{2060}\u{2061}\u{2064}\u{FEFF}", "a<U+200B>b<U+2060><U+2061><U+2064><U+FEFF>"),
    ("soft\u{AD}hyphen", "soft<U+00AD>hyphen"), ("\u{E0001}\u{E0041}", "<U+E0001><U+E0041>"),
    ("\u{2028}\u{2029}", "<U+2028><U+2029>"),
    ("\u{3164}\u{115F}\u{FFA0}", "<U+3164><U+115F><U+FFA0>"),
    ("a\u{34F}", "a<U+034F>"), ("\u{206A}\u{FFF9}", "<U+206A><U+FFF9>"),
    // Variation selectors are dropped after a character that has the variation, and shown
    // elsewhere.
    ("❤\u{FE0F}!", "❤!"), ("1\u{FE0F}\u{20E3}", "1\u{20E3}"), ("漢\u{E0100}", "漢"),
    ("a\u{FE0F}", "a<U+FE0F>"), ("❤\u{FE0F}\u{FE0F}", "❤<U+FE0F>"), ("x\u{E0100}", "x<U+E0100>"),
    // Joiners are dropped between emoji, kept between joining letters, and shown elsewhere.
    ("👩\u{200D}🚀", "👩🚀"), ("👩🏽\u{200D}🚀", "👩🚀"), ("❤\u{FE0F}\u{200D}🔥", "❤🔥"),
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क\u{94D}\u{200D}ष", "क\u{94D}\u{200D}ष"),
    ("a\u{200D}b", "a<U+200D>b"), ("a\u{200C}b", "a<U+200C>b"), ("👩\u{200D}", "👩<U+200D>"),
    ("👩\u{200D}\u{200D}🚀", "👩<U+200D><U+200D>🚀"), ("می\u{200C}", "می<U+200C>"),
    // Skin tones are dropped after an emoji and shown alone.
    ("👍🏽", "👍"), ("🏽", "<U+1F3FD>"), ("👍🏽🏽", "👍<U+1F3FD>"),
    // A letter keeps at most four marks; a mark without a letter is drawn on a circle.
    ("e\u{301}", "e\u{301}"), ("\u{301}a", "◌\u{301}a"), ("\u{202E}\u{301}", "<U+202E>◌\u{301}"),
    ("a\u{300}\u{301}\u{302}\u{303}", "a\u{300}\u{301}\u{302}\u{303}"),
    ("a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}b", "a\u{300}\u{301}\u{302}\u{303}…b"),
    ("a" + String(repeating: "\u{301}", count: 1000) + "b", "a\u{301}\u{301}\u{301}\u{301}…b"),
    // Unassigned scalars, noncharacters and private use are shown as codes.
    ("\u{378}" + text(0xFFFE, 0xFDD0, 0x10FFFF), "<U+0378><U+FFFE><U+FDD0><U+10FFFF>"),
    (text(0xE000, 0xF8FF, 0xF0000), "<U+E000><U+F8FF><U+F0000>"),
    // Flags are kept; half a flag is shown as a code.
    ("🇩🇪", "🇩🇪"), ("🇩", "<U+1F1E9>"), ("🇩🇪🇫", "🇩🇪<U+1F1EB>"),
    // All other characters are unchanged.
    ("Ärger 漢字 😀 é ½ ﷽ ─│", "Ärger 漢字 😀 é ½ ﷽ ─│"), ("한글", "한글"),
    ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}"), ("\u{1161}", "<U+1161>"),
    ("हिन्दी", "हिन्दी"), ("", ""),
  ])
  func controlAndInvisibleCharactersAreShown(raw: String, shown: String) {
    #expect(scalars(DisplayText(raw).plain) == scalars(shown))
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("😀", 2), ("🇩🇪", 2), ("👩\u{200D}🚀", 4),
    ("ｶﾅ", 2), ("カナ", 4), ("…─│", 3), ("\u{1B}", 2), ("\n", 1), ("\u{9B}", 8), ("❤\u{FE0F}", 1),
    ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("क\u{93E}", 2), ("a\u{301}\u{301}", 1), ("１", 2),
  ])
  func widthIsThatOfTheTerminalsCells(raw: String, width: Int) {
    #expect(DisplayText(raw).width == width)
  }

  @Test(arguments: [
    ("hello", 5, "hello"), ("hello", 4, "hel…"), ("hello", 1, "…"), ("hello", 0, ""),
    ("hello", -3, ""), ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字 …"),
    ("漢字", 1, "…"), ("漢字", 2, " …"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ("🇩🇪🇫🇷", 3, "🇩🇪…"), ("🇩🇪🇫🇷", 2, " …"), ("ab\ncd", 3, "ab…"),
  ])
  func clippingNeverSplitsACluster(raw: String, limit: Int, shown: String) {
    let clipped = DisplayText(raw).clipped(to: limit)
    #expect(scalars(clipped.plain) == scalars(shown))
    #expect(clipped.width <= max(0, limit))
    #expect(DisplayText(raw, clippedTo: limit) == clipped)
  }

  @Test func paddingFillsOnTheOtherSide() {
    let text: DisplayText = "ab"
    #expect(text.padded(to: 5).plain == "ab   ")
    #expect(text.padded(to: 5, alignment: .right).plain == "   ab")
    #expect(text.padded(to: 5, alignment: .center).plain == " ab  ")
    #expect(text.padded(to: 1).plain == "ab")
    #expect(("漢" as DisplayText).fitted(to: 4).width == 4)
  }

  @Test func partsNeverMergeWhenJoined() {
    let parts = [
      "🇩", "🇪", "e", "\u{301}", "\u{1112}", "\u{1161}", "👩", "\u{200D}", "🚀", "❤", "\u{FE0F}",
    ]
    for left in parts {
      for right in parts {
        let joined = DisplayText(left) + DisplayText(right)
        #expect(
          joined.clusters.count == DisplayText(left).clusters.count
            + DisplayText(right).clusters.count
        )
        #expect(joined.width == joined.clusters.reduce(0) { $0 + $1.width })
      }
    }
  }

  @Test func interpolatedDataIsMadeVisible() {
    let name = "\u{1B}[2J"
    let text: DisplayText = "file \(name) not found"
    #expect(text.plain == "file ^[[2J not found")
  }

  @Test(arguments: [
    ("the quick brown fox", 10, ["the quick", "brown fox"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
    ("漢字漢字", 5, ["漢字", "漢字"]), ("a b", 10, ["a b"]), ("ab cd", 2, ["ab", "cd"]),
  ])
  func wrappingBreaksAtSpaces(raw: String, limit: Int, lines: [String]) {
    #expect(DisplayText(raw).wrapped(to: limit).map(\.plain) == lines)
  }

  @Test func droppingCellsKeepsColumns() {
    #expect(("hello" as DisplayText).dropping(2).plain == "llo")
    #expect(("漢字x" as DisplayText).dropping(1).plain == " 字x")
    #expect(("漢字x" as DisplayText).dropping(5).isEmpty)
  }

  /// Any text is drawn with visible scalars only, and has the stated width.
  @Test func anyTextIsSafeAndAsWideAsItSays() {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100_000 {
      let raw = random.text()
      let text = DisplayText(raw)
      let clusters = text.clusters
      let isSafe = text.plain.unicodeScalars.allSatisfy(isAllowed)
      let isMeasured = text.width == clusters.reduce(0) { $0 + $1.width }
      let isWhole = clusters.map(\.text).joined() == text.plain
      let limit = Int(random.next() % 12)
      let clipped = text.clipped(to: limit)
      let isClipped = clipped.width <= limit && DisplayText(raw, clippedTo: limit) == clipped
      let isStable = DisplayText(text.plain) == text || text.plain.contains("…")
      guard isSafe, isMeasured, isWhole, isClipped, isStable else {
        Issue.record("seed \(seed): \(raw.unicodeScalars.map { $0.value }) as \(text.plain)")
        return
      }
    }
  }

  private func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .unassigned, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator: false
    case .format:
      scalar.value == 0x200C || scalar.value == 0x200D || TextWidth.width(of: scalar) == 1
    default: !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }
}

/// Text of scalars that Swift does not allow in a literal.
private func text(_ values: UInt32...) -> String {
  String(String.UnicodeScalarView(values.compactMap(Unicode.Scalar.init)))
}

extension SeededGenerator {
  /// A short text with many difficult characters.
  mutating func text() -> String {
    var text = ""
    for _ in 0..<(next() % 12) { text.unicodeScalars.append(scalar()) }
    return text
  }

  private mutating func scalar() -> Unicode.Scalar {
    let hard: [Unicode.Scalar] = [
      "\u{200D}", "\u{200C}", "\u{FE0F}", "👩", "🚀", "🏽", "🇩", "\u{301}", "\u{94D}", "क", "\u{93E}",
      "ی", "漢", "\u{1112}", "\u{1161}", "\u{1B}", "\n", "\u{9B}", "\u{202E}", "\u{E0100}", "1",
      "\u{20E3}",
    ]
    switch next() % 4 {
    case 0: return Unicode.Scalar(UInt8(0x20 + next() % 0x5F))
    case 1, 2: return hard[Int(next() % UInt64(hard.count))]
    default: return Unicode.Scalar(UInt32(next() % 0x11_0000)) ?? "x"
    }
  }
}
