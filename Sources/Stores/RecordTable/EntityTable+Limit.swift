import OpenSwiftData

extension EntityTable {
  /// So many values are read at once at most in a table of many columns, whose records are mostly empty: as
  /// snapshots they take about a gigabyte.
  private static let valueLimit = 20_000_000

  /// Refuses to make snapshots that would take more memory than there may be.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported`.
  func checkSize(_ count: Int) throws {
    guard isWide, count * columns.count > Self.valueLimit else { return }
    throw PersistenceError(
      .unsupported,
      "\(count) records of \(entity.name) with \(columns.count) fields each do not fit in memory; "
        + "select fewer records (where, limit) or fields"
    )
  }
}
