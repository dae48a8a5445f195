package import OpenSwiftData

/// The records of a store in memory: the working set that the memory, JSON and log stores share.
///
/// A value type with a table of typed columns for each entity; a store protects it with a lock. It
/// takes and returns plain values, and answers every query as `Query.run(over:of:)` does, but from
/// the columns, without making values or strings for the rows it only examines.
package struct RecordTable: Sendable {
  /// The entities it keeps.
  package private(set) var schema: Schema
  /// Identifies the store in the identifiers of its records.
  package let storeIdentifier: String
  var tables: [EntityTable]
  private var places: [String: Int]

  /// Creates a table without records.
  package init(schema: Schema, storeIdentifier: String) {
    self.schema = schema
    self.storeIdentifier = storeIdentifier
    tables = schema.entities.map { EntityTable($0, storeIdentifier: storeIdentifier) }
    places = Self.places(in: schema)
  }

  /// The index of the entity's table; nil for an unknown entity.
  func place(of entity: String) -> Int? { places[entity] }

  /// The index of the table of an entity that is known to exist.
  func knownPlace(_ entity: String) -> Int {
    guard let place = places[entity] else {
      preconditionFailure("the schema has no entity \(entity)")
    }
    return place
  }

  private static func places(in schema: Schema) -> [String: Int] {
    Dictionary(
      schema.entities.enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }
}

// MARK: Cells and rows

extension RecordTable {
  /// The number of records of the entity; 0 for an unknown one.
  package func count(of entity: String) -> Int {
    places[entity].map { tables[$0].liveCount } ?? 0
  }

  /// The row of a record; nil if it does not exist.
  ///
  /// - Complexity: O(log n).
  package func row(of identifier: PersistentIdentifier) -> Int? {
    places[identifier.entityName].flatMap { tables[$0].row(of: identifier) }
  }

  /// The row of an existing or deleted record; nil if there was none.
  func formerRow(of identifier: PersistentIdentifier) -> Int? {
    guard !identifier.isTemporary else { return nil }
    return places[identifier.entityName].flatMap { tables[$0].anyRow(of: identifier) }
  }

  /// The record in a row.
  package func identifier(entity: String, row: Int) -> PersistentIdentifier {
    tables[knownPlace(entity)].keys[row]
  }

  /// One value of the record in a row.
  package func value(entity: String, row: Int, slot: Int) -> Value {
    tables[knownPlace(entity)].columns[slot].value(at: row)
  }

  /// All values of the record in a row.
  package func snapshot(entity: String, row: Int) -> DefaultSnapshot {
    tables[knownPlace(entity)].snapshot(at: row)
  }

  /// Calls the body with the row of every record of the entity, in natural order.
  package func forEachRow(entity: String, _ body: (Int) throws -> Void) rethrows {
    try tables[knownPlace(entity)].forEachRow(body)
  }
}

// MARK: Changing

extension RecordTable {
  /// Applies the changes.
  ///
  /// - Precondition: `validate(_:)` accepted them, and identifiers are permanent.
  /// - Complexity: O(n) in the values changed; O(rows) if a key comes before existing ones.
  package mutating func apply(_ changes: ChangeSet) {
    for snapshot in changes.deleted {
      withRow(of: snapshot.persistentIdentifier) { table, row in table.kill(row) }
    }
    var known = ScopePlaces()
    changes.updated.withUnsafeBufferPointer { updates in
      for index in updates.indices {
        let identifier = updates[index].persistentIdentifier
        guard let place = known.place(of: identifier, in: self),
          let row = tables[place].row(of: identifier)
        else { preconditionFailure("validate the changes before applying them") }
        updates[index].apply(to: &tables[place], row)
      }
    }
    insert(changes.inserted)
    finishChange()
  }

  /// Applies changes to a copy of the records, which is not used if the work is stopped.
  ///
  /// - Throws: `Interruption.Stopped`; some of the changes are applied then.
  mutating func applyUnlessStopped(_ changes: ChangeSet) throws {
    try changes.deleted.forEachBatch { apply(ChangeSet(deleted: Array($0))) }
    try changes.updated.forEachBatch { apply(ChangeSet(updated: Array($0))) }
    try changes.inserted.forEachBatch { apply(ChangeSet(inserted: Array($0))) }
  }

  /// Makes `validate(_:)` enforce the uniqueness constraints of the schema's entities.
  ///
  /// These are constraints over several properties. Files do not store them: they belong to the
  /// program, so a store sets them before each commit.
  ///
  /// - Complexity: O(rows) if they have changed.
  package mutating func takeConstraints(of schema: Schema?) {
    guard let schema else { return }
    for place in tables.indices {
      let entity = schema.entitiesByName[tables[place].entity.name]
      let constraints = entity?.declaredConstraints ?? []
      if constraints.isEmpty, tables[place].constraintIndexes.isEmpty { continue }
      tables[place].index(constraints: constraints)
    }
  }

  /// Changes the schema and the affected columns; other columns stay unchanged.
  ///
  /// - Throws: `PersistenceError` that says why the change is not possible; `.notUnique` for a new
  ///   unique attribute whose default more than one record would get.
  package mutating func apply(_ change: SchemaChange) throws {
    let changed = try schema.applying(change)
    if case .addAttribute(let name, let attribute) = change, attribute.isUnique,
      !attribute.defaultValue.isNull, count(of: name) > 1
    {
      throw PersistenceError(
        .notUnique,
        "\(name).\(attribute.name): cannot be unique: \(count(of: name)) records would get the same default"
      )
    }
    if case .replaceSchema(let replacement) = change {
      replaceSchema(replacement)
      return finishChange()
    }
    schema = changed
    if case .createEntity(let entity) = change {
      tables.append(EntityTable(entity, storeIdentifier: storeIdentifier))
      places = Self.places(in: changed)
    } else if let place = places[change.entityName] {
      tables[place].apply(change, changed.entities[place])
    }
    finishChange()
  }

  /// Removes the rows of deleted records and unreferenced bytes if they are more than half.
  ///
  /// This is the only operation that changes row numbers.
  ///
  /// - Returns: For each entity whose rows moved, the new number of every former row, -1 for dead
  ///   ones.
  /// - Complexity: O(n) for the affected entities.
  package mutating func compactRows() -> [String: [Int32]] {
    var moved: [String: [Int32]] = [:]
    for place in tables.indices {
      if let numbers = tables[place].compact() { moved[tables[place].entity.name] = numbers }
    }
    finishChange()
    return moved
  }

  /// Moves the remaining columns; their rows keep their numbers.
  private mutating func replaceSchema(_ replacement: SchemaReplacement) {
    let former = schema
    var old = places.mapValues { tables[$0] }
    // Moves the tables out: with two owners they would copy themselves.
    tables = []
    schema = replacement.schema
    places = Self.places(in: schema)
    tables = schema.entities.map { entity in
      guard replacement.origins[entity.name] != nil,
        var table = old.removeValue(forKey: entity.name)
      else { return EntityTable(entity, storeIdentifier: storeIdentifier) }
      table.rearrange(as: entity, replacement.originSlots(of: entity.name, in: former))
      return table
    }
  }

  /// Adds the records by entity, and column by column.
  private mutating func insert(_ snapshots: [DefaultSnapshot]) {
    var start = 0
    while start < snapshots.count {
      let scope = snapshots[start].persistentIdentifier.identifierScope
      var end = start + 1
      while end < snapshots.count, snapshots[end].persistentIdentifier.identifierScope == scope {
        end += 1
      }
      guard let place = places[snapshots[start].persistentIdentifier.entityName] else {
        preconditionFailure("validate the changes before applying them")
      }
      snapshots.withUnsafeBufferPointer { snapshots in
        tables[place].insert(UnsafeBufferPointer(rebasing: snapshots[start..<end]))
      }
      start = end
    }
  }

  private mutating func withRow(
    of identifier: PersistentIdentifier,
    _ body: (inout EntityTable, Int) -> Void
  ) {
    guard let place = places[identifier.entityName], let row = tables[place].row(of: identifier)
    else { preconditionFailure("validate the changes before applying them") }
    body(&tables[place], row)
  }
}

extension RecordUpdate {
  /// Writes the changed values; the update stays where it is, because reading it out of an array retains its values.
  fileprivate func apply(to table: inout EntityTable, _ row: Int) {
    for slot in after.orderedValues.indices
    where before.orderedValues[slot] != after.orderedValues[slot] {
      table.columns[slot].put(after.orderedValues[slot], at: row)
      table.indexUniqueValue(row, slot: slot)
    }
    table.indexConstraints(row)
  }
}
