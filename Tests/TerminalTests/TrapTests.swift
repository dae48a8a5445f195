import CTerminal
import CatalogApp
import Foundation
import Glibc
import Testing

@testable import Terminal

/// A program that traps while its screen is open.
@Suite struct TrapTests {
  // Covers I10, I15.
  @Test func aTrapIsReportedOnTheFirstScreen() async throws {
    let pty = try #require(PseudoTerminal())
    let before = pty.modes
    let path = pty.path
    let result = await #expect(processExitsWith: .failure) { [path = path as String] in
      try TrappingProgram.open(path)
      write(2, "a library's note\n", 17)
      fatalError("boom \u{1B}]0;PWNED\u{7}\u{9B}2J")
    }
    let status = try #require(result).exitStatus
    #expect(status == .signal(SIGILL) || status == .signal(SIGTRAP))
    let sent = String(decoding: pty.drain(), as: UTF8.self)
    let place = try #require(sent.ranges(of: /\u{1B}\[\?1049l(\u{1B}\[[0-9;]*t)?/).last)
    let report = sent[place.upperBound...]
    #expect(report.contains("a library's note"))
    #expect(report.contains("Fatal error: boom ?]0;PWNED?"), "\(sent.debugDescription)")
    #expect(!report.contains("\u{1B}") && !report.contains("\u{9B}"))
    #expect(!sent[..<place.lowerBound].contains("note"), "nothing smears the screen")
    #expect(pty.modes.c_lflag == before.c_lflag && pty.modes.c_iflag == before.c_iflag)
  }

  @Test func anExitInTheMiddleRestoresToo() async throws {
    let pty = try #require(PseudoTerminal())
    let before = pty.modes
    let path = pty.path
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      try TrappingProgram.open(path)
      write(2, "last words\n", 11)
      exit(7)
    }
    let sent = String(decoding: pty.drain(), as: UTF8.self)
    let place = try #require(sent.ranges(of: "\u{1B}[?1049l").last)
    #expect(sent[place.upperBound...].contains("last words"))
    #expect(pty.modes.c_lflag == before.c_lflag)
  }

  // Covers I15.
  @Test func standardErrorIsItselfWhereTheScreenIsNot() async throws {
    let pty = try #require(PseudoTerminal())
    let path = pty.path
    await #expect(processExitsWith: .exitCode(0)) { [path = path as String] in
      let screen = try TrappingProgram.open(path)
      screen.runOutside { _ = write(2, "the editor's words\n", 19) }
      write(2, "held back\n", 10)
      screen.close()
      exit(0)
    }
    let sent = String(decoding: pty.drain(), as: UTF8.self)
    let words = try #require(sent.ranges(of: "the editor's words").first)
    let held = try #require(sent.ranges(of: "held back").first)
    let leaving = sent.ranges(of: "\u{1B}[?1049l")
    #expect(leaving.count == 2)
    #expect(leaving[0].upperBound <= words.lowerBound && words.upperBound <= leaving[1].lowerBound)
    #expect(leaving[1].upperBound <= held.lowerBound)
  }
}

/// The code that runs in the child of an exit test.
enum TrappingProgram {
  /// Opens the screen on a terminal that is input, output and standard error.
  @discardableResult
  static func open(_ path: String) throws -> TerminalScreen {
    let terminal = Glibc.open(path, O_RDWR | O_NOCTTY)
    for descriptor in 0...2 as ClosedRange<Int32> { dup2(terminal, descriptor) }
    let screen = try TerminalScreen(
      theme: .dark,
      useColor: true,
      environment: TerminalEnvironment(type: "xterm-256color", locale: "C.UTF-8")
    )
    var canvas = Canvas(size: screen.size)
    canvas.write("on the screen", at: Point(x: 0, y: 0), role: .normal)
    screen.draw(canvas)
    return screen
  }
}
