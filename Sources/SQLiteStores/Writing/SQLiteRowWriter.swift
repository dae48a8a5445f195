import CSQLite
import OpenSwiftData
import SQL

/// Inserts records into a table of our own with the same statement, without values of the database in between.
struct SQLiteRowWriter {
  private struct Text {
    let place: Int32
    let range: Range<Int>
  }

  private let table: TableDescription
  private let forms: [DirectForm]
  /// The texts of the records, one after the other; they are not copied before the rows are written.
  private var bytes: [UInt8] = []
  private var texts: [Text] = []

  init(_ table: TableDescription) {
    self.table = table
    forms = table.columns.map { DirectForm($0.form) }
  }

  /// Writes as many records as the statement has places for.
  ///
  /// - Returns: The number of rows that were written.
  /// - Throws: `SQLiteFailure`; `PersistenceError` with code `.invalidValue` for a value that the table cannot keep.
  mutating func write(
    _ records: ArraySlice<DefaultSnapshot>,
    _ run: SQLiteRepeatedRun
  ) throws -> Int {
    bytes.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    var place: Int32 = 1
    for record in records {
      try bind(record, from: place, run)
      place += Int32(forms.count + 1)
    }
    return try bytes.withUnsafeBufferPointer { bytes in
      for text in texts {
        try run.bind(UnsafeBufferPointer(rebasing: bytes[text.range]), text.place)
      }
      return try run.step()
    }
  }

  private mutating func bind(
    _ record: DefaultSnapshot,
    from start: Int32,
    _ run: SQLiteRepeatedRun
  ) throws {
    appendKey(record.persistentIdentifier, start)
    for slot in forms.indices {
      let place = start + Int32(slot + 1)
      switch (forms[slot], record.orderedValues[slot]) {
      case (_, .null): try run.bind(.null, place)
      case (.text, .text(let text)): append(text, place)
      case (.integer, .integer(let number)): try run.bind(number, place)
      case (.number, .number(let number)) where !number.isNaN: try run.bind(number, place)
      case (.boolean, .boolean(let isTrue)): try run.bind(Int64(isTrue ? 1 : 0), place)
      case (.moment, .datetime(let date)):
        let start = bytes.count
        if MomentStyle.append(own: date, to: &bytes) {
          texts.append(Text(place: place, range: start..<bytes.count))
        } else {
          try run.bind(table.stored(record, slot), place)
        }
      default: try run.bind(table.stored(record, slot), place)
      }
    }
  }

  private mutating func appendKey(_ identifier: PersistentIdentifier, _ place: Int32) {
    guard let key = identifier.recordKey else { return append(OwnKey.text(of: identifier), place) }
    let start = bytes.count
    key.appendSortableBytes(to: &bytes)
    texts.append(Text(place: place, range: start..<bytes.count))
  }

  private mutating func append(_ text: String, _ place: Int32) {
    var text = text
    let start = bytes.count
    text.withUTF8 { bytes.append(contentsOf: $0) }
    texts.append(Text(place: place, range: start..<bytes.count))
  }
}
