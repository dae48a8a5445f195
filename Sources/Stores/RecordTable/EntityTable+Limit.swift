import OpenSwiftData

extension EntityTable {
  /// The maximum number of values to read at a time in a table with many columns, whose records are
  /// mostly empty: as snapshots they take about a gigabyte.
  private static let valueLimit = 20_000_000

  /// Throws if the snapshots would need more memory than the limit allows.
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
