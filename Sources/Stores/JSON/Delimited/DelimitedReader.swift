import CSimdjson
import OpenSwiftData

/// What the records of a text told that its beginning may not have.
struct DelimitedEvidence: Sendable, Equatable {
  /// The records with fewer values than columns, and the offset of the first one.
  var shortCount = 0
  var firstShort = 0
  /// The records with more values than columns, and the offset of the first one.
  var longCount = 0
  var firstLong = 0
  /// The values with backslashes that stand for other characters.
  var escapedCount = 0
  /// True if a backslash stands for itself, as in `C:\temp`.
  var hasOtherBackslashes = false
  /// The offset of the first record with a line end in quotes; nil without one.
  var firstJoining: Int?
}

/// Reads the records of a file of separated values into the same batches as `JSONParser`.
///
/// A class, because `JSONParser` reads without being changed; belongs to one thread.
final class DelimitedReader {
  let dialect: DelimitedDialect
  private var scanner: DelimitedScanner
  private let cells: OpaquePointer
  private(set) var evidence = DelimitedEvidence()

  /// Prepares for one text; the last `batches` batches stay valid.
  init(_ dialect: DelimitedDialect, batches: Int) {
    self.dialect = dialect
    scanner = DelimitedScanner(dialect.syntax)
    guard let cells = catalog_csv_create(dialect.columns.count, dialect.options, batches)
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
    let start = min(max(0, dialect.start - offset), bytes.count)
    let found: DelimitedScanner.Found
    do {
      found = try scanner.records(in: bytes, from: start, isLast: isLast)
    } catch {
      throw JSONDamage(error, at: offset, dialect.syntax)
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
    takeEvidence(at: offset)
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

  private func takeEvidence(at offset: Int) {
    let found = catalog_csv_take_evidence(cells)
    evidence.shortCount = found.short_count
    evidence.longCount = found.long_count
    if found.is_short_new != 0 { evidence.firstShort = offset + found.first_short }
    if found.is_long_new != 0 { evidence.firstLong = offset + found.first_long }
    evidence.escapedCount = found.escaped_count
    evidence.hasOtherBackslashes = found.has_other_backslashes != 0
    if evidence.firstJoining == nil, scanner.joiningCount > 0 {
      evidence.firstJoining = offset + scanner.firstJoining
    }
  }
}

extension DelimitedDialect {
  fileprivate var options: catalog_csv_options {
    catalog_csv_options(
      quote: syntax.quote ?? 0,
      escape: syntax.escape ?? 0,
      unescapes_bare: syntax.unescapesBare ? 1 : 0,
      has_escapes: syntax.hasEscapes ? 1 : 0,
      trims: syntax.trims ? 1 : 0,
      has_trailing: hasTrailingDelimiter ? 1 : 0
    )
  }
}

extension JSONDamage {
  /// A fault of the separated values that begin at an offset.
  init(_ fault: DelimitedScanner.Fault, at offset: Int, _ syntax: DelimitedSyntax) {
    self.init(
      offset: offset + fault.offset,
      message: fault.message,
      code: fault.reason == .zeroByte ? .damaged : .quotes
    )
    lineEnd = syntax.lineEnd
    if fault.reason == .closedElsewhere { end = offset + fault.end }
  }
}
