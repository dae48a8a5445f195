extension ScreenFixture {
  /// The text of the three cells before the identifier and of the columns, row by row.
  func cells(_ count: Int) -> [String] {
    lines.dropFirst().prefix(count).map { line in
      String(line.prefix(3) + line.dropFirst(11)).trimmingSuffix(while: \.isWhitespace)
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> String {
    var result = Substring(self)
    while let last = result.last, condition(last) { result.removeLast() }
    return String(result)
  }
}
