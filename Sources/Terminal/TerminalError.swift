import CatalogApp

/// The reason why a terminal cannot show the screen; the message includes a remedy.
package enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Standard input or output is not a terminal.
  case notATerminal
  /// `TERM` is not set.
  case typeUnset
  /// The terminal, by its name, cannot place the cursor.
  case tooLimited(String)
  /// Neither the terminal's name nor `xterm-256color` is in the terminfo database.
  case unknownType(String)
  /// A system call failed with this error number.
  case system(Int32)

  /// A one-line message for the user.
  package var description: String {
    switch self {
    case .notATerminal:
      "standard input and output are not a terminal; use --script or --plain"
    case .typeUnset:
      "TERM is not set; set it to your terminal's name, such as xterm-256color, or use --plain"
    case .tooLimited(let name):
      "terminal type '\(Self.safe(name))' cannot show a screen; set TERM or use --plain"
    case .unknownType(let name):
      "unknown terminal type '\(Self.safe(name))'; set TERM to a known one or use --plain"
    case .system(let code):
      "cannot use the terminal (system error \(code)); use --plain"
    }
  }

  private static func safe(_ name: String) -> String {
    DisplayText(name, clippedTo: 40).plain
  }
}
