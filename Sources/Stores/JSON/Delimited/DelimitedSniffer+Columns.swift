import OpenSwiftData

extension DelimitedSniffer {
  /// Takes the names of the columns, or numbers them.
  ///
  /// - Throws: `JSONDamage` for an option that contradicts the file.
  mutating func takeColumns(_ best: DelimitedCandidate, _ dialect: inout DelimitedDialect)
    throws
  {
    let line = sample.line(of: dialect.start, best.syntax)
    if options.header == .rowNames, best.arrangement != .rowNames {
      throw JSONDamage(
        offset: dialect.start,
        message:
          "header=rownames, but line \(line) has not one name less than the others have values"
      )
    }
    guard hasNames(best, line) else {
      let count = min(best.rows.map(\.width).max() ?? 0, Self.columnLimit)
      dialect.columns = (0..<count).map(DelimitedDialect.name(ofColumn:))
      return
    }
    let first = best.rows[0]
    dialect.header = dialect.start..<(dialect.start + first.range.count)
    dialect.dataStart = dialect.start + first.range.count
    dialect.hasRowNames = best.arrangement == .rowNames
    dialect.hasTrailingDelimiter = best.arrangement == .trailingDelimiter
    let texts: [String?] = sample.bytes.withUnsafeBufferPointer { bytes in
      first.cells.map { dialect.text(of: UnsafeBufferPointer(rebasing: bytes[$0.range])) }
    }
    let names = (dialect.hasRowNames ? [nil] : []) + texts
    let count = max(best.columnCount, names.count)
    dialect.takeNames(names + Array(repeating: nil, count: count - names.count), line: line)
    noteArrangement(best, line, names.count, count)
  }

  private mutating func hasNames(_ best: DelimitedCandidate, _ line: Int) -> Bool {
    switch options.header {
    case .yes, .rowNames: return true
    case .no: return false
    case .automatic: break
    }
    if best.arrangement == .rowNames { return true }
    let decision = HeaderVotes.decide(best.rows)
    let count = best.rows.map(\.width).max() ?? 1
    let names =
      count == 1 ? "the column is named column1" : "columns are named column1 to column\(count)"
    switch (decision.hasNames, decision.isPlain) {
    case (true, true): break
    case (true, false):
      let text = "line \(line) was taken for names, nothing told it apart; --read header=no"
      remarks.append(.init(.header, text))
    case (false, false):
      let text = "line \(line) was taken for a record, though it could be a header: \(names)"
      remarks.append(.init(.header, text + "; --read header=yes"))
    case (false, true):
      let text = "no header line (line \(line) is like the others): \(names); --read header=yes"
      remarks.append(.init(.noheader, text))
    }
    return decision.hasNames
  }

  private mutating func noteArrangement(
    _ best: DelimitedCandidate,
    _ line: Int,
    _ nameCount: Int,
    _ count: Int
  ) {
    switch best.arrangement {
    case .rowNames where options.header == .automatic:
      remarks.append(
        .init(
          .rownames,
          "line \(line) has one name less than the others have values: the first column is named "
            + "column1 (row names)"
        )
      )
    case .ragged where count > nameCount:
      let names =
        count == nameCount + 1
        ? "the last column is named column\(count)"
        : "the last columns are named column\(nameCount + 1) to column\(count)"
      remarks.append(
        .init(.ragged, "line \(line) has fewer names than others have values: \(names)")
      )
    default: break
    }
  }
}
