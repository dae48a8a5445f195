package import OpenSwiftData

/// The statements of a save, in order; each has to change exactly one row.
package struct CommitPlan {
  /// What a statement does to a record.
  package enum Action: String, Sendable {
    /// Adds it.
    case insert = "inserted"
    /// Changes it.
    case update = "changed"
    /// Removes it.
    case delete = "deleted"
  }

  /// A statement with the record that it changes.
  package struct Step: Sendable {
    /// What it does.
    package let action: Action
    /// The record.
    package let identifier: PersistentIdentifier
    /// The statement.
    package let statement: SQLText
  }

  private let changes: ChangeSet
  private let tables: [String: TableDescription]
  private let new: Set<PersistentIdentifier>

  /// Plans a save of changes with permanent identifiers to the tables of their entities.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - tables: The tables by entity.
  ///   - new: The inserted records that never existed; the others are restored, missing values included.
  package init(
    _ changes: ChangeSet,
    _ tables: [String: TableDescription],
    new: Set<PersistentIdentifier> = []
  ) {
    (self.changes, self.tables, self.new) = (changes, tables, new)
  }

  /// Makes one statement after the other, which the body runs.
  ///
  /// - Throws: `PersistenceError` for a table that cannot be changed or a value that it cannot keep; what the body
  ///   throws.
  package func forEachStep(_ body: (Step) throws -> Void) throws {
    for snapshot in changes.deleted {
      let (table, parts) = try place(of: snapshot.persistentIdentifier)
      try body(step(.delete, snapshot.persistentIdentifier, table.delete(key: parts)))
    }
    try releaseUniqueValues(body)
    for update in changes.updated {
      let (table, parts) = try place(of: update.persistentIdentifier)
      let values = try update.changedSlots.map { slot in
        (slot: slot, value: try table.stored(update.after, slot))
      }
      try table.checkKey(values.map(\.slot))
      guard !values.isEmpty else { continue }
      try body(step(.update, update.persistentIdentifier, table.update(key: parts, values)))
    }
    try insertAll(body)
  }

  private func insertAll(_ body: (Step) throws -> Void) throws {
    var last: (scope: IdentifierScope, table: TableDescription, insertion: String)?
    for snapshot in changes.inserted {
      let identifier = snapshot.persistentIdentifier
      if let last, last.scope == identifier.identifierScope {
        try insertOwn(snapshot, last.table, last.insertion, body)
        continue
      }
      let (table, parts) = try place(of: identifier)
      if table.key == .own {
        let insertion = table.insertion(Array(table.columns.indices))
        last = (identifier.identifierScope, table, insertion)
        try insertOwn(snapshot, table, insertion, body)
        continue
      }
      let slots = table.insertedSlots(of: snapshot, isNew: new.contains(identifier))
      var values = parts
      for slot in slots where table.columns[slot].keyPart == nil {
        values.append(try table.stored(snapshot, slot))
      }
      try body(step(.insert, identifier, SQLText(table.insertion(slots), values)))
    }
  }

  /// Inserts a record into a table of our own, where the statement is the same for all.
  private func insertOwn(
    _ snapshot: DefaultSnapshot,
    _ table: TableDescription,
    _ insertion: String,
    _ body: (Step) throws -> Void
  ) throws {
    var values: [SQLValue] = []
    values.reserveCapacity(table.columns.count + 1)
    values.append(.text(OwnKey.text(of: snapshot.persistentIdentifier)))
    for slot in table.columns.indices { values.append(try table.stored(snapshot, slot)) }
    try body(step(.insert, snapshot.persistentIdentifier, SQLText(insertion, values)))
  }

  private func step(_ action: Action, _ identifier: PersistentIdentifier, _ statement: SQLText)
    -> Step
  {
    Step(action: action, identifier: identifier, statement: statement)
  }

  /// Removes unique values that move from one record to another, because both would have them in between.
  private func releaseUniqueValues(_ body: (Step) throws -> Void) throws {
    guard changes.updated.count > 1 else { return }
    let wanted = wantedValues()
    for (number, update) in changes.updated.enumerated() {
      let (table, parts) = try place(of: update.persistentIdentifier)
      let values = update.changedSlots.compactMap { slot -> (slot: Int, value: SQLValue)? in
        let before = update.before.orderedValues[slot]
        guard table.columns[slot].field.isUnique, !before.isNull else { return nil }
        if table.key == .own { return (slot, .null) }
        let cell = UniqueCell(entity: table.entity.name, slot: slot, value: before)
        guard table.columns[slot].keyPart == nil, wanted.contains(cell) else { return nil }
        return table.columns[slot].placeholder(number).map { (slot, $0) }
      }
      guard !values.isEmpty else { continue }
      try body(step(.update, update.persistentIdentifier, table.update(key: parts, values)))
    }
  }

  /// The unique values that records get.
  private func wantedValues() -> Set<UniqueCell> {
    var wanted: Set<UniqueCell> = []
    for update in changes.updated {
      let name = update.persistentIdentifier.entityName
      guard let table = tables[name], table.key != .own else { continue }
      for slot in update.changedSlots where table.columns[slot].field.isUnique {
        wanted.insert(UniqueCell(entity: name, slot: slot, value: update.after.orderedValues[slot]))
      }
    }
    return wanted
  }

  private func place(of identifier: PersistentIdentifier) throws -> (TableDescription, [SQLValue]) {
    guard let table = tables[identifier.entityName] else {
      throw PersistenceError(
        .unknownEntity,
        "unknown entity \(Value.quoted(identifier.entityName))"
      )
    }
    try table.checkIsWritable()
    guard let parts = table.key.parts(of: identifier) else {
      throw PersistenceError(
        .invalidIdentifier,
        "\(table.entity.name): \(identifier) is not a key of the table"
      )
    }
    return (table, parts)
  }
}

