import OpenSwiftData

/// The text form of a theme.
///
/// A line gives a role its colors and attributes; `base` names the bundled theme that has the other
/// roles. A `#` at the beginning of a line, or between spaces, begins a comment:
///
/// ```
/// base dark
/// header #88c0d0 on 236 bold
/// cursor-row on blue
/// ```
package enum ThemeFile {
  /// Parses the text of a file.
  ///
  /// - Throws: `PlacedError` with the line, the column, what was expected and what was found.
  package static func theme(named name: String, parsing text: String) throws(PlacedError) -> Theme {
    var theme = Theme(name: name, basedOn: .dark)
    // A Windows line end is one character in Swift.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    var styled: Set<Role> = []
    for (index, line) in lines.enumerated() {
      do {
        try apply(words(of: line), to: &theme, &styled)
      } catch {
        throw PlacedError(error, line: index + 1)
      }
    }
    return theme
  }

  /// The name of a role in a file: `headerSorted` is `header-sorted`.
  package static func name(of role: Role) -> String {
    String(describing: role).reduce(into: "") { name, letter in
      name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
    }
  }

  private static let roles = Dictionary(
    uniqueKeysWithValues: Role.allCases.map { (name(of: $0), $0) }
  )

  /// A word of a line, with its column from 1.
  private struct Word {
    let text: String
    let column: Int
    /// The column after its end.
    var end: Int { column + text.count }
  }

  private static func words(of line: Substring) -> [Word] {
    var words: [Word] = []
    for word in line.split(whereSeparator: \.isWhitespace) {
      if word == "#" || words.isEmpty && word.hasPrefix("#") { break }
      let column = line.distance(from: line.startIndex, to: word.startIndex) + 1
      words.append(Word(text: String(word), column: column))
    }
    return words
  }

  private static func apply(
    _ words: [Word],
    to theme: inout Theme,
    _ styled: inout Set<Role>
  ) throws(CommandError) {
    guard let first = words.first else { return }
    if first.text == "base" {
      guard words.count == 2, let base = Theme.named(words[1].text) else {
        throw CommandError(
          "base: expected one of \(Theme.names.joined(separator: ", "))",
          column: words.count < 2 ? first.end : words[min(2, words.count - 1)].column
        )
      }
      guard styled.isEmpty else {
        throw CommandError("base: expected before the first role", column: first.column)
      }
      theme = Theme(name: theme.name, basedOn: base)
      return
    }
    guard let role = roles[first.text] else {
      let hint = Suggestion.nearest(to: first.text, among: roles.keys.sorted() + ["base"])
      throw CommandError(
        "expected base or a role, found \(Value.quoted(first.text)); "
          + (hint.map { "did you mean \"\($0)\"?" }
            ?? "roles: " + Role.allCases.map(name).joined(separator: ", ")),
        column: first.column
      )
    }
    guard styled.insert(role).inserted else {
      throw CommandError("duplicate \(first.text)", column: first.column)
    }
    do {
      theme[role] = try style(words.dropFirst(), after: first)
    } catch {
      throw CommandError("\(first.text): \(error.message)", column: error.column)
    }
  }

  // MARK: Styles

  private static let attributes: [(name: String, attribute: Attributes)] = [
    ("bold", .bold), ("dim", .dim), ("italic", .italic), ("underline", .underline),
    ("reverse", .reverse),
  ]

  private static func style(_ words: ArraySlice<Word>, after role: Word) throws(CommandError)
    -> Style
  {
    guard let last = words.last else {
      throw CommandError(
        "expected [COLOR] [on COLOR] [ATTRIBUTE …], found nothing",
        column: role.end
      )
    }
    var style = Style()
    var rest = words
    if let first = rest.first, first.text != "on",
      !attributes.contains(where: { $0.name == first.text })
    {
      style.foreground = try color(first)
      rest.removeFirst()
    }
    if rest.first?.text == "on" {
      guard let word = rest.dropFirst().first else {
        throw CommandError("expected a color after \"on\", found nothing", column: last.end)
      }
      style.background = try color(word)
      rest.removeFirst(2)
    }
    for word in rest {
      guard let known = attributes.first(where: { $0.name == word.text }) else {
        let expected = (style.background == .default ? ["on COLOR"] : []) + attributes.map(\.name)
        throw CommandError(
          "expected \(expected.joined(separator: ", ")), found \(Value.quoted(word.text))",
          column: word.column
        )
      }
      style.attributes.insert(known.attribute)
    }
    return style
  }

  private static let colorNames = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  private static func color(_ typed: Word) throws(CommandError) -> Color {
    let word = typed.text
    if word == "default" { return .default }
    if let index = colorNames.firstIndex(of: word) { return .indexed(UInt8(index)) }
    if word.hasPrefix("bright-"), let index = colorNames.firstIndex(of: String(word.dropFirst(7))) {
      return .indexed(UInt8(index + 8))
    }
    if let index = UInt8(word) { return .indexed(index) }
    let digits = word.dropFirst()
    if word.hasPrefix("#"), digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit),
      let number = UInt32(digits, radix: 16)
    {
      return .rgb(
        UInt8(number >> 16),
        UInt8(truncatingIfNeeded: number >> 8),
        UInt8(truncatingIfNeeded: number)
      )
    }
    throw CommandError(
      "expected a color (default, \(colorNames.joined(separator: ", ")), bright-red …, 0 to 255 "
        + "or #rrggbb), found \(Value.quoted(word))",
      column: typed.column
    )
  }
}
