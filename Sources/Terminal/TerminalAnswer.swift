import CatalogApp

/// The answer of a terminal to a query about itself.
enum TerminalAnswer: Hashable, Sendable {
  /// The background color.
  case background(Color)
  /// The type of the terminal: every terminal answers this query, and it answers earlier queries first.
  case attributes

  /// Reads a whole sequence; nil if it is not an answer to one of our queries.
  init?(_ sequence: ArraySlice<UInt8>) {
    guard sequence.count >= 4, sequence.count <= 80 else { return nil }
    var text = String(decoding: sequence, as: UTF8.self)[...]
    if text.hasPrefix("\u{1B}[?"), text.hasSuffix("c") {
      self = .attributes
      return
    }
    guard text.hasPrefix("\u{1B}]11;") else { return nil }
    text = text.dropFirst(5)
    for end in ["\u{7}", "\u{1B}\\", "\u{1B}"] where text.hasSuffix(end) {
      text = text.dropLast(end.count)
      break
    }
    guard let color = Self.color(text) else { return nil }
    self = .background(color)
  }

  /// Parses a color in the syntax of XParseColor: `rgb:R/G/B` or `#RGB`, each part of 4 to 16 bits.
  static func color(_ text: Substring) -> Color? {
    var parts: [Substring]
    if let hash = text.first, hash == "#" {
      let digits = text.dropFirst()
      guard digits.count % 3 == 0 else { return nil }
      let length = digits.count / 3
      parts = (0..<3).map { digits.dropFirst($0 * length).prefix(length) }
    } else {
      guard let colon = text.firstIndex(of: ":"), ["rgb", "rgba"].contains(text[..<colon]) else {
        return nil
      }
      parts = text[text.index(after: colon)...].split(
        separator: "/",
        omittingEmptySubsequences: false
      )
      if text[..<colon] == "rgba", parts.count == 4 { parts.removeLast() }
    }
    let levels = parts.compactMap(level)
    guard parts.count == 3, levels.count == 3 else { return nil }
    return .rgb(levels[0], levels[1], levels[2])
  }

  private static func level(_ digits: Substring) -> UInt8? {
    guard (1...4).contains(digits.count), digits.allSatisfy(\.isHexDigit),
      let value = Int(digits, radix: 16)
    else { return nil }
    let most = 1 << (4 * digits.count) - 1
    return UInt8((value * 255 + most / 2) / most)
  }
}
