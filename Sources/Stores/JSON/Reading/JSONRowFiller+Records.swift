import CSimdjson
import OpenSwiftData

extension JSONRowFiller {
  /// A record that already exists, and its offset in the file.
  struct Duplicate: Error {
    let identifier: PersistentIdentifier
    let offset: Int
  }

  /// Appends records with their places in the file.
  ///
  /// - Throws: `JSONDamage`, `Duplicate`.
  func put(
    _ records: Records,
    to appender: inout RowAppender,
    _ section: inout JSONSection
  ) throws {
    for item in records.items where item.length >= Span.countLimit {
      // The records before it are checked first.
      return try putEach(records, to: &appender, &section)
    }
    let isDone = try putColumns(records, to: &appender) { record, appender in
      let (identifier, isGiven) = try key(of: record)
      let row: Int
      do {
        row = try appender.addRow(key: identifier)
      } catch {
        throw Duplicate(identifier: identifier, offset: record.offset)
      }
      section.add(record, row: row, hasIdentifier: isGiven)
      return row
    }
    if !isDone { try putEach(records, to: &appender, &section) }
  }

  private func putEach(
    _ records: Records,
    to appender: inout RowAppender,
    _ section: inout JSONSection
  ) throws {
    for place in 0..<records.items.count {
      let record = records[place]
      guard record.length < Span.countLimit else {
        throw JSONDamage(offset: record.offset, message: "record of 256 MiB or more")
      }
      do {
        let (row, hasIdentifier) = try put(record, to: &appender)
        section.add(record, row: row, hasIdentifier: hasIdentifier)
      } catch let error as DuplicateKey {
        throw Duplicate(identifier: error.identifier, offset: record.offset)
      }
    }
  }
}

extension JSONSection {
  fileprivate mutating func add(_ record: JSONRowFiller.Cells, row: Int, hasIdentifier: Bool) {
    assert(row == spans.count, "rows come in the order of the file")
    spans.append(Span(start: record.offset, count: record.length).packed)
    if !hasIdentifier { rowsWithoutIdentifier.insert(Int32(row)) }
  }
}

extension JSONRowFiller {
  /// The memory that all records of a section are expected to need, estimated from the first ones.
  struct Reservation {
    let rowCount: Int
    /// The bytes of all values, keys and places in the file.
    let byteCount: Int
    /// For each field the bytes of its texts.
    fileprivate let textBytes: [Int]

    /// Reserves more than that; the system provides memory only for what is used.
    ///
    /// A number within a text, such as that of the record, is longer in later records.
    func reserveTexts(in appender: inout RowAppender) {
      for (slot, bytes) in textBytes.enumerated() where bytes > 0 {
        appender.withColumn(slot) { $0.bytes.reserveCapacity(bytes / 4 * 5) }
      }
    }
  }

  /// Nil for a few records, which may be all.
  ///
  /// Growing arrays are copied several times and briefly need up to three times the memory.
  ///
  /// The estimate is at most one and a half times the size of the file: its beginning may differ from the rest.
  func reservation(for records: Records, sizeBytes: Int) -> Reservation? {
    guard let first = records.items.first, let last = records.items.last, records.items.count > 100
    else { return nil }
    let read = Int(last.offset + last.length) - Int(first.offset)
    let ratio = Double(sizeBytes - records.windowOffset - Int(first.offset)) / Double(max(1, read))
    func whole(_ count: Int) -> Int { Int(Double(count) * ratio * 17 / 16) }
    var textBytes = [Int](repeating: 0, count: entity.fields.count)
    for item in records.items {
      for cell in records.batch.cells[item.first_cell..<(item.first_cell + item.cell_count)] {
        let member = members[Int(cell.key)]
        if member.slot >= 0, member.kind.layout == .bytes { textBytes[member.slot] += cell.count }
      }
    }
    let rowCount = whole(records.items.count)
    let rowBytes = entity.fields.reduce(identifierKey == nil ? 16 : 24) {
      $0 + $1.type.kind.layout.rowBytes
    }
    let bytes = textBytes.map(whole)
    let byteCount = rowCount * rowBytes + bytes.reduce(0, +)
    let share = min(1, Double(sizeBytes) * 3 / 2 / Double(max(1, byteCount)))
    return Reservation(
      rowCount: Int(Double(rowCount) * share),
      byteCount: Int(Double(byteCount) * share),
      textBytes: bytes.map { Int(Double($0) * share) }
    )
  }
}

extension ValueKind.Layout {
  /// The bytes of a row in a column, without those of texts.
  fileprivate var rowBytes: Int {
    switch self {
    case .whole, .float, .bytes, .links: 8
    case .decimal: 9
    case .pair: 16
    case .days: 4
    case .flag: 0
    case .link: 24
    }
  }
}
