import OpenSwiftData
import SQL

/// Foreign keys of databases of other programs, before a save ends.
extension ForeignDatabase {
  /// A row that refers to one that does not exist.
  private struct BrokenReference {
    let table: TableDescription
    /// The number of the row; nil if its table has none.
    let row: Int64?
    let parent: String
    /// The columns with the reference.
    let columns: [String]
  }

  /// Refuses a save after which a record refers to one that does not exist.
  ///
  /// - Throws: `PersistenceError` that names the record and the field.
  func checkReferences(_ changes: ChangeSet) throws {
    guard connection.hasBrokenReference else { return }
    let written = changes.inserted + changes.updated.map(\.after)
    let touched = Set(
      (written + changes.deleted).compactMap { tables[$0.persistentIdentifier.entityName]?.name }
    )
    var candidates = try ordered.filter { $0.obstacle == nil }.flatMap(brokenReferences)
    candidates = candidates.filter {
      touched.contains($0.table.name) || touched.contains($0.parent)
    }
    for record in written {
      guard let table = tables[record.persistentIdentifier.entityName] else { continue }
      for reference in candidates where reference.table.name == table.name {
        if try isRow(reference.row, record.persistentIdentifier, table) {
          throw error(reference, record)
        }
      }
    }
    guard let reference = candidates.first else { return }
    throw error(reference, nil)
  }

  private func brokenReferences(_ table: TableDescription) throws -> [BrokenReference] {
    let found = try connection.rows(
      "SELECT rowid, parent, fkid FROM pragma_foreign_key_check(\(.text(table.name)))"
    )
    return found.prefix(1000).compactMap { row in
      guard case .text(let parent) = row[1] else { return nil }
      let columns = table.foreignKeys.first { $0.id == row[2] }?.columns ?? []
      var number: Int64?
      if case .integer(let value) = row[0] { number = value }
      return BrokenReference(table: table, row: number, parent: parent, columns: columns)
    }
  }

  /// True if a record is the row with this number; without a number, any record of the table may be.
  private func isRow(
    _ number: Int64?,
    _ identifier: PersistentIdentifier,
    _ table: TableDescription
  ) throws -> Bool {
    guard let number, let parts = table.key.parts(of: identifier) else { return number == nil }
    let sql: SQLText =
      "SELECT count(*) FROM \(table.source) WHERE rowid = \(.integer(number)) AND "
      + table.condition(forKey: parts)
    return try connection.number(sql) > 0
  }

  private func error(_ reference: BrokenReference, _ record: DefaultSnapshot?) -> PersistenceError {
    let slots = reference.columns.compactMap { name in
      reference.table.columns.firstIndex { ExactName(folding: $0.name) == ExactName(folding: name) }
    }
    let fields = slots.map { reference.table.columns[$0].field.name }.joined(separator: " and ")
    let place = "\(reference.table.entity.name).\(fields)"
    guard let record else {
      let row = reference.row.map { "row \($0)" } ?? "a row"
      return PersistenceError(
        .invalidValue,
        "\(place): \(row) refers to a record of \(reference.parent) that would no longer exist; "
          + "nothing was saved"
      )
    }
    let values = slots.map { Value.quoted(record.orderedValues[$0].text) }.joined(separator: ", ")
    return PersistenceError(
      .invalidValue,
      "\(place): \(values) is not a record of \(reference.parent) "
        + "(record \(record.persistentIdentifier)); nothing was saved"
    )
  }
}
