import OpenSwiftData

/// Finds the dialect of a file from its beginning.
struct DelimitedSniffer {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// The bytes that are looked at, unless the first record is longer.
  private static let sampleBytes = 1 << 16
  /// The records that are looked at.
  private static let sampleRecords = 200
  /// As many as JSON records may have different keys.
  static let columnLimit = 65_536

  private let hasTabs: Bool
  private var bytes: [UInt8]
  /// The length of a byte order mark, and of a first line `sep=;`, which belong to no record.
  private let skippedBytes: Int
  /// The delimiter in a first line `sep=;`; nil without such a line.
  private let namedDelimiter: UInt8?
  private let isWhole: Bool

  /// The dialect of a text in UTF-8.
  ///
  /// - Throws: `JSONDamage` for a header that cannot be read; what the source throws.
  static func dialect(of source: JSONSource, hasTabs: Bool) throws -> DelimitedDialect {
    var size = Self.sampleBytes
    while true {
      let sniffer = try DelimitedSniffer(source, hasTabs: hasTabs, sampleBytes: size)
      if let dialect = try sniffer.dialect() { return dialect }
      size *= 4
    }
  }

  private init(_ source: JSONSource, hasTabs: Bool, sampleBytes: Int) throws {
    self.hasTabs = hasTabs
    let sample = try source.bytes(in: 0..<min(sampleBytes, source.sizeBytes))
    isWhole = sample.count == source.sizeBytes
    let markBytes = sample.starts(with: Self.mark) ? Self.mark.count : 0
    let found = Self.namedDelimiter(in: sample[markBytes...])
    let named = hasTabs && found?.delimiter != 0x09 ? nil : found
    namedDelimiter = named?.delimiter
    skippedBytes = markBytes + (named?.lineBytes ?? 0)
    bytes = Array(sample[skippedBytes...])
  }

  /// The delimiter that a first line `sep=;` names for spreadsheet programs, and the length of the line.
  private static func namedDelimiter(in text: ArraySlice<UInt8>) -> (
    delimiter: UInt8, lineBytes: Int
  )? {
    let line = text.prefix(16).prefix { $0 != 0x0A && $0 != 0x0D }
    let quote = UInt8(ascii: "\"")
    let isQuoted = line.first == quote && line.last == quote && line.count > 2
    let words = isQuoted ? line.dropFirst().dropLast() : line
    guard words.count == 5, words.starts(with: "sep=".utf8), let delimiter = words.last,
      delimiter == 0x09 || (0x20...0x7E).contains(delimiter), delimiter != quote,
      !Character(Unicode.Scalar(delimiter)).isLetter, !(48...57).contains(delimiter),
      line.endIndex < text.endIndex
    else { return nil }
    let rest = text[line.endIndex...]
    let end = rest.starts(with: [0x0D, 0x0A]) ? 2 : 1
    return (delimiter, line.count + end)
  }

  /// The dialect; nil if the sample ends within the first record.
  private func dialect() throws -> DelimitedDialect? {
    var dialect = DelimitedDialect(hasTabs: hasTabs)
    dialect.dataStart = skippedBytes
    if bytes.isEmpty { return dialect }
    let hasFeed = bytes.contains(0x0A)
    dialect.syntax.returnEndsLine = !hasFeed && bytes.contains(0x0D)
    if hasTabs {
      dialect.prefersQuotes = hasQuotedFields(after: 0x09)
      // Other programs write quotes in TSV like any other character.
      if (try? sample(dialect.syntax)) == nil { dialect.removeQuotes() }
    } else {
      dialect.syntax.delimiter =
        namedDelimiter ?? delimiter(returnEndsLine: dialect.syntax.returnEndsLine)
    }
    let sample = try sample(dialect.syntax)
    guard let sample, let first = sample.first else {
      return isWhole ? dialect : nil
    }
    guard first.fields.count <= Self.columnLimit else {
      throw JSONDamage(
        offset: skippedBytes,
        message: "at most 65,536 columns are supported, found \(first.fields.count)"
      )
    }
    dialect.lineEnd = lineEnd(after: first.range.upperBound)
    takeValues(sample, &dialect)
    takeColumns(sample, &dialect)
    return dialect
  }

  // MARK: Syntax

  /// One record as written.
  private struct Row {
    let range: Range<Int>
    let fields: [Range<Int>]
  }

  /// The first records that are not empty lines; nil if the sample has no complete one.
  private func sample(_ syntax: DelimitedScanner.Syntax) throws -> [Row]? {
    var scanner = DelimitedScanner(syntax)
    return try bytes.withUnsafeBufferPointer { bytes in
      let found: DelimitedScanner.Found
      do {
        found = try scanner.records(in: bytes, isLast: isWhole)
      } catch let fault as DelimitedScanner.Fault {
        throw JSONDamage(offset: skippedBytes + fault.offset, message: fault.message)
      }
      if found.count == 0 { return nil }
      var rows: [Row] = []
      for place in 0..<found.count where rows.count < Self.sampleRecords {
        let record = found.record(place)
        if record.range.isEmpty { continue }
        rows.append(Row(range: record.range, fields: record.fields.map { found.field($0).range }))
      }
      return rows
    }
  }

