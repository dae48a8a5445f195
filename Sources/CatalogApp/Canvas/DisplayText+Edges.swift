extension DisplayText {
  /// A text whose white space at the ends can be seen.
  struct Edged: Hashable, Sendable {
    /// The text with a dot in each cell of that white space.
    let text: DisplayText
    /// The numbers of dots at the beginning and at the end.
    let leading, trailing: Int
  }

  /// The text with a dot in each cell of white space at its ends; nil for most texts, which have none.
  ///
  /// A text that was cut has an end that is not shown.
  var edged: Edged? {
    guard Self.isSpace(plain.unicodeScalars.first) || Self.isSpace(plain.unicodeScalars.last) else {
      return nil
    }
    let start = plain.unicodeScalars.prefix(while: Self.isSpace)
    let rest = plain.unicodeScalars[start.endIndex...]
    let end = rest.reversed().prefix(while: Self.isSpace)
    let (leading, trailing) = (Self.width(of: start), Self.width(of: end))
    func dots(_ count: Int) -> String { String(repeating: "·", count: count) }
    let text = dots(leading) + String(rest.dropLast(end.count)) + dots(trailing)
    return Edged(text: DisplayText(plain: text, width: width), leading: leading, trailing: trailing)
  }

  private static func isSpace(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { $0 == " " || $0.value > 0x7F && $0.properties.isWhitespace } ?? false
  }

  private static func width(of scalars: some Sequence<Unicode.Scalar>) -> Int {
    scalars.reduce(0) { $0 + TextWidth.width(of: $1) }
  }
}
