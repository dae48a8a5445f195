import CatalogApp
import Testing

@testable import Terminal

/// Querying the background of the terminal.
@MainActor
@Suite(.serialized) struct BackgroundTests {
  private func open(
    _ pty: PseudoTerminal,
    type: String = "xterm-256color",
    useColor: Bool = true,
    follows: Bool = true,
    tmux: Bool = false,
    screen: Bool = false
  ) throws -> TerminalScreen {
    try TerminalScreen(
      theme: .dark,
      useColor: useColor,
      followsBackground: follows,
      environment: TerminalEnvironment(
        input: pty.terminal,
        output: pty.terminal,
        type: type,
        isInsideTmux: tmux,
        isInsideScreen: screen,
        locale: "C.UTF-8"
      )
    )
  }

  private func keys(_ screen: TerminalScreen) -> [InputEvent] {
    var events: [InputEvent] = []
    while let event = screen.nextEvent(timeoutMilliseconds: 150) { events.append(event) }
    return events
  }

  @Test(arguments: [
    ("rgb:ffff/ffff/ffff\u{7}", "light"), ("rgb:fd/f6/e3\u{1B}\\", "light"),
    ("rgb:f/f/f\u{7}", "light"), ("rgb:fff/fff/fff\u{7}", "light"), ("#ffffff\u{7}", "light"),
    ("rgba:ffff/ffff/ffff/ffff\u{7}", "light"), ("rgb:0000/2b2b/3636\u{1B}\\", "dark"),
    ("rgb:zz/0/0\u{7}", "dark"), ("\u{7}", "dark"), ("rgb:ffff/ffff\u{7}", "dark"),
  ])
  func theThemeGoesByTheAnswer(answer: String, theme: String) throws {
    let pty = try #require(PseudoTerminal())
    pty.type("\u{1B}]11;\(answer)\u{1B}[?62;22c")
    let screen = try open(pty)
    defer { screen.close() }
    #expect(screen.theme.name == theme)
    #expect(!screen.owesAnswer, "it does not wait for more")
    #expect(keys(screen).isEmpty)
  }

  @Test func inputDuringWorkIsKept() throws {
    let pty = try #require(PseudoTerminal())
    pty.type("jj\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\x\u{1B}[?62;22c\u{1B}[B")
    let screen = try open(pty)
    defer { screen.close() }
    #expect(screen.theme == .light)
    let typed: [Key] = [.character("j"), .character("j"), .character("x"), .down]
    #expect(keys(screen) == typed.map { .key($0) })
  }

  /// The background is the terminal's where it is known and all colors are readable on it, and painted otherwise.
  @Test(arguments: [("rgb:0000/0000/0000", false), ("rgb:5858/6e6e/7575", true), (nil, true)])
  func theBackgroundIsPaintedIfTheTerminalsDoesNotDo(answer: String?, isPainted: Bool) throws {
    let pty = try #require(PseudoTerminal())
    if let answer { pty.type("\u{1B}]11;\(answer)\u{7}\u{1B}[?62;22c") }
    let screen = try open(pty, follows: answer != nil)
    defer { screen.close() }
    var canvas = Canvas(size: Size(columns: 40, rows: 6))
    canvas.write("hello", at: Point(x: 0, y: 0), role: .changed)
    screen.draw(canvas)
    #expect(pty.receives("hello"))
    let sent = String(decoding: pty.received, as: UTF8.self)
    #expect(sent.contains("48;5;233") == isPainted)
    #expect(sent.contains("38;5;215"))
  }

  @Test func aSilentTerminalHoldsUpNothing() throws {
    let pty = try #require(PseudoTerminal())
    let start = ContinuousClock.now
    let screen = try open(pty)
    #expect(ContinuousClock.now - start < .milliseconds(200))
    #expect(screen.theme == .dark)
    pty.type("\u{1B}")
    #expect(screen.nextEvent(timeoutMilliseconds: 2000) == .key(.escape))
    screen.close()
  }

  @Test func aLateAnswerChangesTheScreenAndIsNoKey() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    defer { screen.close() }
    var canvas = Canvas(size: Size(columns: 40, rows: 6))
    canvas.write("hello", at: Point(x: 0, y: 0), role: .status)
    screen.draw(canvas)
    #expect(pty.receives("hello"))
    // In parts, with pauses long enough for a lone Escape.
    for part in ["\u{1B}", "]11;rgb:ff", "ff/ffff/ffff\u{1B}", "\\\u{1B}[?6", "2c"] {
      pty.type(part)
      #expect(screen.nextEvent(timeoutMilliseconds: 40) == nil)
    }
    #expect(screen.theme == .light)
    #expect(pty.receives("hello"), "drawn again without a key")
  }

  @Test func theRestOfAnAnswerIsNoKeyHoweverSlow() {
    var decoder = InputDecoder()
    decoder.expectAnswers(until: 1500)
    #expect(decoder.feed("\u{1B}]11;rgb:ff".utf8, milliseconds: 10) == [])
    #expect(decoder.patienceMilliseconds == 1000)
    #expect(decoder.timeOut() == [])
    #expect(decoder.feed("ff/ffff/ffff\u{7}x".utf8, milliseconds: 1100) == [.key(.character("x"))])
    // Once no answer is outstanding, Escape and Alt are decoded quickly again.
    #expect(decoder.feed("\u{1B}]".utf8, milliseconds: 1600) == [])
    #expect(decoder.patienceMilliseconds == 20)
    #expect(decoder.timeOut() == [.key(.alt("]"))])
  }

  @Test func nothingIsAskedWhereNoAnswerCounts() throws {
    for (type, useColor, follows) in [
      ("xterm-256color", false, true), ("xterm-256color", true, false), ("linux", true, true),
      ("vt100", true, true),
    ] {
      let pty = try #require(PseudoTerminal())
      let screen = try open(pty, type: type, useColor: useColor, follows: follows)
      screen.close()
      let sent = String(decoding: pty.drain(), as: UTF8.self)
      #expect(!sent.contains("]11;?") && !sent.contains("\u{1B}[c"), "\(type)")
    }
  }

  @Test func multiplexersPassTheQuestionOn() throws {
    let query = "\u{1B}]11;?\u{7}"
    for (tmux, screen, envelope) in [
      (true, false, "\u{1B}Ptmux;\u{1B}\(query)\u{1B}\\"), (false, true, "\u{1B}P\(query)\u{1B}\\"),
    ] {
      let pty = try #require(PseudoTerminal())
      let opened = try open(pty, tmux: tmux, screen: screen)
      #expect(pty.receives(query + envelope + "\u{1B}[c"))
      opened.close()
    }
  }

  /// An answer that arrives after the end of the program would be typed into the shell.
  @Test func anAnswerThatIsOwedIsTakenBeforeTheEnd() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty)
    pty.type("\u{1B}]11;rgb:0/0/0\u{7}\u{1B}[?62c")
    screen.close()
    #expect(!screen.owesAnswer)
  }
}
