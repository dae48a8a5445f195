import CSQLite
import Foundation
import OpenSwiftData
import SQL

/// Reads records in the rows of a statement: the columns of the key, then those of some fields.
struct SQLiteRowReader {
  private struct Field {
    let slot: Int
    let place: Int32
    let form: DirectForm
  }

  private let table: TableDescription
  private let layout: SnapshotLayout
  private let fields: [Field]
  private let isOwn: Bool

  init(_ table: TableDescription, _ slots: [Int], _ layout: SnapshotLayout) {
    (self.table, self.layout) = (table, layout)
    isOwn = table.key == .own
    fields = zip(slots, table.places(of: slots)).map { slot, place in
      Field(slot: slot, place: Int32(place), form: DirectForm(table.columns[slot].form))
    }
  }

  /// The identifier of the record; nil if the row has no valid key.
  func identifier(_ row: SQLiteRow) -> PersistentIdentifier? {
    if isOwn, let key = row.cell(0).withText({ RecordKey(sortableBytes: $0) }), let key {
      return table.scope.identifier(key: key)
    }
    return table.key.identifier(table.keyColumns.indices.map { row[$0] }, in: table.scope)
  }

  /// The record.
  ///
  /// - Throws: `MisfitValue`.
  func snapshot(_ row: SQLiteRow, _ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
    var values: [Value] = []
    values.reserveCapacity(fields.count)
    for field in fields {
      let cell = row.cell(field.place)
      values.append(try Self.value(cell, field.form) ?? value(cell, field.slot, identifier))
    }
    return DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: layout,
      orderedValues: values
    )
  }

  /// True if the row has exactly the values of a record.
  ///
  /// - Throws: `MisfitValue`.
  func holds(
    _ record: DefaultSnapshot,
    _ row: SQLiteRow,
    _ identifier: PersistentIdentifier
  ) throws -> Bool {
    guard record.layout == layout else { return false }
    for field in fields {
      let (cell, known) = (row.cell(field.place), record.orderedValues[field.slot])
      let isEqual: Bool
      if field.form == .text, cell.type == SQLITE_TEXT, case .text(let text) = known {
        isEqual = cell.withText { text.hasBytes($0) } ?? false
      } else {
        isEqual =
          try known == (Self.value(cell, field.form) ?? value(cell, field.slot, identifier))
      }
      if !isEqual { return false }
    }
    return true
  }

  /// The value of a field; nil if it needs a closer look.
  @inline(__always)
  private static func value(_ cell: SQLiteCell, _ form: DirectForm) -> Value? {
    let type = cell.type
    switch form {
    case .text where type == SQLITE_TEXT:
      return cell.withText { String(validUTF8: $0) }?.map { .text($0) }
    case .integer where type == SQLITE_INTEGER: return .integer(cell.integer)
    case .number where type == SQLITE_FLOAT: return .number(cell.number)
    case .boolean where type == SQLITE_INTEGER:
      let number = cell.integer
      return number == 0 || number == 1 ? .boolean(number == 1) : nil
    case .moment where type == SQLITE_TEXT:
      return cell.withText { MomentStyle.ownDate(ofWholeSeconds: $0) }?.map { .datetime($0) }
    default: return type == SQLITE_NULL ? .null : nil
    }
  }

  private func value(
    _ cell: SQLiteCell,
    _ slot: Int,
    _ identifier: PersistentIdentifier
  ) throws -> Value {
    let stored = cell.stored()
    if let value = table.columns[slot].form.value(of: stored) { return value }
    throw MisfitValue(table: table, slot: slot, value: stored, identifier: identifier)
  }
}

extension String {
  /// True if these are the bytes of the text.
  fileprivate func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var text = self
    return text.withUTF8 { $0.count == bytes.count && $0.elementsEqual(bytes) }
  }

  /// The text with these bytes; nil if they are not valid.
  init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    if TextFolding.isASCII(bytes) {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if the bytes are a text in UTF-8.
  var isValidText: Bool {
    TextFolding.isASCII(self) || (try? UTF8Span(validating: Span(_unsafeElements: self))) != nil
  }
}
