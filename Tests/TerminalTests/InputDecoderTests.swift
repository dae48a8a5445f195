import CatalogApp
import DataStoreTesting
import Testing

@testable import Terminal

/// Bytes of terminals, and the resulting events.
@Suite struct InputDecoderTests {
  @Test(arguments: [
    ("a", [Key.character("a")]), ("ä漢😀", [.character("ä"), .character("漢"), .character("😀")]),
    ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]),
    ("\u{8}", [.backspace]),
    ("\u{13}", [.control("s")]), ("\u{1A}", [.control("z")]), ("\0", [.control(" ")]),
    ("\u{1C}", [.control("\\")]),
    ("\u{1B}[A\u{1B}OB", [.up, .down]), ("\u{1B}[1;5C", [Key(.right, .control)]),
    ("\u{1B}[1;2D", [Key(.left, .shift)]), ("\u{1B}[1;3A", [Key(.up, .alt)]),
    ("\u{1B}[Z", [.backTab]),
    ("\u{1B}[H\u{1B}[F", [.home, .end]),
    ("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.home, .end, .home, .end]),
    ("\u{1B}[3~", [.delete]), ("\u{1B}[3;5~", [Key(.delete, .control)]),
    ("\u{1B}[2~", [Key(.insert)]),
    ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
    ("\u{1B}OP\u{1B}OS", [.function(1), .function(4)]),
    ("\u{1B}[15~\u{1B}[24~", [.function(5), .function(12)]), ("\u{1B}[[A", [.function(1)]),
    ("\u{1B}[1;2P", [Key(.function(1), .shift)]), ("\u{1B}OM", [.enter]),
    ("\u{1B}Oy", [.character("9")]),
    ("\u{1B}x", [.alt("x")]), ("\u{1B}\u{7F}", [Key(.backspace, .alt)]), ("\u{1B}ä", [.alt("ä")]),
    ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{1B}[97;5u", [.control("a")]),
    ("\u{1B}[27;5;13~", [Key(.enter, .control)]),
    // Unknown sequences are skipped, not typed.
    ("\u{1B}[99~x", [.character("x")]), ("\u{1B}[?62;4cx", [.character("x")]),
    ("\u{1B}[Ix", [.character("x")]),
    ("\u{1B}]11;rgb:0/0/0\u{7}x", [.character("x")]), ("\u{1B}P1$r\u{1B}\\x", [.character("x")]),
    ("\u{1B}[M !!x", [.character("x")]), ("\u{9B}x", [.character("x")]),
    ("\u{1B}[201~x", [.character("x")]),
  ])
  func bytesBecomeKeys(bytes: String, keys: [Key]) {
    var decoder = InputDecoder()
    let events = decoder.feed(bytes.utf8)
    #expect(events == keys.map { .key($0) })
    #expect(decoder.patienceMilliseconds == nil)
    // The same, a byte at a time.
    var slow = InputDecoder()
    let slowEvents = bytes.utf8.flatMap { slow.feed([$0]) }
    #expect(slowEvents == keys.map { .key($0) })
  }

  @Test func controlWithCInterrupts() {
    var decoder = InputDecoder()
    #expect(decoder.feed([3]) == [.interrupt])
  }

  @Test(arguments: [
    ("\u{1B}", [Key.escape]), ("\u{1B}[", [.alt("[")]), ("\u{1B}O", [.alt("O")]),
    ("\u{1B}]", [.alt("]")]),
    ("\u{1B}[1;", []), ("\u{1B}\u{1B}", [.escape]),
  ])
  func silenceEndsWhatHasBegun(bytes: String, keys: [Key]) {
    var decoder = InputDecoder()
    let before = decoder.feed(bytes.utf8)
    #expect(decoder.patienceMilliseconds == 20)
    let after = decoder.timeOut()
    #expect(after == keys.map { .key($0) })
    #expect(before.count == (bytes == "\u{1B}\u{1B}" ? 1 : 0))
    #expect(decoder.patienceMilliseconds == nil)
  }

  // Covers I13.
  @Test func pasteIsOneEventOfTextWhateverItHolds() {
    let bytes = "x\u{1B}[200~:q!\r\nrm \u{1B}[A\u{3}\u{1B}[20\ré\u{1B}[201~y"
    let expected: [InputEvent] = [
      .key(.character("x")), .paste(":q!\nrm \u{1B}[A\u{3}\u{1B}[20\né"), .key(.character("y")),
    ]
    var decoder = InputDecoder()
    let events = decoder.feed(bytes.utf8)
    #expect(events == expected)
    var slow = InputDecoder()
    let slowEvents = bytes.utf8.flatMap { slow.feed([$0]) }
    #expect(slowEvents == expected)
  }

  @Test func pasteWithoutAnEndIsDelivered() {
    var decoder = InputDecoder()
    #expect(decoder.feed("\u{1B}[200~lost".utf8).isEmpty)
    #expect(decoder.patienceMilliseconds == 2000)
    #expect(decoder.timeOut() == [.paste("lost")])
    #expect(decoder.feed("a".utf8) == [.key(.character("a"))])
  }

  @Test func mouseIsReadInCells() {
    var decoder = InputDecoder()
    let point = Point(x: 4, y: 9)
    let press = decoder.feed("\u{1B}[<0;5;10M\u{1B}[<0;5;10m".utf8, milliseconds: 1000)
    #expect(
      press == [
        .mouse(MouseEvent(kind: .press, point: point)),
        .mouse(MouseEvent(kind: .release, point: point)),
      ]
    )
    let second = decoder.feed("\u{1B}[<0;5;10M".utf8, milliseconds: 1300)
    #expect(second == [.mouse(MouseEvent(kind: .double, point: point))])
    let third = decoder.feed("\u{1B}[<0;5;10M".utf8, milliseconds: 1400)
    #expect(third == [.mouse(MouseEvent(kind: .press, point: point))])
    let wheel = decoder.feed("\u{1B}[<64;1;1M\u{1B}[<65;300;1M\u{1B}[<2;1;1M\u{1B}[<0;0;0M".utf8)
    #expect(
      wheel == [
        .mouse(MouseEvent(kind: .scrollUp, point: Point(x: 0, y: 0))),
        .mouse(MouseEvent(kind: .scrollDown, point: Point(x: 299, y: 0))),
        .mouse(MouseEvent(kind: .menu, point: Point(x: 0, y: 0))),
      ]
    )
  }

  @Test func terminalsOwnSequencesComeFirst() {
    var decoder = InputDecoder(terminalKeys: [(Array("\u{1B}[9~".utf8), .function(9))])
    #expect(decoder.feed("\u{1B}[9~".utf8) == [.key(.function(9))])
  }

  // Covers I14.
  @Test func anyBytesAreHarmless() {
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var state = seed
    var decoder = InputDecoder()
    let rich = Array("\u{1B}[O]P;<M0123~u^200ABmä漢\u{3}".utf8)
    for _ in 0..<200_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Int(state >> 33)
      let byte =
        number % 3 == 0 ? UInt8(truncatingIfNeeded: number >> 8) : rich[number % rich.count]
      _ = decoder.feed([byte])
      if number % 64 == 0 { _ = decoder.timeOut() }
    }
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
  ])
  func clipboardTextIsEncoded(text: String, encoded: String) {
    #expect(Base64.encode(text.utf8) == encoded)
  }
}
