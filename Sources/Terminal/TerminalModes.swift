import CNcurses
import CTerminal
import CatalogApp
import Glibc

/// The modes that are switched on in addition to those of ncurses, and the sequences that restore the
/// terminal.
struct TerminalModes {
  private static let escape = "\u{1B}"

  /// Switches on bracketed paste and, if requested, clicks, dragging and the wheel.
  static func enter(useMouse: Bool) -> String {
    escape + "[?2004h" + (useMouse ? escape + "[?1002h" + escape + "[?1006h" : "")
  }

  /// Switches off what `enter` switched on.
  static func leave(useMouse: Bool) -> String {
    (useMouse ? escape + "[?1006l" + escape + "[?1002l" : "") + escape + "[?2004l"
  }

  /// Returns the bytes to send after a crash: all modes off, the cursor visible, the previous screen.
  static func restoreBytes(useMouse: Bool) -> [UInt8] {
    var bytes = Array(leave(useMouse: useMouse).utf8)
    for name in ["sgr0", "rmkx", "cnorm", "rmcup"] { bytes += capability(name) ?? [] }
    return bytes + [0x0D]
  }

  /// Returns a string of the terminal description, without the marks for delays.
  static func capability(_ name: String) -> [UInt8]? {
    guard let value = catalog_capability(name) else { return nil }
    var text = String(cString: value)
    while let start = text.range(of: "$<"), let end = text[start.upperBound...].firstIndex(of: ">")
    {
      text.removeSubrange(start.lowerBound...end)
    }
    return Array(text.utf8)
  }

  /// Returns the sequences that this terminal sends for its keys.
  static func keys() -> [(bytes: [UInt8], key: Key)] {
    var names: [(String, Key)] = [
      ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right), ("khome", .home),
      ("kend", .end), ("kpp", .pageUp), ("knp", .pageDown), ("kich1", Key(.insert)),
      ("kdch1", .delete), ("kcbt", .backTab), ("kent", .enter),
      ("kLFT", Key(.left, .shift)), ("kRIT", Key(.right, .shift)), ("kHOM", Key(.home, .shift)),
      ("kEND", Key(.end, .shift)), ("kDC", Key(.delete, .shift)),
    ]
    for number in 1...12 { names.append(("kf\(number)", .function(number))) }
    return names.compactMap { name, key in
      guard let bytes = capability(name), bytes.count > 1, bytes[0] == 0x1B else { return nil }
      return (bytes, key)
    }
  }
}

extension String {
  /// Finds `other`, byte by byte.
  fileprivate func range(of other: String) -> Range<String.Index>? {
    ranges(of: other).first
  }
}
