/// Undoing saves that were made before the context existed.
extension ModelContext {
  /// Undoes the last save of an author in the history from before the context that it has not undone yet.
  ///
  /// The result is an unsaved change like any other, and can be redone. A value that was changed since, by anybody else,
  /// becomes a conflict of the next save. Changes of records that no longer exist are left out.
  ///
  /// - Returns: The transaction with the step; nil if the history has none, if there are steps of this context to undo
  ///   first, or if there are several stores.
  /// - Throws: `PersistenceError` with code `.unsupported` for a save that changed the schema or whose values are not
  ///   known; the error of the store if it cannot be read; `Interruption.Stopped`. Nothing has changed then.
  /// - Complexity: O(n) in the size of the history.
  package func undoEarlierSave(by author: String?) throws -> (Transaction, UndoStep?)? {
    guard !undoLog.canUndo, undoManager == nil, try fetching.connections().count == 1 else {
      return nil
    }
    let opening = (container.stores[0] as? any EarlierHistoryStore)?.lastEarlierToken ?? .max - 1
    let end = min(undoLog.earlierSavesEnd ?? .max, opening + 1)
    let last = try transactions().last {
      $0.token < end && $0.author == author && !$0.isExternal
    }
    guard let last else { return nil }
    guard !last.isIncomplete else {
      throw PersistenceError(
        .unsupported,
        "transaction \(last.token) was too large to keep and cannot be undone after a restart"
      )
    }
    try Self.requireSameReading([last])
    guard !last.changesSchema, !last.changes.isEmpty else {
      throw PersistenceError(
        .unsupported,
        "transaction \(last.token) changed the schema and cannot be undone after a restart"
      )
    }
    try checkFits(last)
    let (former, mark) = (undoLog.earlierSavesEnd, undoLog.mark)
    undoLog.adopt(try UndoStep(last), savedAs: last.token)
    do {
      return (last, try undoPresent())
    } catch {
      undoLog.rejectAdopted(former)
      undoLog.mark = mark
      throw error
    }
  }

  /// Checks that the file is read as it was when transactions were saved.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` that says how to read it.
  static func requireSameReading(_ transactions: [Transaction]) throws {
    guard let other = transactions.last(where: { $0.otherReading != nil }),
      let reading = other.otherReading
    else { return }
    let way = reading.isEmpty ? "without --read" : "with --read \(Value.quoted(reading))"
    throw PersistenceError(
      .unsupported,
      "transaction \(other.token) was saved when the file was read in another way; open it \(way) to undo it"
    )
  }

  /// Checks that the fields, as they are now, can hold all values that an undo of the transaction restores.
  ///
  /// The types of a file without a schema follow from its values, so the save itself can have changed them.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` that names the first value.
  private func checkFits(_ transaction: Transaction) throws {
    var meter = WorkMeter()
    for update in transaction.changes.updated {
      try meter.count(update.before.orderedValues.count)
      let slots = update.changedSlots
      guard let misfit = misfit(of: update.before, among: slots) else { continue }
      throw misfit.error("transaction \(transaction.token) cannot be undone")
    }
    for snapshot in transaction.changes.deleted {
      try meter.count(snapshot.orderedValues.count)
      guard let misfit = misfit(of: snapshot, among: Array(snapshot.orderedValues.indices)) else {
        continue
      }
      throw misfit.error("transaction \(transaction.token) cannot be undone")
    }
  }
}

extension UndoStep {
  /// The step that a saved transaction has made.
  fileprivate init(_ transaction: Transaction) throws {
    self.init(name: "save \(transaction.token)", changes: UndoChanges())
    var meter = WorkMeter()
    for snapshot in transaction.changes.inserted {
      try meter.count(Self.unitsOfChange)
      changes.append(.insert(snapshot))
    }
    for update in transaction.changes.updated {
      try meter.count(Self.unitsOfChange)
      for change in update.undoChanges { changes.append(change) }
    }
    for snapshot in transaction.changes.deleted {
      try meter.count(Self.unitsOfChange)
      changes.append(.delete(snapshot))
    }
  }

  /// The work on one change in the units of a meter.
  private static let unitsOfChange = 4
}
