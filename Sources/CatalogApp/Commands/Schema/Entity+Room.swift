import OpenSwiftData

extension Schema.Entity {
  /// Rejects so many records that their values, nearly all of them null, would not fit into memory.
  ///
  /// - Throws: `CommandError` for more than 20 million values of an entity with more than 256 fields.
  func requireRoom(for count: Int) throws {
    guard fields.count > 256, count * fields.count > 20_000_000 else { return }
    throw CommandError(
      "\(counted(count, "record")) of \(name) with \(fields.count) fields each do not fit in "
        + "memory; select fewer records"
    )
  }

  /// Why no record can be added or deleted, as in a view: the store would refuse the save; nil if they can.
  private var fixedCause: String? {
    guard !fields.isEmpty, fields.allSatisfy({ $0.isReadOnly && !$0.isSettableWhenNew }) else {
      return nil
    }
    return fields.first?.readOnlyCause
  }

  /// The reason why no record can be added; nil if one can.
  var additionRefusal: String? {
    fixedCause.map { "records of \(name) cannot be added: \($0)" }
  }

  /// The reason why no record can be deleted; nil if one can.
  var deletionRefusal: String? {
    fixedCause.map { "records of \(name) cannot be deleted: \($0)" }
  }

  /// Throws an error for a reason not to add or delete records.
  ///
  /// - Throws: `CommandError` with the reason.
  func refuse(because refusal: String?) throws {
    if let refusal { throw CommandError(refusal, code: .readOnly) }
  }
}
