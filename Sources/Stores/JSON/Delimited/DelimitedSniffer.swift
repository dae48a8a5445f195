import OpenSwiftData

/// Finds the dialect of a file from its beginning, by the rule of docs/format-csv.md.
struct DelimitedSniffer {
  /// As many as JSON records may have different keys.
  static let columnLimit = 65_536

  let sample: DelimitedSample
  var options: ReadingOptions { sample.options }
  var remarks: [DelimitedRemark] = []

  /// The dialect of a text in UTF-8.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - promised: The delimiter that the name of the file promises.
  ///   - options: What is not found out, but said.
  /// - Returns: The dialect, as the beginning tells it.
  /// - Throws: `JSONDamage` for too many columns, and for options that contradict the file; what the source throws.
  static func dialect(
    of source: JSONSource,
    promised: UInt8?,
    _ options: ReadingOptions = ReadingOptions()
  ) throws -> DelimitedDialect {
    var size = DelimitedSample.firstBytes
    while true {
      let sample = try DelimitedSample(source, promised: promised, options, sampleBytes: size)
      var sniffer = DelimitedSniffer(sample: sample)
      let isLast = sample.isWhole || size >= DelimitedSample.lastBytes
      if let dialect = try sniffer.dialect(isLast: isLast) { return dialect }
      size *= 4
    }
  }

  private init(sample: DelimitedSample) { self.sample = sample }

  /// The dialect; nil if the sample ends within the first record.
  private mutating func dialect(isLast: Bool) throws -> DelimitedDialect? {
    var dialect = DelimitedDialect(delimiter: sample.promised)
    dialect.start = sample.skippedBytes
    dialect.dataStart = sample.skippedBytes
    if sample.bytes.isEmpty { return isLast ? dialect : nil }
    if !isLast { try checkUnfinishedLine() }
    let candidates = self.candidates
    guard isLast || candidates.allSatisfy({ !$0.candidate.rows.isEmpty }) else { return nil }
    let best = choice(from: candidates)
    guard let first = best.rows.first else { return dialect }
    try checkWidth("\(first.width)", first.width)
    take(best, &dialect)
    try takeColumns(best, &dialect)
    takeValues(best, &dialect)
    dialect.remarks = remarks
    return dialect
  }

  private func checkWidth(_ words: String, _ width: Int) throws {
    guard width > Self.columnLimit else { return }
    throw JSONDamage(
      offset: sample.skippedBytes,
      message: "at most 65,536 columns are supported, found \(words)"
    )
  }

