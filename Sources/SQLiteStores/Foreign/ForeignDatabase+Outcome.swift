import OpenSwiftData
import SQL
import Stores

/// Finding out from its records whether a save was made.
extension ForeignDatabase {
  /// Compares the rows with those of the save and those before it.
  func isSaved(_ entry: HistoryEntry) throws -> Bool? {
    let changes = entry.saved
    return changes.isSaved(in: try reader.snapshots(for: changes.allIdentifiers, attributes: nil))
  }

  func trace(of entry: HistoryEntry) -> SaveTrace { entry.saved.traceOfRecords }

  func holds(_ trace: SaveTrace) throws -> Bool? {
    try trace.isMade { record in
      guard let table = tables[record.entity] else { return nil }
      let identifier = table.key.identifier(parsing: record.key, in: table.scope)
      return try reader.snapshots(for: [identifier], attributes: nil)[identifier]
    }
  }
}
