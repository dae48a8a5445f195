import Foundation
package import OpenSwiftData

/// The statements of a save, in order; each has to change the rows of its records.
///
/// As the statements are shown, records share one if they get the same values by updates that change nothing else and, in a
/// database of our own, if they are deleted or new. A save runs one statement for each record of `Updates` instead.
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
    /// The record, or the first of several.
    package let identifier: PersistentIdentifier
    /// The statement.
    package let statement: SQLText
    /// The number of records.
    package var count = 1
  }

  /// Updates of the same columns of a table, which change nothing else.
  package struct Updates: Sendable {
    /// The table.
    package let table: TableDescription
    /// The columns.
    package let slots: [Int]
    /// The updates, in order.
    package let updates: ArraySlice<RecordUpdate>

    /// The statement for one record; its values are those of `values(of:)`.
    package var statement: String {
      table.update(keys: [[.null]], slots.map { (slot: $0, value: .null) }).text
    }

    /// The new values and the key of a record.
    ///
    /// - Throws: `PersistenceError` with code `.invalidValue` if the table cannot keep one.
    package func values(of update: RecordUpdate) throws -> [SQLValue] {
      try slots.map { try table.stored(update.after, $0) }
        + table.keyParts(of: update.persistentIdentifier)
    }

    /// The statement with the values of a record.
    ///
    /// - Throws: `PersistenceError` as `values(of:)`.
    package func step(_ update: RecordUpdate) throws -> Step {
      let values = try slots.map { (slot: $0, value: try table.stored(update.after, $0)) }
      let identifier = update.persistentIdentifier
      return Step(
        action: .update,
        identifier: identifier,
        statement: try table.update(keys: [table.keyParts(of: identifier)], values)
      )
    }
  }

  /// Records that are added to a table of our own.
  package struct Insertion: Sendable {
    /// The table.
    package let table: TableDescription
    /// The records, in order.
    package let records: ArraySlice<DefaultSnapshot>

    /// Adds records of the entity of a table.
    package init(table: TableDescription, records: ArraySlice<DefaultSnapshot>) {
      (self.table, self.records) = (table, records)
    }

    /// The number of records that share a statement: with more parameters, statements take no less time.
    ///
    /// Until it has ended, such a statement keeps the former contents of the pages that it changes. With an index these
    /// are so many that single records take less time.
    package var batchSize: Int {
      let entity = table.entity
      if !entity.indices.isEmpty || entity.fields.contains(where: \.isUnique) { return 1 }
      return max(1, min(50, 900 / (table.columns.count + 1)))
    }

    /// The statement that adds as many records; for each, its values are the key and those of all columns.
    package func statement(rows: Int) -> String {
      let slots = Array(table.columns.indices)
      let row = Array(repeating: SQLValue.null, count: slots.count + 1)
      return table.insertion(slots, rows: Array(repeating: row, count: rows)).text
    }

    /// The statement with the values of records.
    ///
    /// - Throws: `PersistenceError` with code `.invalidValue` if the table cannot keep one.
    package func step(_ records: ArraySlice<DefaultSnapshot>) throws -> Step {
      let slots = Array(table.columns.indices)
      let rows = try records.map { record -> [SQLValue] in
        try [.text(OwnKey.text(of: record.persistentIdentifier))]
          + slots.map { try table.stored(record, $0) }
      }
      return Step(
        action: .insert,
        identifier: records[records.startIndex].persistentIdentifier,
        statement: table.insertion(slots, rows: rows),
        count: records.count
      )
    }
  }

  /// The number of records that share a statement.
  package static let batchSize = 400

  private var changes: ChangeSet
  private let tables: [String: TableDescription]
  private let new: Set<PersistentIdentifier>
  private let numbering: Numbering

  /// A new record as it is added now, and its key; nil for one whose key is that of its identifier.
  package typealias Numbering = (DefaultSnapshot, TableDescription) throws -> (
    record: DefaultSnapshot, key: [SQLValue]
  )?

  /// Plans a save of changes with permanent identifiers to the tables of their entities.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - tables: The tables by entity.
  ///   - new: The inserted records that never existed; the others are restored, missing values included.
  ///   - numbering: Tells what the database numbers.
  package init(
    _ changes: ChangeSet,
    _ tables: [String: TableDescription],
    new: Set<PersistentIdentifier> = [],
    numbering: @escaping Numbering = { _, _ in nil }
  ) {
    (self.changes, self.tables, self.new) = (changes, tables, new)
    self.numbering = numbering
  }

  /// Makes one statement after the other, which the body runs.
  ///
  /// - Parameters:
  ///   - insert: Adds records to a table of our own, in place of the body.
  ///   - update: Makes updates that change nothing else, in place of the body.
  ///   - body: Runs a statement.
  /// - Throws: `PersistenceError` for a table that cannot be changed or a value that it cannot keep; what the bodies
  ///   throw.
  package func forEachStep(
    inserting insert: ((Insertion) throws -> Void)? = nil,
    updating update: ((Updates) throws -> Void)? = nil,
    _ body: (Step) throws -> Void
  ) throws {
    let deletions = DeletionOrder(changes, tables)
    let order = UpdateOrder(changes, tables, deletions)
    for release in order.releases {
      if let step = try step(release) { try body(step) }
    }
    var ordered = self
    ordered.changes.updated = order.updates
    guard checksReferencesAtOnce else {
      try ordered.writeAll(in: deletions, update, body)
      return try insertAll(insert, body)
    }
    // What links need comes first, and what has them goes first.
    ordered.changes.inserted = restoredFirst.targetsFirst
    ordered.changes.deleted = changes.deleted.targetsFirst.reversed()
    try ordered.insertAll(insert, body)
    try ordered.writeAll(in: deletions, update, body)
  }

  private var checksReferencesAtOnce: Bool {
    tables.values.contains(where: \.dialect.checksReferencesAtOnce)
  }

  /// Writes all changes of records that exist.
  private func writeAll(
    in order: DeletionOrder,
    _ update: ((Updates) throws -> Void)?,
    _ body: (Step) throws -> Void
  ) throws {
    if order.isPlain {
      try deleteAll(body)
      try updateAll(update, body)
    } else if order.isEmpty {
      try updateAll(update, body)
      for snapshot in changes.deleted { try delete([snapshot], body) }
    } else {
      try updateAndDelete(in: order, body)
    }
  }

  /// Updates records, and deletes those that updates leave or whose values they take.
  private func updateAndDelete(in order: DeletionOrder, _ body: (Step) throws -> Void) throws {
    for update in changes.updated {
      try write([update], order.slotsBeforeDeletions(of: update), body)
    }
    for snapshot in changes.deleted where order.comesEarly(snapshot) {
      try delete([snapshot], body)
    }
    for update in changes.updated where order.isWaiting(update) {
      let isWritten = Set(order.slotsBeforeDeletions(of: update))
      try write([update], update.changedSlots.filter { !isWritten.contains($0) }, body)
    }
    for snapshot in changes.deleted where !order.comesEarly(snapshot) {
      try delete([snapshot], body)
    }
  }

  /// Deletes the records; neighbors of an entity of our own by one statement.
  private func deleteAll(_ body: (Step) throws -> Void) throws {
    var start = 0
    while start < changes.deleted.count {
      let name = changes.deleted[start].persistentIdentifier.entityName
      let isShared = tables[name].map { $0.key == .own && !$0.isGuarded } ?? false
      let end = run(from: start, in: changes.deleted.count) {
        isShared && changes.deleted[$0].persistentIdentifier.entityName == name
      }
      try delete(changes.deleted[start..<end], body)
      start = end
    }
  }

  /// Updates the records; neighbors of an entity that change alike together if possible.
  private func updateAll(
    _ updateAlike: ((Updates) throws -> Void)?,
    _ body: (Step) throws -> Void
  ) throws {
    var start = 0
    while start < changes.updated.count {
      let first = changes.updated[start]
      let (scope, slots) = (first.persistentIdentifier.identifierScope, first.changedSlots)
      let table = tables[first.persistentIdentifier.entityName]
      let isShared = !slots.isEmpty && table?.isPlainUpdate(of: slots) ?? false
      let limit = updateAlike == nil ? Self.batchSize : Int.max
      let end = run(from: start, in: changes.updated.count, atMost: limit) { place in
        let update = changes.updated[place]
        guard isShared, update.persistentIdentifier.identifierScope == scope,
          update.changes(exactly: slots)
        else { return false }
        return updateAlike != nil
          || slots.allSatisfy { update.after.orderedValues[$0] == first.after.orderedValues[$0] }
      }
      let updates = changes.updated[start..<end]
      if let updateAlike, let table, isShared, updates.count > 1 {
        try table.checkIsWritable()
        try updateAlike(Updates(table: table, slots: slots, updates: updates))
      } else {
        try write(updates, slots, body)
      }
      start = end
    }
  }

  /// The end of a run of changes that can share a statement.
  private func run(
    from start: Int,
    in count: Int,
    atMost limit: Int = batchSize,
    while isAlike: (Int) -> Bool
  ) -> Int {
    var end = start + 1
    while end < count, end - start < limit, isAlike(end) { end += 1 }
    return end
  }

  /// Deletes records of an entity.
  private func delete(
    _ records: ArraySlice<DefaultSnapshot>,
    _ body: (Step) throws -> Void
  ) throws {
    let (table, keys) = try place(of: records.map(\.persistentIdentifier))
    try table.checkIsRestorable()
    let first = records[records.startIndex].persistentIdentifier
    try body(
      step(.delete, first, table.delete(keys: keys), records.count)
    )
  }

  /// Writes some values of records of an entity, which are the same in all of them.
  private func write(
    _ updates: ArraySlice<RecordUpdate>,
    _ slots: [Int],
    _ body: (Step) throws -> Void
  ) throws {
    let first = updates[updates.startIndex]
    let (table, keys) = try place(of: updates.map(\.persistentIdentifier))
    let values = try slots.filter { !table.columns[$0].isGenerated }.map { slot in
      (slot: slot, value: try table.stored(first.after, slot))
    }
    try table.checkKey(slots)
    guard !values.isEmpty else { return }
    try body(
      step(.update, first.persistentIdentifier, table.update(keys: keys, values), updates.count)
    )
  }

  private func insertAll(
    _ insert: ((Insertion) throws -> Void)?,
    _ body: (Step) throws -> Void
  ) throws {
    let records = checksReferencesAtOnce ? changes.inserted : restoredFirst
    var start = records.startIndex
    while start < records.endIndex {
      let identifier = records[start].persistentIdentifier
      let (table, keys) = try place(of: [identifier])
      guard table.key == .own else {
        try body(insertion(of: records[start], table, keys[0]))
        start += 1
        continue
      }
      let scope = identifier.identifierScope
      var end = start + 1
      while end < records.endIndex, records[end].persistentIdentifier.identifierScope == scope {
        end += 1
      }
      let insertion = Insertion(table: table, records: records[start..<end])
      if let insert {
        try insert(insertion)
      } else {
        for place in start..<end { try body(insertion.step(records[place...place])) }
      }
      start = end
    }
  }

  /// The statement that adds a record to a table of another program.
  private func insertion(
    of snapshot: DefaultSnapshot,
    _ table: TableDescription,
    _ parts: [SQLValue]
  ) throws -> Step {
    let identifier = snapshot.persistentIdentifier
    let slots = table.insertedSlots(of: snapshot, isNew: new.contains(identifier))
    let (record, key) = try numbering(snapshot, table) ?? (snapshot, parts)
    var values = key
    for slot in slots where table.columns[slot].keyPart == nil {
      values.append(try table.stored(record, slot))
    }
    return step(.insert, identifier, table.insertion(slots, rows: [values]))
  }

  /// The inserted records; first those that exist again, whose keys a trigger could otherwise give to rows of its own.
  private var restoredFirst: [DefaultSnapshot] {
    if new.isEmpty || new.count == changes.inserted.count { return changes.inserted }
    return changes.inserted.filter { !new.contains($0.persistentIdentifier) }
      + changes.inserted.filter { new.contains($0.persistentIdentifier) }
  }

  private func step(
    _ action: Action,
    _ identifier: PersistentIdentifier,
    _ statement: SQLText,
    _ count: Int = 1
  ) -> Step {
    Step(action: action, identifier: identifier, statement: statement, count: count)
  }

  /// The numbers of the updates, by record.
  package var numbersOfUpdates: [PersistentIdentifier: Int] {
    Dictionary(
      changes.updated.enumerated().map { ($0.element.persistentIdentifier, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The step that gives a record values that no other one has, before a step that gives it its new ones.
  ///
  /// - Parameters:
  ///   - step: The step that gives it its new ones.
  ///   - number: The number of the update of the record.
  /// - Returns: The step; nil if the step is not an update, or changes no such values.
  /// - Throws: `PersistenceError` for a table that cannot be changed.
  package func release(_ step: Step, number: Int) throws -> Step? {
    guard step.action == .update, let table = tables[step.identifier.entityName] else { return nil }
    let update = changes.updated[number]
    let slots = update.changedSlots.filter { !table.referringSlots.contains($0) }
    return try self.step(UpdateOrder.Release(number: number, update: update, slots: slots))
  }

  private func step(_ release: UpdateOrder.Release) throws -> Step? {
    let identifier = release.update.persistentIdentifier
    let (table, keys) = try place(of: [identifier])
    let values = release.slots.compactMap { slot -> (slot: Int, value: SQLValue)? in
      let column = table.columns[slot]
      if column.isGenerated { return nil }
      if table.key == .own { return (slot, .null) }
      return column.keyPart == nil ? column.placeholder(release.number).map { (slot, $0) } : nil
    }
    guard !values.isEmpty else { return nil }
    return step(.update, identifier, table.update(keys: keys, values))
  }

  /// The table of records of an entity, and their keys.
  private func place(of identifiers: [PersistentIdentifier]) throws
    -> (table: TableDescription, keys: [[SQLValue]])
  {
    let name = identifiers[0].entityName
    guard let table = tables[name] else {
      throw PersistenceError(.unknownEntity, "unknown entity \(Value.quoted(name))")
    }
    try table.checkIsWritable()
    return (table, try identifiers.map(table.keyParts))
  }
}

extension CommitPlan.Step {
  /// The error of a statement that changed another number of rows than it has records.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - known: The record as the caller knows it.
  ///   - cause: What may be the cause, such as `by a trigger`.
  /// - Returns: The error.
  package func error(
    ofCount count: Int,
    _ known: PersistentIdentifier,
    perhaps cause: String
  ) -> PersistenceError {
    PersistenceError(
      .storeViolation,
      "\(identifier.entityName) \(known): the database \(action.rawValue) "
        + "\(count) rows instead of \(self.count == 1 ? "one" : String(self.count)), perhaps \(cause); "
        + "nothing was saved"
    )
  }
}

extension ColumnDescription {
  /// The value to store; nil for one that the column cannot keep as it is.
  func stored(_ value: Value) -> SQLValue? {
    let stored = form.stored(value)
    if server != nil, case .text(let text)? = stored, text.utf8.contains(0) { return nil }
    guard form == .text, case .text(let text)? = stored else { return stored }
    return affinity.keepsSpelling(of: text) ? stored : nil
  }

  /// Why the column cannot keep a value; nil if that is not known.
  fileprivate func reason(against value: Value) -> String? {
    if server != nil, value.text.utf8.contains(0) {
      return "PostgreSQL keeps no text with the character U+0000"
    }
    if let other = becomes(value) {
      return "the database turns it into \(other), and keeps it only in a column declared TEXT"
    }
    guard case .moment(let style) = form, case .datetime = value, let digits = style.digits else {
      return nil
    }
    return digits == 0
      ? "its moments are whole seconds; leave out the fraction"
      : "its moments have \(digits) \(digits == 1 ? "digit" : "digits") of a second; leave out the others"
  }

  /// What the database makes of a value that is stored in the column.
  package func kept(_ value: SQLValue) -> SQLValue { affinity.kept(value) }

  /// The number that the database makes of a text; nil if it makes none.
  fileprivate func becomes(_ value: Value) -> String? {
    guard affinity.isNumeric, case .text(let text) = value, MixedText.looksLikeNumber(.text(text))
    else { return nil }
    return affinity.kept(.text(text.trimmingCharacters(in: .whitespacesAndNewlines))).literal
  }

  /// The least number that the column has room for.
  private var leastNumber: Int64 {
    switch server?.type {
    case .int2: Int64(Int16.min)
    case .int4: Int64(Int32.min)
    default: Int64.min
    }
  }

  /// A value that no other record has, for the time until the record gets its new one; nil if there is none.
  ///
  /// A missing value would be the simplest, but foreign keys with `ON UPDATE CASCADE` would follow it and stay there.
  fileprivate func placeholder(_ number: Int) -> SQLValue? {
    switch form {
    case .text, .mixed: .text("\u{1}catalog: value \(number) on its way")
    case .integer: .integer(leastNumber + 7 + Int64(number))
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

  /// The values of the columns of the key.
  ///
  /// - Throws: `PersistenceError` with code `.invalidIdentifier`.
  fileprivate func keyParts(of identifier: PersistentIdentifier) throws -> [SQLValue] {
    guard let parts = key.parts(of: identifier) else {
      throw PersistenceError(
        .invalidIdentifier,
        "\(entity.name): \(identifier) is not a key of the table"
      )
    }
    return parts
  }

  /// Refuses to delete records of which no undo could restore all values.
  fileprivate func checkIsRestorable() throws {
    guard let name = omittedColumns.first else { return }
    throw PersistenceError(
      .unsupported,
      "\(entity.name): records cannot be deleted, because undo could not restore column \(Value.quoted(name)), "
        + "which is not shown; use \(dialect.shell)"
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
    guard let stored = column.stored(value) else {
      throw PersistenceError(
        .invalidValue,
        "\(entity.name).\(column.field.name): the column cannot keep "
          + "\(Value.quoted(value.text)) (record \(snapshot.persistentIdentifier))"
          + (column.reason(against: value).map { "; \($0)" } ?? "")
      )
    }
    return stored
  }
}
