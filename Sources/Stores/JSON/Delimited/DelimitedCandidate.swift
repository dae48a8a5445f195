import OpenSwiftData

/// The beginning of a file as one delimiter divides it.
struct DelimitedCandidate {
  typealias Row = DelimitedSample.Row

  /// How the first line of the table is shorter than the others.
  enum Arrangement: Equatable {
    case plain
    /// It has no name for the first column.
    case rowNames
    /// The others end with a delimiter.
    case trailingDelimiter
    /// It lacks names.
    case ragged
  }

  /// In the order in which they win ties: what prose contains least comes first.
  static let delimiters: [UInt8] = [
    0x09, UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: ","),
  ]
  /// The lines before a table that are looked at.
  static let leadLimit = 30

  private(set) var syntax: DelimitedSyntax
  let fault: DelimitedScanner.Fault?
  /// The records of the table, that with the names first.
  private(set) var rows: [Row]
  private(set) var arrangement = Arrangement.plain
  private(set) var columnCount = 1
  /// True if lines before the table are no part of it.
  private(set) var skipsLines = false
  /// The share of records with the usual number of values, times that of clean values.
  private(set) var score = 0.0
  /// The share of records with the usual number of values.
  private(set) var share = 0.0
  /// True if the file has columns that the delimiter divides.
  private(set) var isValid = false
  let sample: DelimitedSample
  /// The usual number of values.
  private(set) var usual = 1

  init(_ sample: DelimitedSample, _ syntax: DelimitedSyntax) {
    self.sample = sample
    self.syntax = syntax
    (rows, fault) = sample.rows(syntax)
    guard !rows.isEmpty else { return }
    if sample.options.skippedLines == nil { skipTitlesBeforeEmptyLine() }
    let comments = commentCount
    usual = usualCount(after: comments)
    if comments > 0 { skipComments(comments) }
    let first = rows[0].width
    guard usual >= 2 || first >= 2 else { return }
    columnCount = usual
    if first != usual, !arrange() { return }
    if rows[0].width == usual, sample.options.skippedLines == nil { skipTitlesOfSpreadsheet() }
    takeBlanks()
    grade(firstWidth: first)
  }

  /// A file with one column; a quote that does not fit is a character then, unless the file was cut off in it.
  init(oneColumn sample: DelimitedSample, delimiter: UInt8?) {
    self.sample = sample
    syntax = sample.syntax(delimiter)
    var found = sample.rows(syntax)
    if found.fault.map({ $0.reason != .unclosedQuote }) ?? false, sample.options.quote == .automatic
    {
      syntax.quote = nil
      found = sample.rows(syntax)
    }
    (rows, fault) = found
    let comments = rows.prefix { sample.bytes[$0.range].starts(with: "# ".utf8) }.count
    if sample.options.comment == .automatic, comments > 0, comments < rows.count { skip(comments) }
    takeBlanks()
    // Empty lines of the only column are values.
    syntax.keepsBlankLines = (rows.first?.width ?? 1) == 1
    isValid = true
  }

  /// True if every record has as many values as the first one.
  var isRegular: Bool { share == 1 && rows[0].width == usual }

  // MARK: Where the table begins

  private mutating func skip(_ count: Int) {
    rows.removeFirst(count)
    skipsLines = true
  }

  /// Lines with one value before an empty line, after which all have more.
  private mutating func skipTitlesBeforeEmptyLine() {
    for place in 1..<max(1, min(rows.count - 1, Self.leadLimit)) {
      if rows[place - 1].width > 1 { return }
      guard rows[place].width >= 2, isGap(before: place),
        rows[place...].allSatisfy({ $0.width >= 2 })
      else { continue }
      return skip(place)
    }
  }

  /// Skips comments; the last one can be the line with the names.
  private mutating func skipComments(_ count: Int) {
    var skipped = count
    if rows[count - 1].width == usual, usual >= 2 {
      let body = Array(rows[count...])
      let votes = HeaderVotes(body[0].cells, body[1...])
      if !HeaderVotes.decide(body).hasNames || votes.forNames == 0 { skipped -= 1 }
    }
    rows.removeFirst(skipped)
    if skipped > 0 { skipsLines = true }
  }

  // MARK: A first line with another number of values

  /// Finds out why the first line has another number of values; false if nothing is a table.
  private mutating func arrange() -> Bool {
    if sample.options.skippedLines == nil, let start = plainHeader ?? regularData {
      skip(start)
      return true
    }
    let first = rows[0].width
    let others = rows[1...]
    if first == usual - 1,
      others.allSatisfy({ $0.width < usual || $0.cells.last?.text.isEmpty == true })
    {
      arrangement = .trailingDelimiter
      columnCount = first
      return true
    }
    if sample.options.header == .rowNames, first == usual - 1 {
      arrangement = .rowNames
      return true
    }
    let usualShare = others.count { $0.width == usual }
    if first == usual - 1, usualShare * 100 >= others.count * 95 {
      if sample.options.header == .automatic, hasRowNames {
        arrangement = .rowNames
        return true
      }
      if first < 2 { return false }
      arrangement = .ragged
      return true
    }
    return arrangeRagged(first, usualShare, others.count)
  }

  private mutating func arrangeRagged(_ first: Int, _ usualShare: Int, _ count: Int) -> Bool {
    if first > usual {
      columnCount = first
      return true
    }
    guard first >= 2 else { return false }
    // Delimiters alone at the ends of lines make no columns.
    let hasMore = rows[1...].contains { $0.cells.dropFirst(first).contains { !$0.text.isEmpty } }
    let haveMore =
      hasMore
      && (usualShare * 2 >= count && usual > first + 1 || usualShare == count && count > 1)
    columnCount = haveMore ? usual : first
    arrangement = .ragged
    return true
  }

  /// Leading records with at most one value that is not empty.
  private mutating func skipTitlesOfSpreadsheet() {
    guard usual >= 3 else { return }
    let limit = min(rows.count - 1, Self.leadLimit)
    let count = rows.prefix(limit).prefix { $0.width == usual && $0.filledCount <= 1 }.count
    guard count > 0, count < rows.count - 1, rows[count].filledCount * 10 >= usual * 6 else {
      return
    }
    skip(count)
  }

  // MARK: Score

  /// If every value after a delimiter begins with a blank, the blanks belong to the delimiters.
  private mutating func takeBlanks() {
    switch sample.options.blanks {
    case .keep: return
    case .trim: syntax.trims = true
    case .automatic: syntax.trims = syntax.delimiter != 0x20 && hasBlanksAfterDelimiters
    }
  }

  /// True if every value after a delimiter begins with a blank.
  var hasBlanksAfterDelimiters: Bool {
    let after = rows.lazy.flatMap { $0.cells.dropFirst() }.filter { !$0.range.isEmpty }
    return !after.isEmpty && after.allSatisfy(\.beginsWithBlank)
  }

  private mutating func grade(firstWidth: Int) {
    share = Double(rows.count { $0.width == usual }) / Double(rows.count)
    let cells = rows.flatMap(\.cells)
    score = share * Double(cells.count(where: isClean)) / Double(max(1, cells.count))
    if firstWidth > usual { score *= 0.9 }
    if fault != nil { score *= 0.95 }
    isValid = columnCount >= 2 && rows.count { $0.width >= 2 } * 2 >= rows.count
  }

  /// True for a value that is quoted, empty, of a kind, or text without another delimiter and without blanks around it.
  private func isClean(_ cell: DelimitedSample.Cell) -> Bool {
    if cell.isQuoted || cell.text.isEmpty { return true }
    let seen = cell.seen
    if seen.kind != nil { return true }
    let text = syntax.trims ? seen.bytes : cell.text
    if seen.bytes.count != text.count { return false }
    return !text.contains { byte in
      byte != syntax.delimiter && Self.delimiters.contains(byte)
    }
  }
}
