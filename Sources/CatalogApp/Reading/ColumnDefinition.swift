import OpenSwiftData

/// A typed definition of a computed column: `NAME = EXPRESSION`, or an expression alone.
struct ColumnDefinition: Hashable, Sendable {
  /// Nil if only an expression was typed.
  let name: String?
  /// Without the white space around it; empty to remove the column.
  let expression: String
  /// Where the expression begins, in bytes.
  let start: Int

  /// Reads a typed text; a name with spaces or signs is in backticks or quotes.
  init(_ text: String) {
    let parts = Self.split(text[...])
    let rest = parts.rest.trimmingPrefix { $0.isWhitespace }
    name = parts.name.flatMap { $0.isEmpty ? nil : $0 }
    start = text.utf8.distance(from: text.startIndex, to: rest.startIndex)
    let end = rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) }
    expression = String(rest[..<(end ?? rest.startIndex)])
  }

  /// The name before a `=` or a `:=`, and what follows it.
  private static func split(_ text: Substring) -> (name: String?, rest: Substring) {
    let line = text.trimmingPrefix { $0.isWhitespace }
    guard let first = line.first else { return (nil, line) }
    var name = line.prefix { $0.isLetter || $0.isNumber || "_.-".contains($0) }
    var rest = line[name.endIndex...]
    if "`\"'".contains(first) {
      let inside = line.dropFirst()
      guard let end = inside.firstIndex(of: first) else { return (nil, line) }
      name = inside[..<end]
      rest = inside[inside.index(after: end)...]
    }
    rest = rest.trimmingPrefix { $0.isWhitespace }
    if rest.hasPrefix(":=") { rest = rest.dropFirst() }
    guard rest.first == "=", !rest.hasPrefix("==") else { return (nil, line) }
    return (String(name), rest.dropFirst())
  }

  /// The definition of a column as it is typed.
  static func text(_ name: String, _ expression: ColumnExpression) -> String {
    "\(FilterParser.spelled(name)) = \(expression.text)"
  }
}
