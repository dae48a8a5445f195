import Glibc

/// The parts of the process environment that a screen uses.
package struct TerminalEnvironment: Sendable {
  /// The descriptor that keys are read from.
  package var input: Int32
  /// The descriptor to draw on.
  package var output: Int32
  /// The name of the terminal, `TERM`; nil if it is not set.
  package var type: String?
  /// True if tmux runs between the program and the terminal.
  package var isInsideTmux: Bool
  /// True if GNU screen runs between the program and the terminal.
  package var isInsideScreen: Bool
  /// True if the terminal shows all colors of red, green and blue, as `COLORTERM` says.
  package var hasTrueColor: Bool
  /// The locale for the character set; empty takes it from `LC_ALL`, `LC_CTYPE` or `LANG`.
  package var locale: String

  /// Creates an environment, by default on standard input and output.
  package init(
    input: Int32 = 0,
    output: Int32 = 1,
    type: String?,
    isInsideTmux: Bool = false,
    isInsideScreen: Bool = false,
    hasTrueColor: Bool = false,
    locale: String = ""
  ) {
    self.input = input
    self.output = output
    self.type = type
    self.isInsideTmux = isInsideTmux
    self.isInsideScreen = isInsideScreen
    self.hasTrueColor = hasTrueColor
    self.locale = locale
  }

  /// The environment of the process.
  package static var process: TerminalEnvironment {
    let type = getenv("TERM").map { String(cString: $0) }
    let tmux = getenv("TMUX").map { String(cString: $0) } ?? ""
    let screen = getenv("STY").map { String(cString: $0) } ?? ""
    let color = getenv("COLORTERM").map { String(cString: $0) } ?? ""
    return TerminalEnvironment(
      type: type,
      isInsideTmux: !tmux.isEmpty,
      isInsideScreen: !screen.isEmpty,
      hasTrueColor: ["truecolor", "24bit"].contains(color)
    )
  }
}
