package import OpenSwiftData

extension LogStore {
  /// Looks for the transaction of the save in the log.
  package func holdsSave(_ trace: SaveTrace) throws -> Bool? {
    guard let entry = trace.transaction else { return nil }
    return try reading { session in
      if session.content.lastToken < entry.token { return false }
      // Compaction may have discarded it.
      if entry.token <= session.content.horizon { return nil }
      return try session.transactions(after: entry.token - 1, touching: nil)
        .contains { $0.id == entry.id }
    }
  }
}
