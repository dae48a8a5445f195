/// How a file of separated values is to be read, as far as somebody has said it; the rest is found out.
///
/// The options decide what a value is, never what untouched bytes look like.
package struct ReadingOptions: Sendable, Hashable {
  /// Whether the first line of the table holds the names of the columns.
  package enum Header: String, Sendable, CaseIterable {
    /// It is found out.
    case automatic = "auto"
    /// It does.
    case yes
    /// The columns are numbered.
    case no
    /// It does, except that of the first column, which names the rows.
    case rowNames = "rownames"
  }

  /// What divides the values of a line.
  package enum Delimiter: Sendable, Hashable {
    /// It is found out.
    case automatic
    /// One ASCII character.
    case byte(UInt8)
    /// One blank or more.
    case blanks
    /// Nothing: the file has one column.
    case none
  }

  /// What values are put in that contain the delimiter.
  package enum Quote: Sendable, Hashable {
    /// It is found out.
    case automatic
    /// Double or single quotation marks.
    case byte(UInt8)
    /// Nothing: quotation marks are characters.
    case none
  }

  /// What backslashes stand for.
  package enum Escape: Sendable, Hashable {
    /// It is found out.
    case automatic
    /// Themselves.
    case none
    /// The character behind them.
    case backslash
    /// With `t`, `n`, `r` and a second one, for tab, line end and backslash.
    case tsv
  }

  /// Which lines are kept, but are no records.
  package enum Comment: Sendable, Hashable {
    /// Those before the table that begin with `#`.
    case automatic
    /// None.
    case none
    /// All that begin with this text.
    case prefix(String)
  }

  /// What ends a line.
  package enum LineEnd: String, Sendable, CaseIterable {
    /// It is found out.
    case automatic = "auto"
    /// A line feed, a carriage return with a line feed, a carriage return.
    case lf, crlf, cr
  }

  /// How characters are stored.
  package enum Encoding: String, Sendable, CaseIterable {
    /// It is found out.
    case automatic = "auto"
    /// UTF-8.
    case utf8 = "utf-8"
    /// Windows-1252, which has the characters of Latin-1.
    case latin1
    /// UTF-16 with the low byte first.
    case utf16LittleEndian = "utf-16le"
    /// UTF-16 with the high byte first.
    case utf16BigEndian = "utf-16be"
  }

  /// How numbers are grouped.
  package enum Thousands: String, Sendable, CaseIterable {
    /// They are not.
    case none
    /// By a character between three digits and three.
    case point = ".", comma = ",", apostrophe = "'", space
  }

  /// In which order a date names day, month and year.
  package enum DateOrder: String, Sendable, CaseIterable {
    /// Year, month, day, with hyphens.
    case iso
    /// The order of the letters, with any mark between them.
    case dayMonthYear = "dmy", monthDayYear = "mdy", yearMonthDay = "ymd"
  }

  /// Whether blanks around a value belong to it.
  package enum Blanks: String, Sendable, CaseIterable {
    /// It is found out.
    case automatic = "auto"
    /// They do, or do not.
    case keep, trim
  }

  /// Whether there are names of columns.
  package var header = Header.automatic
  /// What divides values.
  package var delimiter = Delimiter.automatic
  /// What values are put in.
  package var quote = Quote.automatic
  /// What backslashes stand for.
  package var escape = Escape.automatic
  /// The number of lines before the table; nil finds it out.
  package var skippedLines: Int?
  /// Which lines are no records.
  package var comment = Comment.automatic
  /// What ends a line.
  package var lineEnd = LineEnd.automatic
  /// How characters are stored.
  package var encoding = Encoding.automatic
  /// The words that stand for a missing value.
  package var missing = MissingWords()
  /// True if a comma stands between a whole number and its decimals.
  package var hasDecimalComma = false
  /// How numbers are grouped.
  package var thousands = Thousands.none
  /// The order in dates.
  package var dates = DateOrder.iso
  /// Whether blanks belong to values.
  package var blanks = Blanks.automatic

  /// Finds everything out.
  package init() {}

  /// True if nothing was said.
  package var isAutomatic: Bool { self == ReadingOptions() }
}

/// The words that stand for a missing value.
package struct MissingWords: Sendable, Hashable {
  /// Those of all columns that have none of their own.
  package var everywhere: [String] = []
  /// Those of one column, by its name.
  package var byColumn: [String: [String]] = [:]

  /// Creates words; by default none.
  package init(_ everywhere: [String] = [], byColumn: [String: [String]] = [:]) {
    (self.everywhere, self.byColumn) = (everywhere, byColumn)
  }

  /// True if every text is a value.
  package var isEmpty: Bool { everywhere.isEmpty && byColumn.values.allSatisfy(\.isEmpty) }

  /// The words of a column.
  package func words(of column: String) -> [String] { byColumn[column] ?? everywhere }
}
