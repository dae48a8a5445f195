import OpenSwiftData

/// One record of a file of separated values.
struct DelimitedRow {
  /// The line where it begins, counted from 1.
  let line: Int
  let cells: [ImportCell]
  /// False for the last record of a text that ends without a line end.
  let hasEnd: Bool
}

/// Reads the records of a text of separated values one by one, with the scanner that the store of CSV files uses.
///
/// An empty field is a missing value, `""` is empty text.
struct DelimitedRows {
  /// One record as written.
  private struct Record {
    /// Without the line end, in the text.
    let range: Range<Int>
    let fields: [DelimitedScanner.Field]
    /// Where the fields count from.
    let base: Int
  }

  private static let partBytes = 1 << 16

  private let text: DelimitedText
  private var bytes: [UInt8] { text.bytes }
  private var records: [Record] = []
  private var place = 0
  /// The end of the scanned part.
  private var scanned: Int
  private var line: Int
  /// The number of bytes read so far.
  private(set) var position: Int

  /// Reads from the first record on.
  init(_ text: DelimitedText) {
    self.init(text, at: text.start)
    line = 1 + text.bytes[..<text.start].count { $0 == text.syntax.lineEnd }
  }

  /// Reads from the beginning of a record on; lines are counted from there.
  init(_ text: DelimitedText, at start: Int) {
    self.text = text
    (scanned, position, line) = (start, start, 1)
  }

  /// The next row; nil at the end.
  ///
  /// - Throws: `ImportError` with line and column.
  mutating func next() throws(ImportError) -> DelimitedRow? {
    if let record = try take() {
      advance(to: record.range.lowerBound)
      let start = line
      var cells: [ImportCell] = []
      cells.reserveCapacity(record.fields.count)
      for field in record.fields { cells.append(text.cell(field, from: record.base)) }
      advance(to: record.range.upperBound)
      return DelimitedRow(line: start, cells: cells, hasEnd: position < bytes.count)
    }
    return nil
  }

  /// Where the next row or an empty line before it begins.
  var nextOffset: Int { place < records.count ? records[place].range.lowerBound : scanned }

  /// The offset in bytes of a cell of the next row; nil if there is none.
  mutating func offset(ofCell cell: Int) -> Int? {
    // The row was read before without an error.
    guard let record = try? take(), cell < record.fields.count else { return nil }
    return record.base + record.fields[cell].range.lowerBound
  }

  /// Counts the lines up to an offset.
  private mutating func advance(to offset: Int) {
    let lineEnd = text.syntax.lineEnd
    line += bytes[position..<offset].count { $0 == lineEnd }
    position = offset
  }
}

// MARK: Scanning

extension DelimitedRows {
  /// The next record, which may be an empty line; nil at the end.
  private mutating func take() throws(ImportError) -> Record? {
    if place == records.count {
      records.removeAll(keepingCapacity: true)
      place = 0
      var size = Self.partBytes
      while records.isEmpty, scanned < bytes.count {
        try scan(size)
        size *= 2
      }
      if records.isEmpty { return nil }
    }
    defer { place += 1 }
    return records[place]
  }

  private mutating func scan(_ size: Int) throws(ImportError) {
    let end = min(bytes.count, scanned + size)
    let base = scanned
    var scanner = DelimitedScanner(text.syntax)
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(DelimitedScanner.Fault) in
        let part = UnsafeBufferPointer(rebasing: bytes[base..<end])
        let found = try scanner.records(in: part, isLast: end == bytes.count)
        for place in 0..<found.count {
          let record = found.record(place)
          records.append(
            Record(
              range: (base + record.range.lowerBound)..<(base + record.range.upperBound),
              fields: record.fields.map { found.field($0) },
              base: base
            )
          )
        }
        return found.consumed
      }
    }
    switch result {
    case .success(let consumed): scanned = base + consumed
    case .failure(let fault):
      throw ImportError(
        at: base + fault.offset,
        in: bytes,
        lineEnd: text.syntax.lineEnd,
        fault.message
      )
    }
  }
}

// MARK: Cells

extension DelimitedText {
  /// The cell of a field, whose range counts from the base.
  func cell(_ field: DelimitedScanner.Field, from base: Int) -> ImportCell {
    let range = (base + field.range.lowerBound)..<(base + field.range.upperBound)
    return bytes.withUnsafeBufferPointer { bytes in
      syntax.text(of: UnsafeBufferPointer(rebasing: bytes[range])).map { .text($0) } ?? .null
    }
  }
}

/// The rows of a file with fewer values than columns.
///
/// A class, because the copies of a source share it; belongs to one thread.
final class ShortRows {
  private(set) var count = 0
  private(set) var firstLine = 0
  /// The number of values such as NaN in a JSON file, when it was read last.
  var notANumberCount = 0

  /// Counts a row.
  func add(_ line: Int) {
    if count == 0 { firstLine = line }
    count += 1
  }
}
