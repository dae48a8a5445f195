import OpenSwiftData
import SQL

/// Makes records of the rows of `TableDescription.selection(_:)`.
struct RowReader {
  private let table: TableDescription
  let layout: SnapshotLayout
  private let slots: [Int]
  private let places: [Int]

  init(_ table: TableDescription, _ slots: [Int], _ layout: SnapshotLayout) {
    (self.table, self.slots, self.layout) = (table, slots, layout)
    places = table.places(of: slots)
  }

  /// Checks that the columns have the types that were described.
  ///
  /// - Throws: `PostgresFailure` about the schema.
  func check(_ result: PostgresResult) throws {
    try Self.check(result, table)
    for (slot, place) in zip(slots, places) {
      if let type = table.columns[slot].server?.type {
        try Self.check(result.type(place), is: type)
      }
    }
  }

  /// Checks that the key has the types that were described.
  static func check(_ result: PostgresResult, _ table: TableDescription) throws {
    for (place, operand) in table.keyOperands.enumerated() {
      try check(result.type(place), is: operand.type)
    }
  }

  /// The type `varchar`, whose values are those of `text`.
  private static let varchar: UInt32 = 1043

  private static func check(_ number: UInt32, is type: ServerType) throws {
    if number == type.number || type == .text && number == varchar { return }
    throw PostgresFailure(state: "42P01", message: "a column has another type now")
  }

  /// The values of the key.
  ///
  /// - Throws: `MisfitColumn`.
  static func key(_ result: PostgresResult, _ row: Int, _ table: TableDescription) throws
    -> [SQLValue]
  {
    try table.keyOperands.enumerated().map { place, operand in
      guard let bytes = result.bytes(row, place) else { return .null }
      guard let stored = operand.type.stored(bytes) else {
        throw MisfitColumn(table: table, column: table.columns.first { $0.keyPart == place }?.name)
      }
      return stored
    }
  }

  /// The identifier of the record in a row.
  static func identifier(_ result: PostgresResult, _ row: Int, _ table: TableDescription) throws
    -> PersistentIdentifier
  {
    let parts = try key(result, row, table)
    guard let identifier = table.key.identifier(parts, in: table.scope) else {
      throw PersistenceError(.damaged, "\(table.name): a row without a key")
    }
    return identifier
  }

  /// The record in a row.
  ///
  /// - Throws: `MisfitColumn` if the form of a column has no room for a value.
  func snapshot(_ result: PostgresResult, _ row: Int) throws -> DefaultSnapshot {
    try snapshot(result, row, Self.identifier(result, row, table))
  }

  func snapshot(_ result: PostgresResult, _ row: Int, _ identifier: PersistentIdentifier) throws
    -> DefaultSnapshot
  {
    var values: [Value] = []
    values.reserveCapacity(slots.count)
    for (slot, place) in zip(slots, places) {
      let column = table.columns[slot]
      guard let bytes = result.bytes(row, place) else {
        values.append(.null)
        continue
      }
      guard let value = Self.value(bytes, column) else {
        throw MisfitColumn(table: table, column: column.name)
      }
      values.append(value)
    }
    return DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: layout,
      orderedValues: values
    )
  }

  /// The value of a cell; nil for one that the form of the column has no room for.
  static func value(_ bytes: UnsafeRawBufferPointer, _ column: ColumnDescription) -> Value? {
    guard let type = column.server?.type else { return nil }
    switch column.form {
    case .link:
      return type.stored(bytes).flatMap { column.form.value(of: $0) }
    case .json:
      let text = String(decoding: bytes, as: UTF8.self)
      return .json((try? JSONText.compact(text)) ?? text)
    default: return type.value(bytes)
    }
  }
}

/// A column has a value that the form of its type has no room for: then its texts are shown.
struct MisfitColumn: Error {
  let table: TableDescription
  /// Nil if the value is not that of a column.
  let column: String?

  /// The error of a command that has already passed on records with another type.
  var error: PersistenceError {
    guard let column else { return table.entity.changedError }
    return PersistenceError(
      .conflict,
      "\(table.entity.name): \(column) has a value that its type has no room for, such as infinity; its texts are "
        + "shown from now on; try again, in a script after \"check\""
    )
  }
}
