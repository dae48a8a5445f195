import OpenSwiftData
import SQL

/// The parts of the keys of new records that the server makes, by the defaults of their columns.
///
/// They are asked for before the records are written, because other records of the save may link to them.
struct GeneratedKeys {
  private struct Column {
    let table: TableDescription
    let slot: Int
    /// The places of the records.
    let places: [Int]
  }

  private let columns: [Column]

  init(_ changes: ChangeSet, _ tables: [String: TableDescription]) {
    var columns: [Column] = []
    let places = changes.inserted.indices.filter {
      changes.inserted[$0].persistentIdentifier.isTemporary
    }
    let groups = Dictionary(grouping: places) {
      changes.inserted[$0].persistentIdentifier.entityName
    }
    for (name, places) in groups.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[name] else { continue }
      for slot in table.keyPlaces where table.columns[slot].generator != nil {
        let open = places.filter { changes.inserted[$0].orderedValues[slot].isNull }
        if !open.isEmpty { columns.append(Column(table: table, slot: slot, places: open)) }
      }
    }
    self.columns = columns
  }

  /// The statements: two for each column, of which the second one has the values.
  var statements: [String] {
    columns.enumerated().flatMap { number, column in
      let part = column.table.columns[column.slot].keyPart ?? 0
      let cast = column.table.keyOperands[part].type.cast
      let generator = column.table.columns[column.slot].generator ?? "NULL"
      return Cursor.statements(
        "catalog_keys_\(number)",
        "SELECT (\(generator))\(cast) FROM generate_series(1, \(column.places.count))"
      )
    }
  }

  /// The changes with the values in the answers, which it takes away.
  func fill(_ changes: ChangeSet, _ results: inout ArraySlice<PostgresResult>) throws -> ChangeSet {
    var filled = changes
    for column in columns {
      guard let result = results.popFirst(), result.rowCount == column.places.count else {
        throw PostgresFailure(state: "XX000", message: "answers are missing")
      }
      let description = column.table.columns[column.slot]
      for (row, place) in column.places.enumerated() {
        guard let bytes = result.bytes(row, 0),
          let value = RowReader.value(bytes, description)
        else { continue }
        filled.inserted[place].orderedValues[column.slot] = value
      }
    }
    return filled
  }
}
