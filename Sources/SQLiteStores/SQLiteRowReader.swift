import CSQLite
import Foundation
import OpenSwiftData
import SQL

/// Reads records in the rows of a statement: the columns of the key, then those of some fields.
struct SQLiteRowReader {
  private struct Field {
    let slot: Int
    let place: Int32
    let direct: DirectForm
    let form: ColumnForm
  }

  private let table: TableDescription
  private let layout: SnapshotLayout
  private let fields: [Field]
  private let isOwn: Bool

  init(_ table: TableDescription, _ slots: [Int], _ layout: SnapshotLayout) {
    (self.table, self.layout) = (table, layout)
    isOwn = table.key == .own
    fields = zip(slots, table.places(of: slots)).map { slot, place in
      let form = table.columns[slot].form
      return Field(slot: slot, place: Int32(place), direct: DirectForm(form), form: form)
    }
  }

  /// The identifier of the record; nil if the row has no valid key.
  func identifier(_ row: SQLiteRow) -> PersistentIdentifier? {
    if isOwn, let key = row.withText(0, { RecordKey(sortableBytes: $0) }), let key {
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
      if let value = Self.value(row, field) {
        values.append(value)
        continue
      }
      let stored = row[Int(field.place)]
      guard let value = field.form.value(of: stored) else {
        throw MisfitValue(table: table, slot: field.slot, value: stored, identifier: identifier)
      }
      values.append(value)
    }
    return DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: layout,
      orderedValues: values
    )
  }

  /// The value of a field; nil if it needs a closer look.
  private static func value(_ row: SQLiteRow, _ field: Field) -> Value? {
    let type = row.type(field.place)
    switch field.direct {
    case .text where type == SQLITE_TEXT:
      return row.withText(field.place) { String(validUTF8: $0) }?.map { .text($0) }
    case .integer where type == SQLITE_INTEGER: return .integer(row.integer(field.place))
    case .number where type == SQLITE_FLOAT: return .number(row.number(field.place))
    case .boolean where type == SQLITE_INTEGER:
      let number = row.integer(field.place)
      return number == 0 || number == 1 ? .boolean(number == 1) : nil
    case .moment where type == SQLITE_TEXT:
      return row.withText(field.place) { MomentStyle.ownDate(ofWholeSeconds: $0) }?
        .map { .datetime($0) }
    default: return type == SQLITE_NULL ? .null : nil
    }
  }
}

extension String {
  /// The text with these bytes; nil if they are not valid.
  init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    if TextFolding.isASCII(bytes) {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}
