/// Columns of files, which a condition names after `in`.
extension SyntaxScanner {
  /// Reads `FILE:COLUMN`: a text in quotes, a parameter, or what stands before the next white space or closing parenthesis.
  ///
  /// - Returns: The text and its place; nil at a list in parentheses, at the end and at a parameter that is null.
  /// - Throws: `SyntaxProblem` for a quote that is not closed and an unknown parameter.
  package mutating func fileColumn() throws(SyntaxProblem) -> (text: String, start: Int)? {
    guard skipSpace(), let first = byte(at: position), !"({".utf8.contains(first) else {
      return nil
    }
    let start = position
    switch try sharedToken() {
    case .text(let text), .parameter(_, let text?): return (text, start)
    case .parameter(_, nil): return nil
    default: position = start
    }
    while let byte = byte(at: position), !isSpace(at: position), byte != UInt8(ascii: ")") {
      position += 1
    }
    return position > start ? (text(start..<position), start) : nil
  }
}
