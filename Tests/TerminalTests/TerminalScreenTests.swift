import CTerminal
import CatalogApp
import DataStoreTesting
import Glibc
import Testing

@testable import Terminal

/// The screen on a pseudo-terminal whose other end belongs to the test.
@MainActor
@Suite(.serialized) struct TerminalScreenTests {
  private func open(
    _ pty: PseudoTerminal,
    type: String? = "xterm-256color",
    locale: String = "C.UTF-8",
    tmux: Bool = false
  ) throws -> TerminalScreen {
    try TerminalScreen(
      theme: .dark,
      useColor: true,
      environment: TerminalEnvironment(
        input: pty.terminal,
        output: pty.terminal,
        type: type,
        isInsideTmux: tmux,
        locale: locale
      )
    )
  }

  private func canvas(_ text: DisplayText, columns: Int = 40, rows: Int = 6) -> Canvas {
    var canvas = Canvas(size: Size(columns: columns, rows: rows))
    canvas.write(text, at: Point(x: 0, y: 0), role: .normal)
    return canvas
  }

  // Covers H13.
  @Test(arguments: [
    (nil, TerminalError.typeUnset), ("", .typeUnset), ("dumb", .tooLimited("dumb")),
  ])
  func terminalsThatCannotAreRefused(type: String?, error: TerminalError) throws {
    let pty = try #require(PseudoTerminal())
    let before = pty.modes
    #expect(throws: error) { try open(pty, type: type) }
    #expect(pty.modes.c_lflag == before.c_lflag)
    #expect(!error.description.contains("\n"))
  }

