/// The last door before a terminal for what is printed without a screen.
///
/// Whatever was put together before, and from whatever: what a terminal would obey or hide comes out as
/// a visible stand-in. Only line ends and tabs do what they do.
package enum TerminalText {
  /// Returns the text as a terminal may get it.
  ///
  /// What `DisplayText` made visible stays as it is. Texts that follow each other are made safe one by
  /// one, so that a part must end where a line, or a character, does.
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