  /// Refuses a first line that is too wide before its end is looked for.
  private func checkUnfinishedLine() throws {
    let bytes = sample.bytes
    if bytes.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == UInt8(ascii: "\"") }) { return }
    for delimiter in DelimitedCandidate.delimiters {
      let width = bytes.count { $0 == delimiter } + 1
      try checkWidth("at least \(width)", width)
    }
  }

  // MARK: Delimiter

  private typealias Look = (candidate: DelimitedCandidate, remark: DelimitedRemark?)

  /// What each delimiter makes of the file.
  private var candidates: [Look] {
    switch options.delimiter {
    case .automatic:
      sample.named.map { [look($0)] } ?? DelimitedCandidate.delimiters.map(look)
    case .byte(let delimiter): [look(delimiter)]
    case .blanks:
      [(DelimitedCandidate(sample, joiningBlanks), nil)]
    case .none: [(DelimitedCandidate(oneColumn: sample, delimiter: nil), nil)]
    }
  }

  private var joiningBlanks: DelimitedSyntax {
    var syntax = sample.syntax(0x20)
    syntax.joinsDelimiters = true
    return syntax
  }

  /// The file with a delimiter; after a fault with backslashes before quotes, or with quotes as characters.
  private func look(_ delimiter: UInt8) -> Look {
    let syntax = sample.syntax(delimiter)
    let candidate = DelimitedCandidate(sample, syntax)
    guard candidate.fault != nil, let quote = syntax.quote else { return (candidate, nil) }
    if options.escape == .automatic, DelimitedDialect.hasEscapedQuotes(sample.bytes, quote) {
      var escaped = syntax
      escaped.escape = UInt8(ascii: "\\")
      let other = DelimitedCandidate(sample, escaped)
      if other.fault == nil, other.isValid { return (other, DelimitedRemark.escape(quote)) }
    }
    if delimiter == 0x09, options.quote == .automatic {
      var plain = syntax
      plain.quote = nil
      let other = DelimitedCandidate(sample, plain)
      if other.isValid { return (other, .unmatchedQuotes) }
    }
    return (candidate, nil)
  }

  /// The delimiter that divides best; without any the file has one column.
  private mutating func choice(from candidates: [Look]) -> DelimitedCandidate {
    if options.delimiter == .none { return candidates[0].candidate }
    let valid = candidates.filter(\.candidate.isValid)
    guard let best = best(of: valid) else {
      if options.delimiter == .automatic, let blanks = dividedByBlanks { return blanks }
      var delimiter = sample.named ?? (sample.promised == 0x09 ? 0x09 : nil)
      if case .byte(let byte) = options.delimiter { delimiter = byte }
      return DelimitedCandidate(oneColumn: sample, delimiter: delimiter)
    }
    if let remark = best.remark { remarks.append(remark) }
    return best.candidate
  }

  private mutating func best(of valid: [Look]) -> Look? {
    guard options.delimiter == .automatic, sample.named == nil else { return valid.first }
    if let promised = sample.promised, !valid.isEmpty {
      if let kept = valid.first(where: { $0.candidate.syntax.delimiter == promised }) {
        return kept
      }
    }
    // The sort is stable: ties keep the order of the candidates.
    let ranked = valid.enumerated().sorted { one, two in
      let (first, second) = (Self.rounded(one.element), Self.rounded(two.element))
      return first == second ? one.offset < two.offset : first > second
    }.map(\.element)
    guard let best = ranked.first else { return nil }
    let name = DelimitedRemark.words(for: best.candidate.syntax.delimiter)
    if let promised = sample.promised {
      let words = DelimitedRemark.words(for: promised)
      remarks.append(.init(.delimiter, "values are divided by \(name), not by \(words)"))
    } else if ranked.count > 1, ranked[1].candidate.score >= 0.8 * best.candidate.score {
      let other = ranked[1].candidate.syntax.delimiter
      remarks.append(
        .init(
          .delimiter,
          "values are divided by \(name); \(DelimitedRemark.words(for: other)) would also fit: "
            + "--read \"delimiter=\(DelimitedRemark.name(of: other))\""
        )
      )
    } else if best.candidate.score < 0.3 {
      remarks.append(
        .init(
          .delimiter,
          "values are divided by \(name), but few lines are alike: --read \"delimiter=none\""
        )
      )
    }
    return best
  }

  private static func rounded(_ look: Look) -> Int { Int((look.candidate.score * 100).rounded()) }

  /// The file divided by single blanks, if every line has as many values, half of them numbers.
  private var dividedByBlanks: DelimitedCandidate? {
    mutating get {
      guard sample.named == nil, sample.promised != 0x09 else { return nil }
      let candidate = DelimitedCandidate(sample, sample.syntax(0x20))
      guard candidate.isValid, candidate.rows.count >= 3, candidate.isRegular else { return nil }
      let cells = candidate.rows[1...].flatMap(\.cells)
      guard !cells.contains(where: { $0.text.isEmpty }),
        cells.count(where: { $0.seen.kind == .number }) * 2 >= cells.count
      else { return nil }
      remarks.append(
        .init(.delimiter, "values are divided by single blanks; --read \"delimiter=none\"")
      )
      return candidate
    }
  }

  // MARK: Dialect

  private mutating func take(_ best: DelimitedCandidate, _ dialect: inout DelimitedDialect) {
    dialect.syntax = best.syntax
    dialect.hasBlanksAfterDelimiters = best.syntax.trims && best.hasBlanksAfterDelimiters
    let isTabbed = sample.promised == 0x09 && best.syntax.delimiter == 0x09
    dialect.syntax.hasEscapes = options.escape == .automatic ? isTabbed : options.escape == .tsv
    dialect.syntax.unescapesBare = best.syntax.escape != nil && doublesBareEscapes(best)
    let hasQuotedCells = best.rows.contains { row in
      row.cells.contains { $0.isQuoted && !$0.text.isEmpty }
    }
    dialect.prefersQuotes = best.syntax.hasQuotes && (!dialect.syntax.hasEscapes || hasQuotedCells)
    let first = best.rows[0]
    dialect.start = sample.skippedBytes + first.range.lowerBound
    dialect.dataStart = dialect.start
    dialect.lineEnd = lineEnd(after: first.range.upperBound)
    noteReturns(best)
    guard best.skipsLines else { return }
    let last = sample.line(of: dialect.start, best.syntax) - 1
    let lines = last > 1 ? "lines 1 to \(last) are" : "line 1 is"
    remarks.append(
      .init(.skipped, "\(lines) not part of the table; \(last > 1 ? "they are" : "it is") kept")
    )
  }

  /// Tells that lines end with CR, CR, LF, of which the first one belongs to a value.
  private mutating func noteReturns(_ best: DelimitedCandidate) {
    let bytes = sample.bytes
    let doubled: [UInt8] = [0x0D, 0x0D, 0x0A]
    let isDoubled = best.rows.contains {
      $0.range.upperBound > 0 && bytes[($0.range.upperBound - 1)...].starts(with: doubled)
    }
    guard isDoubled else { return }
    remarks.append(
      .init(.returns, "lines end with CR CR LF; the first CR belongs to the last value")
    )
  }

  /// True if there are backslashes outside quotes, and all are doubled or stand before a quote.
  private func doublesBareEscapes(_ best: DelimitedCandidate) -> Bool {
    let escape = UInt8(ascii: "\\")
    let cells = best.rows.lazy.flatMap(\.cells).filter { !$0.isQuoted && $0.text.contains(escape) }
    return !cells.isEmpty
      && cells.allSatisfy { cell in
        var rest = cell.text
        while let place = rest.firstIndex(of: escape) {
          guard let next = rest[(place + 1)...].first, next == escape || next == best.syntax.quote
          else { return false }
          rest = rest[(place + 2)...]
        }
        return true
      }
  }

  private func lineEnd(after end: Int) -> [UInt8] {
    switch options.lineEnd {
    case .lf: return [0x0A]
    case .crlf: return [0x0D, 0x0A]
    case .cr: return [0x0D]
    case .automatic:
      guard end < sample.bytes.count, sample.bytes[end] == 0x0D else { return [0x0A] }
      return end + 1 < sample.bytes.count && sample.bytes[end + 1] == 0x0A ? [0x0D, 0x0A] : [0x0D]
    }
  }

  /// A number as it is usually written; nil for a text that is none if the file writes them in another way.
  private func usual(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard options.changesNumbers else { return text }
    return options.usual(String(decoding: text, as: UTF8.self)).map { Array($0.utf8)[...] }
  }

  private func takeValues(_ best: DelimitedCandidate, _ dialect: inout DelimitedDialect) {
    for (place, column) in dialect.columns.enumerated() {
      let texts = best.rows.lazy.compactMap { row in
        row.cells.indices.contains(place) ? usual(row.cells[place].seen.bytes) : nil
      }
      dialect.decimals[column] = DecimalPlaces(of: texts)
    }
    let cells = best.rows.lazy.flatMap(\.cells).filter { !$0.range.isEmpty }
    dialect.quotesEverything =
      dialect.syntax.hasQuotes && !cells.isEmpty && cells.allSatisfy(\.isQuoted)
    for cell in cells {
      switch String(decoding: cell.seen.bytes, as: UTF8.self) {
      case "true", "false": dialect.booleans = .lower
      case "True", "False": dialect.booleans = .title
      case "TRUE", "FALSE": dialect.booleans = .upper
      default: continue
      }
      return
    }
  }
}
