/// What was decided on thin evidence, or is unlike other files, as a user should know it.
struct DelimitedRemark: Sendable, Equatable {
  /// The word for it.
  enum Word: String, Sendable, CaseIterable {
    case backslashes, delimiter, encoding, escape, escapes, header, noheader, quotes, ragged,
      returns, rownames, skipped

    /// True if it is about the line with the names of the columns.
    var isAboutHeader: Bool { self == .header || self == .noheader }
  }

  let word: Word
  /// One line.
  let text: String

  init(_ word: Word, _ text: String) { (self.word, self.text) = (word, text) }

  /// Backslashes before quotes.
  static func escape(_ quote: UInt8) -> DelimitedRemark {
    DelimitedRemark(.escape, "\\\(Unicode.Scalar(quote)) is read as a quote")
  }

  /// Quotes that do not match.
  static let unmatchedQuotes = DelimitedRemark(
    .quotes,
    "quotes are characters, because they do not match"
  )

  /// A delimiter as a user writes it.
  static func name(of delimiter: UInt8?) -> String {
    switch delimiter {
    case nil: "none"
    case 0x09: "tab"
    case 0x20: "space"
    case let byte?: String(Unicode.Scalar(byte))
    }
  }

  /// A delimiter as a sentence names it.
  static func words(for delimiter: UInt8?) -> String {
    switch delimiter {
    case nil: "nothing"
    case 0x09: "tabs"
    case 0x20: "single blanks"
    case let byte?: "\"\(Unicode.Scalar(byte))\""
    }
  }
}
