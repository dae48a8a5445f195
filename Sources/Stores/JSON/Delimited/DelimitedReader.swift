import CSimdjson
import OpenSwiftData

/// Reads the records of a file of separated values into the same batches as `JSONParser`.
///
/// A class, because `JSONParser` reads without being changed; belongs to one thread.
final class DelimitedReader {
  /// Records with too few or too many fields.
  struct Ragged: Sendable, Equatable {
    var shortCount = 0
    var longCount = 0
    /// The offsets of the first ones.
    var firstShort = 0
    var firstLong = 0
  }

  let dialect: DelimitedDialect
  private var scanner: DelimitedScanner
  private let cells: OpaquePointer
  private(set) var ragged = Ragged()

  /// Prepares for one text; the last `batches` batches stay valid.
  init(_ dialect: DelimitedDialect, batches: Int) {
    self.dialect = dialect
    scanner = DelimitedScanner(dialect.syntax)
    guard
      let cells = catalog_csv_create(dialect.columns.count, dialect.hasEscapes ? 1 : 0, batches)
    else { preconditionFailure("Out of memory.") }
    self.cells = cells
    dialect.forms.prepare(cells, dialect.columns)
  }

  deinit { catalog_csv_destroy(cells) }

  /// The kinds of values seen in a column.
  func facts(_ column: Int) -> JSONFacts {
    JSONFacts(rawValue: catalog_csv_facts(cells, column))
  }

  /// How values are spelled, with what was seen in the columns so far.
  var forms: DelimitedForms {
    var forms = dialect.forms
    forms.take(cells, dialect.columns, facts)
    return forms
  }

  /// Reads the records of a window that begins at an offset of the file.
  ///
  /// - Throws: `JSONDamage` with the offset in the file.
  func read(_ window: UnsafeRawBufferPointer, at offset: Int, isLast: Bool) throws(JSONDamage)
    -> JSONParser.Batch
  {
    guard window.count < UInt32.max else {
      throw JSONDamage(offset: offset, message: "record of 256 MiB or more")
    }
    let bytes = window.assumingMemoryBound(to: UInt8.self)
    let found: DelimitedScanner.Found
    do {
      found = try scanner.records(in: bytes, isLast: isLast)
    } catch {
      throw JSONDamage(
        offset: offset + error.offset,
        message: error.message,
        code: error.reason == .zeroByte ? .damaged : .quotes
      )
    }
    let consumed = isLast ? bytes.count : found.consumed
    try checkEncoding(UnsafeBufferPointer(rebasing: bytes[..<consumed]), at: offset)
    var batch = catalog_json_batch()
    catalog_csv_read(
      cells,
      bytes.baseAddress,
      found.fieldWords.baseAddress,
      found.recordWords.baseAddress,
      found.count,
      max(0, dialect.dataStart - offset),
      &batch
    )
    takeRagged(at: offset)
    return JSONParser.Batch(
      items: UnsafeBufferPointer(start: batch.items, count: batch.item_count),
      cells: UnsafeBufferPointer(start: batch.cells, count: batch.cell_count),
      consumed: consumed
    )
  }

  private func checkEncoding(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int)
    throws(JSONDamage)
  {
    guard let base = bytes.baseAddress, catalog_utf8_is_valid(base, bytes.count) == 0 else {
      return
    }
    throw JSONDamage(
      offset: offset + catalog_utf8_first_invalid(base, bytes.count),
      message: "invalid UTF-8",
      code: .encoding
    )
  }

  private func takeRagged(at offset: Int) {
    let found = catalog_csv_take_ragged(cells)
    ragged.shortCount = found.short_count
    ragged.longCount = found.long_count
    if found.is_short_new != 0 { ragged.firstShort = offset + found.first_short }
    if found.is_long_new != 0 { ragged.firstLong = offset + found.first_long }
  }
}
