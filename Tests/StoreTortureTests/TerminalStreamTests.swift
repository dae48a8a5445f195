import FuzzTargets
import Testing

@Suite struct TerminalStreamTests {
  private func count(_ text: String) -> Int {
    var stream = TerminalStream()
    stream.read(text.utf8)
    return stream.forbiddenCount
  }

  @Test(
    arguments: [
      "plain \u{1B}[1;31mcolours\u{1B}(B\u{1B}[m",
      "\u{1B}[?1049h\u{1B}[22;0;0t\u{1B}[1;24r\r\n\u{8}",
      "é漢字 e\u{301} \u{1F600}", "\u{1B}7\u{1B}[5;6H\u{1B}8\u{1B}[K\u{1B}[2J",
    ]
  )
  func whatNcursesSendsPasses(text: String) {
    #expect(count(text) == 0)
  }

  @Test(
    arguments: [
      "\u{1B}[31337m", "\u{1B}]0;title\u{7}", "\u{1B}c", "\u{1B}[6n", "\u{1B}P+q\u{1B}\\", "\u{7}",
      "\u{0}",
      "\u{9B}31m", "\u{202E}", "\u{200B}", "\u{E0041}", "\u{2028}", "\u{7F}", "\u{E000}",
      "\u{FEFF}",
    ]
  )
  func rawTextIsFound(text: String) {
    #expect(count(text) > 0)
  }

  @Test func bytesThatAreNoTextAreFound() {
    for bytes: [UInt8] in [[0x9B, 0x33], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF]] {
      var stream = TerminalStream()
      stream.read(bytes)
      #expect(stream.forbiddenCount > 0)
    }
  }

  @Test func theSameSeedMakesTheSameTexts() {
    var first = RandomText(seed: 5)
    var second = RandomText(seed: 5)
    let texts = (0..<500).map { _ in first.next() }
    #expect(texts == (0..<500).map { _ in second.next() })
    #expect(texts.contains { $0.contains("\u{1B}") })
  }
}
