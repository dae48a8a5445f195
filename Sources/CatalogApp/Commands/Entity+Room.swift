import OpenSwiftData

extension Schema.Entity {
  /// Rejects so many records that their values, nearly all of them null, would not fit into memory.
  ///
  /// - Throws: `CommandError` for more than 20 million values of an entity with more than 256 fields.
  func requireRoom(for count: Int) throws {
    guard fields.count > 256, count * fields.count > 20_000_000 else { return }
    throw CommandError(
      "\(Session.counted(count, "record")) of \(name) with \(fields.count) fields each do not fit in "
        + "memory; select fewer records"
    )
  }
}
