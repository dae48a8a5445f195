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

  /// Throws an error if no value of a record can be set, as in a view: the store would refuse the save.
  ///
  /// - Throws: `CommandError` with the reason.
  func requireRecordsThatChange() throws {
    guard !fields.isEmpty, fields.allSatisfy({ $0.isReadOnly && !$0.isSettableWhenNew }),
      let cause = fields.first?.readOnlyCause
    else { return }
    throw CommandError("records of \(name) cannot be deleted: \(cause)", code: .readOnly)
  }
}