/// A value of a field of which there is one in a table.
private struct UniqueCell: Hashable {
  let entity: String
  let slot: Int
  let value: Value
}

extension ColumnDescription {
  /// A value that no other record has, for the time until the record gets its new one; nil if there is none.
  ///
  /// A missing value would be the simplest, but foreign keys with `ON UPDATE CASCADE` would follow it and stay there.
  fileprivate func placeholder(_ number: Int) -> SQLValue? {
    switch form {
    case .text, .mixed: .text("\u{1}catalog: value \(number) on its way")
    case .integer: .integer(Int64.min + 7 + Int64(number))
    default: isNeverNull ? nil : .null
    }
  }
}

extension TableDescription {
  /// Checks that records can be changed.
  ///
  /// - Throws: `PersistenceError` with code `.readOnly` and the reason.
  package func checkIsWritable() throws {
    guard let obstacle else { return }
    throw PersistenceError(
      .readOnly,
      "\(entity.name) is \(obstacle.description), which cannot be changed"
    )
  }

  /// The fields that an insertion names; the database computes the values of the others.
  fileprivate func insertedSlots(of snapshot: DefaultSnapshot, isNew: Bool) -> [Int] {
    columns.indices.filter { slot in
      let column = columns[slot]
      if column.field.isReadOnly { return false }
      let isComputed = column.hasComputedDefault && (isNew || column.isNeverNull)
      return !isComputed || !snapshot.orderedValues[slot].isNull
    }
  }

  /// Refuses a change of the key, which would make another record of it.
  fileprivate func checkKey(_ slots: [Int]) throws {
    guard let slot = slots.first(where: { columns[$0].keyPart != nil }) else { return }
    throw PersistenceError(
      .unsupported,
      "\(entity.name).\(columns[slot].field.name): part of the key, which cannot be changed; "
        + "duplicate the record and delete this one"
    )
  }

  /// The value of a field as it is stored.
  ///
  /// - Throws: `PersistenceError` with code `.invalidValue` if the column cannot keep it.
  package func stored(_ snapshot: DefaultSnapshot, _ slot: Int) throws -> SQLValue {
    let (column, value) = (columns[slot], snapshot.orderedValues[slot])
    guard let stored = column.form.stored(value) else {
      throw PersistenceError(
        .invalidValue,
        "\(entity.name).\(column.field.name): the column cannot keep "
          + "\(Value.quoted(value.text)) (record \(snapshot.persistentIdentifier))"
      )
    }
    return stored
  }
}
