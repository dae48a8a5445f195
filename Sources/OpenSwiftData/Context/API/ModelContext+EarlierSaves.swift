/// Undoing saves that were made before the context existed.
extension ModelContext {
  /// Undoes the last save of an author in the history from before the context that it has not undone yet.
  ///
  /// The result is an unsaved change like any other, and can be redone. A value that was changed since, by anybody else,
  /// becomes a conflict of the next save. Changes of records that no longer exist are left out. Of changes of the schema,
  /// only conversions of fields are undone.
  ///
  /// - Returns: The transaction with the step; nil if the history has none, if there are steps of this context to undo
  ///   first, or if there are several stores.
  /// - Throws: `PersistenceError` with code `.unsupported` for a save that changed the schema in another way, or whose
  ///   values are not known; the error of the store if it cannot be read; `Interruption.Stopped`. Nothing has changed then.
  /// - Complexity: O(n) in the size of the history.
  package func undoEarlierSave(by author: String?) throws -> (Transaction, UndoStep?)? {
    guard !undoLog.canUndo, undoManager == nil, try fetching.connections().count == 1 else {
      return nil
    }
    let opening = (container.stores[0] as? any TextBackedStore)?.lastEarlierToken ?? .max - 1
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
    let edits = try conversions(of: last)
    guard let edits, !edits.isEmpty || !last.changes.isEmpty else {
      throw PersistenceError(
        .unsupported,
        "transaction \(last.token) changed the schema and cannot be undone after a restart"
      )
    }
    // A column without values would hold numbers as texts, without their spelling.
    _ = try widenTypes(toHold: misfits(of: last, countsTexts: true), after: [last])
    if let misfit = try misfits(of: last).first {
      throw misfit.error("transaction \(last.token) cannot be undone")
    }
    stores.goBack(before: last.token)
    let (former, mark) = (undoLog.earlierSavesEnd, undoLog.mark)
    undoLog.adopt(try UndoStep(last, edits), savedAs: last.token)
    do {
      return (last, try undoPresent())
    } catch {
      undoLog.rejectAdopted(former)
      undoLog.mark = mark
      throw error
    }
  }

  /// The conversions of fields that a transaction has made, with the values before them.
  ///
  /// - Returns: Nil if it has changed the schema in another way, or if the history may lack values: of a field that was
  ///   converted more than once, and of a file without types, where they depend on how all values are written.
  /// - Throws: `PersistenceError` if a step does not apply to the schema before it.
  private func conversions(of transaction: Transaction) throws -> [SchemaEdit]? {
    guard transaction.changesSchema else { return [] }
    guard let former = transaction.formerSchema, !transaction.steps.isEmpty, !infersTypes else {
      return nil
    }
    let changes = transaction.changesWithFormerValues
    var next = former
    var edits: [SchemaEdit] = []
    var known: Set<[String]> = []
    for step in transaction.steps {
      guard let new = step.conversion?.attribute else { return nil }
      let types = [former, schema].map {
        $0.entitiesByName[step.entityName]?.fieldsByName[new.name]?.type
      }
      guard known.insert([step.entityName, new.name]).inserted, types[0] != new.type,
        types[1] == new.type
      else { return nil }
      let edit = try SchemaEdit(step, in: next)
      edit.dropped[false] = DroppedValues(new.name, of: step.entityName, before: changes)
      next = try step.replacement(from: next).schema
      edits.append(edit)
    }
    return edits
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

  /// The values that an undo of the transaction restores and that the fields, as they are now, cannot hold; with
  /// `countsTexts`, those as well that a field of texts would hold as texts.
  ///
  /// The types of a file without a schema follow from its values, so the save itself can have changed them.
  ///
  /// - Throws: `Interruption.Stopped`.
  private func misfits(of transaction: Transaction, countsTexts: Bool = false) throws -> [Misfit] {
    var misfits: [Misfit] = []
    var meter = WorkMeter()
    for update in transaction.changes.updated {
      try meter.count(update.before.orderedValues.count)
      misfits += self.misfits(
        of: update.before,
        among: update.changedSlots,
        countsTexts: countsTexts
      )
    }
    for snapshot in transaction.changes.deleted {
      try meter.count(snapshot.orderedValues.count)
      let slots = Array(snapshot.orderedValues.indices)
      misfits += self.misfits(of: snapshot, among: slots, countsTexts: countsTexts)
    }
    return misfits
  }
}

extension UndoStep {
  /// The step that a saved transaction has made.
  fileprivate init(_ transaction: Transaction, _ conversions: [SchemaEdit]) throws {
    self.init(name: "save \(transaction.token)", changes: UndoChanges())
    for edit in conversions { changes.append(.schema(edit, isInverse: false)) }
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

extension DroppedValues {
  /// The values of a field before changes.
  fileprivate init(_ name: String, of entity: String, before changes: ChangeSet) {
    var values: [PersistentIdentifier: Pending] = [:]
    for snapshot in changes.updated.map(\.before) + changes.deleted
    where snapshot.persistentIdentifier.entityName == entity {
      guard let value = snapshot[name], !value.isNull else { continue }
      values[snapshot.persistentIdentifier] = Pending(original: nil, value: value)
    }
    self.init(name: name, records: nil, pending: values)
  }
}