  /// The delimiter that divides most records into the same number of fields, and then into the most.
  private func delimiter(returnEndsLine: Bool) -> UInt8 {
    var best: (delimiter: UInt8, share: Double, fields: Int) = (UInt8(ascii: ","), 0, 0)
    for delimiter in [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")] {
      let syntax = DelimitedScanner.Syntax(delimiter: delimiter, returnEndsLine: returnEndsLine)
      // A text that is damaged for every delimiter is reported when it is read.
      guard let rows = try? sample(syntax), let first = rows.first, first.fields.count > 1
      else { continue }
      let same = rows.filter { $0.fields.count == first.fields.count }.count
      let share = Double(same) / Double(rows.count)
      if (share, first.fields.count) > (best.share, best.fields) {
        best = (delimiter, share, first.fields.count)
      }
    }
    return best.delimiter
  }

  /// True if a field begins with a quote and is more than an empty text.
  private func hasQuotedFields(after delimiter: UInt8) -> Bool {
    let quote = UInt8(ascii: "\"")
    return bytes.indices.contains { place in
      guard bytes[place] == quote, place + 1 < bytes.count else { return false }
      let isFirst =
        place == 0 || [delimiter, 0x0A, 0x0D].contains(bytes[place - 1])
      guard isFirst else { return false }
      let isEmpty =
        bytes[place + 1] == quote
        && (place + 2 == bytes.count || [delimiter, 0x0A, 0x0D].contains(bytes[place + 2]))
      return !isEmpty
    }
  }

  private func lineEnd(after end: Int) -> [UInt8] {
    guard end < bytes.count, bytes[end] == 0x0D else { return [0x0A] }
    return end + 1 < bytes.count && bytes[end + 1] == 0x0A ? [0x0D, 0x0A] : [0x0D]
  }

  // MARK: Columns

  private func texts(of row: Row, _ dialect: DelimitedDialect) -> [String?] {
    bytes.withUnsafeBufferPointer { bytes in
      row.fields.map { dialect.text(of: UnsafeBufferPointer(rebasing: bytes[$0])) }
    }
  }

  private func takeValues(_ rows: [Row], _ dialect: inout DelimitedDialect) {
    let fields = rows.flatMap(\.fields).filter { !$0.isEmpty }
    dialect.quotesEverything =
      dialect.syntax.hasQuotes && !fields.isEmpty
      && fields.allSatisfy { bytes[$0.lowerBound] == UInt8(ascii: "\"") }
    for row in rows {
      for case let text? in texts(of: row, dialect) {
        switch text {
        case "true", "false": dialect.booleans = .lower
        case "True", "False": dialect.booleans = .title
        case "TRUE", "FALSE": dialect.booleans = .upper
        default: continue
        }
        return
      }
    }
  }

  private func takeColumns(_ rows: [Row], _ dialect: inout DelimitedDialect) {
    let first = rows[0]
    let names = texts(of: first, dialect)
    guard !names.contains(where: Self.isData) else {
      let count = min(rows.map(\.fields.count).max() ?? 0, Self.columnLimit)
      dialect.columns = (0..<count).map(DelimitedDialect.name(ofColumn:))
      return
    }
    dialect.header =
      (skippedBytes + first.range.lowerBound)..<(skippedBytes + first.range.upperBound)
    dialect.dataStart = skippedBytes + first.range.upperBound
    var taken: Set<String> = []
    var renamed: [String] = []
    for (place, name) in names.enumerated() {
      let wanted = name.flatMap { $0.isEmpty ? nil : $0 } ?? DelimitedDialect.name(ofColumn: place)
      var unique = wanted
      var number = 2
      while !taken.insert(unique).inserted {
        unique = "\(wanted)_\(number)"
        number += 1
      }
      if unique != wanted {
        renamed.append("\(Value.quoted(wanted)) is \(Value.quoted(unique)) here")
      }
      dialect.columns.append(unique)
    }
    let line =
      (namedDelimiter == nil ? 1 : 2) + bytes[..<first.range.lowerBound].count { $0 == 0x0A }
    if !renamed.isEmpty {
      let shown = renamed.prefix(3).joined(separator: ", ") + (renamed.count > 3 ? ", …" : "")
      dialect.notes.append("line \(line): duplicate column names: \(shown)")
    }
  }

  /// True for a value that names of columns do not have: a number that is not a year, a date, a boolean.
  private static func isData(_ text: String?) -> Bool {
    guard let text, let first = text.utf8.first else { return false }
    if ["true", "false"].contains(text.lowercased()) { return true }
    guard first == UInt8(ascii: "-") || (48...57).contains(first) else { return false }
    if let year = Int(text) { return !(1000...2999).contains(year) }
    return Double(text) != nil || CalendarDate(text) != nil
      || (text.utf8.count > 10 && CalendarDate(String(text.prefix(10))) != nil)
  }
}
