import OpenSwiftData

/// The beginning of a text of separated values, and what its name and the user say about it.
struct DelimitedSample {
  /// One value as written.
  struct Cell {
    /// Without quotes.
    let text: ArraySlice<UInt8>
    let isQuoted: Bool
    /// With quotes, in the sample.
    let range: Range<Int>
    let beginsWithBlank: Bool

    /// The text without blanks around it.
    var seen: SeenText { SeenText(text) }
  }

  /// One record as written.
  struct Row {
    let range: Range<Int>
    let cells: [Cell]

    var width: Int { cells.count }
    /// The number of values that are not empty.
    var filledCount: Int { cells.count { !$0.seen.bytes.isEmpty } }
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// The bytes that are looked at, unless the first record is longer.
  static let firstBytes = 1 << 16
  /// Longer first records are looked at in part.
  static let lastBytes = 1 << 26
  /// The records that are looked at.
  static let recordLimit = 200

  /// The delimiter that the name of the file promises.
  let promised: UInt8?
  let options: ReadingOptions
  /// The length of a byte order mark, of a line `sep=;`, and of lines to skip, which belong to no record.
  let skippedBytes: Int
  /// The delimiter in a first line `sep=;`; nil without such a line.
  let named: UInt8?
  /// The number of lines that were skipped because the user says so, without a line `sep=;`.
  let skippedLines: Int
  let bytes: [UInt8]
  let isWhole: Bool

  init(
    _ source: JSONSource,
    promised: UInt8?,
    _ options: ReadingOptions,
    sampleBytes: Int
  ) throws {
    self.promised = promised
    self.options = options
    let sample = try source.bytes(in: 0..<min(sampleBytes, source.sizeBytes))
    isWhole = sample.count == source.sizeBytes
    var start = sample.starts(with: Self.mark) ? Self.mark.count : 0
    let found = Self.namedDelimiter(in: sample[start...])
    let isNamed = found.map { promised != 0x09 || $0.delimiter == 0x09 } ?? false
    named = isNamed ? found?.delimiter : nil
    if isNamed { start += found?.lineBytes ?? 0 }
    // The line that names the delimiter is one of them.
    skippedLines = max(0, (options.skippedLines ?? 0) - (isNamed ? 1 : 0))
    start += Self.length(ofLines: skippedLines, in: sample[start...], options.lineEnd)
    skippedBytes = start
    bytes = Array(sample[start...])
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
    return (delimiter, line.count + Self.lineEnd(at: line.endIndex, in: text))
  }

  /// The length of lines, whatever they contain.
  private static func length(
    ofLines count: Int,
    in text: ArraySlice<UInt8>,
    _ lineEnd: ReadingOptions.LineEnd
  ) -> Int {
    var rest = text
    let returnsEnd = lineEnd == .cr || lineEnd == .automatic && !text.contains(0x0A)
    for _ in 0..<count {
      guard let end = rest.firstIndex(where: { $0 == 0x0A || returnsEnd && $0 == 0x0D }) else {
        return text.count
      }
      rest = rest[(end + Self.lineEnd(at: end, in: rest))...]
    }
    return text.count - rest.count
  }

  /// The length of the line end at a place.
  private static func lineEnd(at place: Int, in text: ArraySlice<UInt8>) -> Int {
    text[place...].starts(with: [0x0D, 0x0A]) ? 2 : 1
  }

  /// The number of lines before an offset of the file.
  func line(of offset: Int, _ syntax: DelimitedSyntax) -> Int {
    1 + (named == nil ? 0 : 1) + skippedLines
      + bytes[..<(offset - skippedBytes)].count { $0 == syntax.lineEnd }
  }

  // MARK: Dividing

  /// A delimiter with the line end that stands outside its quotes more often.
  func syntax(_ delimiter: UInt8?, quote: UInt8? = UInt8(ascii: "\"")) -> DelimitedSyntax {
    var syntax = DelimitedSyntax(delimiter: delimiter, quote: quote)
    switch options.quote {
    case .automatic: break
    case .byte(let byte): syntax.quote = byte
    case .none: syntax.quote = nil
    }
    switch options.lineEnd {
    case .automatic:
      let ends = bytes.withUnsafeBufferPointer {
        DelimitedSyntax.lineEnds(in: $0, delimiter: delimiter, quote: syntax.quote)
      }
      syntax.returnEndsLine = ends.returns > ends.feeds
    case .lf, .crlf: syntax.returnEndsLine = false
    case .cr: syntax.returnEndsLine = true
    }
    if options.escape == .backslash { syntax.escape = UInt8(ascii: "\\") }
    if case .prefix(let text) = options.comment { syntax.comment = Array(text.utf8) }
    return syntax
  }

  /// The first records that are no lines of blanks, and the first fault among them.
  ///
  /// After a fault the rest of the value is text, so that a delimiter is not dropped for it.
  func rows(_ syntax: DelimitedSyntax) -> (rows: [Row], fault: DelimitedScanner.Fault?) {
    var scanner = DelimitedScanner(syntax)
    return bytes.withUnsafeBufferPointer { buffer in
      var (found, fault) = scanner.lenientRecords(in: buffer, isLast: isWhole)
      var rows: [Row] = []
      for place in 0..<min(found.count, Self.recordLimit) {
        let record = found.record(place)
        let cells = record.fields.map { cell(found.field($0).range, buffer, syntax) }
        rows.append(Row(range: record.range, cells: cells))
      }
      if let offset = fault?.offset, let last = rows.last, offset > last.range.upperBound {
        fault = nil
      }
      return (rows, fault)
    }
  }

  private func cell(
    _ range: Range<Int>,
    _ buffer: UnsafeBufferPointer<UInt8>,
    _ syntax: DelimitedSyntax
  ) -> Cell {
    let field = UnsafeBufferPointer(rebasing: buffer[range])
    let beginsWithBlank = field.first == 0x20
    guard let content = syntax.content(of: field) else {
      return Cell(
        text: bytes[range],
        isQuoted: false,
        range: range,
        beginsWithBlank: beginsWithBlank
      )
    }
    let isPlain = !content.contains { $0 == syntax.quote || $0 == syntax.escape }
    let text = isPlain ? Array(content)[...] : Array((syntax.text(of: field) ?? "").utf8)[...]
    return Cell(text: text, isQuoted: true, range: range, beginsWithBlank: beginsWithBlank)
  }

  /// True if there is an empty line between two places.
  func hasEmptyLine(_ range: Range<Int>) -> Bool {
    var isAfterEnd = false
    for place in range {
      switch bytes[place] {
      case 0x0A, 0x0D:
        let isSame = bytes[place] == 0x0A && place > range.lowerBound && bytes[place - 1] == 0x0D
        if isAfterEnd, !isSame { return true }
        isAfterEnd = true
      case 0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"): continue
      default: isAfterEnd = false
      }
    }
    return false
  }
}