  // Covers I06.
  @Test func filesAreNoTerminals() {
    #expect(throws: TerminalError.notATerminal) {
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      defer { for end in ends { close(end) } }
      _ = try TerminalScreen(
        theme: .dark,
        useColor: true,
        environment: TerminalEnvironment(input: ends[0], output: ends[1], type: "xterm")
      )
    }
  }

  @Test func unknownTypesAreTakenForXtermWithANote() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty, type: "no-such-\u{1B}type")
    #expect(screen.note?.contains("unknown terminal type 'no-such-^[type'") == true)
    screen.close()
  }

  @Test func modesAreTakenAndGivenBack() throws {
    let pty = try #require(PseudoTerminal())
    let before = pty.modes
    let screen = try open(pty)
    #expect(screen.size == Size(columns: 40, rows: 6))
    #expect(pty.modes.c_iflag & tcflag_t(IXON) == 0)
    #expect(pty.modes.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
    #expect(pty.receives("\u{1B}[?2004h\u{1B}[?1002h\u{1B}[?1006h"))
    screen.close()
    screen.close()
    #expect(pty.receives("\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?2004l"))
    let after = pty.modes
    #expect(after.c_iflag == before.c_iflag)
    #expect(after.c_lflag == before.c_lflag)
    #expect(after.c_oflag == before.c_oflag)
  }

  @Test func onlyWhatChangedIsSent() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    screen.draw(canvas("hello world"))
    #expect(pty.receives("hello world"))
    _ = pty.drain()
    screen.draw(canvas("hello world"))
    #expect(pty.drain().isEmpty)
    screen.draw(canvas("hello worms"))
    let sent = String(decoding: pty.drain(), as: UTF8.self)
    #expect(sent.contains("ms") && !sent.contains("hello"))
    screen.invalidate()
    screen.draw(canvas("hello worms"))
    #expect(pty.receives("hello worms"))
  }

  // Covers H08.
  @Test(arguments: [
    ("漢字 e\u{301} 🇩🇪 x", "漢字 e\u{301} 🇩🇪 x"), ("क\u{93E}x", "क\u{93E}x"),
    ("می\u{200C}خواهم", "می\u{200C}خواهم"),
    // The C library gives this hexagram two cells, but the layout gives it one.
    ("a\u{4DC0}b", "a\u{FFFD}b"), ("한\u{1112}\u{1161}\u{11AB}", "한\u{1112}\u{1161}\u{11AB}"),
  ])
  func clustersArriveWhole(text: String, sent: String) throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    _ = pty.drain()
    screen.draw(canvas(DisplayText(text)))
    #expect(pty.receives(sent), "\(String(decoding: pty.received, as: UTF8.self).debugDescription)")
  }

  // Covers H14.
  @Test func withoutUTF8OnlyASCIIIsSent() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty, locale: "C")
    defer { screen.close() }
    _ = pty.drain()
    screen.draw(canvas("│ 漢字 é…"))
    let sent = pty.drain()
    #expect(sent.allSatisfy { $0 < 0x80 })
    #expect(String(decoding: sent, as: UTF8.self).contains("| ? ?  ?~"))
  }

  // Covers H01, H11.
  @Test func nothingDrawnCanDriveTheTerminal() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    _ = pty.drain()
    let seed = SeededGenerator.testSeed
    print("seed \(seed)")
    var state = seed
    for _ in 0..<400 {
      var canvas = Canvas(size: Size(columns: 40, rows: 6))
      for row in 0..<6 {
        var raw = "\u{1B}]0;x\u{7}\u{9B}2J"
        for _ in 0..<12 {
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let range: UInt64 = state >> 62 == 0 ? 0x11_0000 : 0x100
          if let scalar = Unicode.Scalar(UInt32(state >> 20 & 0xFFFF_FFFF) % UInt32(range)) {
            raw.unicodeScalars.append(scalar)
          }
        }
        let text = DisplayText(String(raw.unicodeScalars.suffix(12 + row)))
        canvas.write(text, at: Point(x: 0, y: row), role: .normal)
      }
      screen.draw(canvas)
      let sent = String(decoding: pty.drainNow(), as: UTF8.self)
      guard isHarmless(sent) else {
        Issue.record("seed \(seed): \(sent.debugDescription)")
        return
      }
    }
  }

  /// Only printable text and sequences that move, color or erase: CSI with a known final byte, or
  /// `ESC ( B`.
  private func isHarmless(_ text: String) -> Bool {
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\u{1B}" {
        let kind = rest.popFirst()
        if kind == "[" {
          rest = rest.drop { "?;0123456789".unicodeScalars.contains($0) }
          guard let end = rest.popFirst(), "HJKGdmhlXPABCDr".unicodeScalars.contains(end) else {
            return false
          }
        } else if kind == "(" {
          guard rest.popFirst() == "B" else { return false }
        } else {
          return false
        }
      } else if !"\r\n\u{8}".unicodeScalars.contains(scalar), !isVisible(scalar) {
        return false
      }
    }
    return true
  }

  private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value == 0x200C || scalar.value == 0x200D { return true }
    return !scalar.properties.isDefaultIgnorableCodePoint
      && ![.control, .privateUse, .unassigned].contains(scalar.properties.generalCategory)
  }

  @Test func keysArriveAsEvents() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    #expect(screen.nextEvent(timeoutMilliseconds: 0) == nil)
    pty.type("a\u{13}\u{3}\u{1B}OA\u{1B}[200~b\rc\u{1B}[201~")
    let expected: [InputEvent] = [
      .key(.character("a")), .key(.control("s")), .interrupt, .key(.up), .paste("b\nc"),
    ]
    for event in expected { #expect(screen.nextEvent(timeoutMilliseconds: 2000) == event) }
    pty.type("\u{1B}")
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .key(.escape))
  }

  @Test func signalsArriveAsEvents() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    kill(getpid(), SIGINT)
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .interrupt)
    kill(getpid(), SIGCONT)
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .resumed)
    // Last: any signal after it would end the process of the tests a second later.
    kill(getpid(), SIGTERM)
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .terminate(SIGTERM))
  }

  // Covers I09.
  @Test func stormOfSizesIsOneEvent() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    for (columns, rows) in [(1, 1), (0, 0), (10_000, 10_000), (1, 1), (9, 3)] as [(UInt16, UInt16)]
    {
      pty.resize(columns: columns, rows: rows)
      kill(getpid(), SIGWINCH)
      if columns == 9 { break }
      screen.updateSize()
      screen.draw(Canvas(size: Size(columns: 3, rows: 2)))
      _ = pty.drainNow()
    }
    #expect(
      screen.nextEvent(timeoutMilliseconds: 2000) == .resize(Size(columns: 9, rows: 3))
    )
    #expect(screen.nextEvent(timeoutMilliseconds: 0) == nil)
  }

  /// ncurses allocates every cell of the size that a terminal reports.
  ///
  /// Covers I09.
  @Test(arguments: [65_535, 10_000, 3_000] as [UInt16])
  func anAbsurdWindowIsDrawnInPart(side: UInt16) throws {
    let pty = try #require(PseudoTerminal(columns: side, rows: side))
    let screen = try open(pty)
    defer { screen.close() }
    #expect(screen.size == TerminalScreen.largest)
    screen.draw(canvas("hello"))
    #expect(pty.receives("hello"))
    pty.resize(columns: 50, rows: 7)
    kill(getpid(), SIGWINCH)
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .resize(Size(columns: 50, rows: 7)))
  }

  @Test func anotherProgramFindsTheTerminalAsItWas() throws {
    let pty = try #require(PseudoTerminal())
    let before = pty.modes
    let screen = try open(pty)
    defer { screen.close() }
    screen.draw(canvas("before"))
    let inside = screen.runOutside { pty.modes }
    #expect(inside.c_lflag == before.c_lflag)
    #expect(pty.modes.c_lflag & tcflag_t(ICANON) == 0)
    screen.draw(canvas("before"))
    #expect(pty.receives("before"))
  }

  @Test func clipboardGoesThroughTheTerminal() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty, tmux: true)
    defer { screen.close() }
    #expect(screen.copyToClipboard("foo"))
    #expect(pty.receives("\u{1B}]52;c;Zm9v\u{7}\u{1B}Ptmux;\u{1B}\u{1B}]52;c;Zm9v\u{7}\u{1B}\\"))
    #expect(!screen.copyToClipboard(String(repeating: "x", count: 2 << 20)))
  }

  // Covers I12.
  @Test func terminalThatIsGoneHangsUp() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    pty.hangUp()
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .hangup)
    #expect(screen.nextEvent(timeoutMilliseconds: nil) == .hangup)
    screen.close()
  }
}
