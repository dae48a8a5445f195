/// The final filter for text that is printed to a terminal without a screen.
///
/// It makes every control or invisible character a visible symbol, regardless of where the text came
/// from. Only line ends and tabs keep their effect.
package enum TerminalText {
  /// Returns the text in a form that is safe for a terminal.
  ///
  /// Symbols from `DisplayText` stay unchanged. Consecutive texts are made safe one by one, so a part
  /// must end at the end of a line or of a character.
  /// - Complexity: O(n).
  package static func safe(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    while let end = scalars[start...].firstIndex(where: { $0 == "\n" || $0 == "\t" }) {
      var part = scalars[start..<end]
      // CSV ends its lines with both.
      let isReturn = scalars[end] == "\n" && part.last == "\r"
      if isReturn { part.removeLast() }
      result += DisplayText(String(part)).plain
      if isReturn { result += "\r" }
      result.unicodeScalars.append(scalars[end])
      start = scalars.index(after: end)
    }
    result += DisplayText(String(scalars[start...])).plain
    return result
  }
}
