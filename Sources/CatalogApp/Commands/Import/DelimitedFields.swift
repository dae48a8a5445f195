import OpenSwiftData

/// The fields of separated values one by one, without rows and cells of them.
///
/// Handles nothing unusual: a caller that meets something unusual reads the rows instead.
struct DelimitedFields {
  /// The names of the columns.
  let columns: [String]
  private let text: DelimitedText
  /// The offset of the first row.
  private let start: Int

  /// One field.
  struct Field {
    /// The field as written, without quotes.
    let content: UnsafeBufferPointer<UInt8>
    /// True if there is no value.
    let isMissing: Bool
    /// False if the content is not the text of the field, because something in it stands for other characters.
    let isPlain: Bool
    fileprivate let field: DelimitedScanner.Field
    fileprivate let base: Int
  }

  /// Nil for other formats, and for a heading that cannot be read.
  init?(_ source: ImportSource) {
    guard let text = source.delimited, source.values == nil else { return nil }
    var reader = DelimitedRows(text)
    // The error is reported when the rows are read.
    guard let columns = try? source.columns(&reader, text) else { return nil }
    self.columns = columns
    self.text = text
    start = reader.nextOffset
  }

  /// A row without values that stands for all rows, to find their fields.
  var row: ImportRow {
    ImportRow(line: 1, columns: columns, cells: columns.map { _ in .null })
  }

  /// The cell of a field.
  func cell(_ field: Field) -> ImportCell { text.cell(field.field, from: field.base) }

  /// Calls the body with each field and the index of its column, row by row.
  ///
  /// - Parameters:
  ///   - title: What the progress says.
  ///   - body: What is called; it returns false to end the reading.
  /// - Returns: The number of rows; nil if the body ended the reading, the text cannot be divided, or a row has
  ///   another number of fields than there are columns.
  /// - Throws: `Interruption.Stopped`, and the errors of the body.
  func forEachField(_ title: String, _ body: (Int, Field) throws -> Bool) throws -> Int? {
    let counter = WorkCounter(title, of: text.bytes.count, unit: .bytes)
    let count = try text.bytes.withUnsafeBufferPointer { bytes in
      var scanner = DelimitedScanner(text.syntax)
      var (base, size, count) = (start, Self.partBytes, 0)
      while base < bytes.count {
        let end = min(bytes.count, base + size)
        let part = UnsafeBufferPointer(rebasing: bytes[base..<end])
        // The fault is reported when the rows are read.
        guard let found = try? scanner.records(in: part, isLast: end == bytes.count),
          let rows = try forEachField(of: found, part, base, body)
        else { return Int?.none }
        count += rows
        // A record that is longer than the part.
        if found.consumed == 0 { size *= 2 }
        base += found.consumed
        try counter.advance(to: base)
      }
      return count
    }
    try counter.advance(to: text.bytes.count)
    return count
  }

  private static let partBytes = 1 << 17

  private func forEachField(
    of found: DelimitedScanner.Found,
    _ part: UnsafeBufferPointer<UInt8>,
    _ base: Int,
    _ body: (Int, Field) throws -> Bool
  ) throws -> Int? {
    var count = 0
    for place in 0..<found.count {
      let record = found.record(place)
      guard record.fields.count == columns.count else { return nil }
      for (column, index) in record.fields.enumerated() {
        guard try body(column, field(found.field(index), part, base)) else { return nil }
      }
      count += 1
    }
    return count
  }

  @inline(__always)
  private func field(
    _ field: DelimitedScanner.Field,
    _ part: UnsafeBufferPointer<UInt8>,
    _ base: Int
  ) -> Field {
    let whole = UnsafeBufferPointer(rebasing: part[field.range])
    let syntax = text.syntax
    let content = field.isQuoted ? syntax.content(of: whole) ?? whole : syntax.bare(whole)
    return Field(
      content: content,
      isMissing: !field.isQuoted && content.isEmpty,
      isPlain: field.isQuoted
        ? !field.hasDoubledQuotes : !syntax.hasEscapes && !syntax.unescapesBare,
      field: field,
      base: base
    )
  }
}
