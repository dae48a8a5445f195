import CatalogApp
import Glibc
import Testing

@testable import Terminal

/// Colors and settings of the screen on a pseudo-terminal.
@MainActor
@Suite(.serialized) struct TerminalSettingTests {
  private func open(_ pty: PseudoTerminal, _ theme: Theme, trueColor: Bool) throws -> TerminalScreen
  {
    try TerminalScreen(
      theme: theme,
      useColor: true,
      environment: TerminalEnvironment(
        input: pty.terminal,
        output: pty.terminal,
        type: "xterm-256color",
        hasTrueColor: trueColor,
        locale: "C.UTF-8"
      )
    )
  }

  private func canvas() -> Canvas {
    var canvas = Canvas(size: Size(columns: 40, rows: 6))
    canvas.write("title", at: Point(x: 0, y: 0), role: .header)
    return canvas
  }

  private var colored: Theme {
    var theme = Theme(name: "mine", basedOn: .dark)
    theme[.header] = Style(foreground: .rgb(0x88, 0xC0, 0xD0), background: .rgb(1, 2, 3))
    return theme
  }

  private nonisolated static let hasDirectColor = ["/usr/share", "/lib", "/etc"].contains {
    access("\($0)/terminfo/x/xterm-direct", R_OK) == 0
  }

  @Test(.enabled(if: hasDirectColor, "the terminal descriptions lack xterm-direct"))
  func trueColorIsExactWhereTheTerminalHasIt() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty, colored, trueColor: true)
    screen.draw(canvas())
    #expect(pty.receives(":136:192:208m"))
    screen.close()
  }

  @Test func trueColorIsTheNearestOf256Elsewhere() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty, colored, trueColor: false)
    screen.draw(canvas())
    #expect(pty.receives("38;5;110"))
    screen.close()
  }

  @Test func settingsChangeTheNextPicture() throws {
    let pty = try #require(PseudoTerminal())
    let screen = try open(pty, .dark, trueColor: false)
    screen.draw(canvas())
    #expect(pty.receives("38;5;248"))
    screen.use(.theme(.light))
    screen.draw(canvas())
    #expect(pty.receives("38;5;240"))
    screen.use(.mouse(false))
    #expect(pty.receives("\u{1B}[?1006l\u{1B}[?1002l"))
    screen.use(.color(false))
    screen.draw(canvas())
    #expect(pty.receives("title"))
    #expect(!pty.received.contains(UInt8(ascii: "8")))
    screen.close()
    #expect(!String(decoding: pty.drain(), as: UTF8.self).contains("?1006l"))
  }
}
