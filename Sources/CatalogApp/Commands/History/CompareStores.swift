import OpenSwiftData

/// `diff`: compares the records with those of another store.
struct CompareStores: Instruction {
  let location: String
  /// The entity to compare; nil for all.
  let entityName: String?
  /// The fields that identify a record in both stores; empty for the identifier.
  let keys: [String]
  /// How the file of the other store is read; nil if nothing is said.
  var reading: ReadingOptions?

  static let command = Command(
    "diff",
    usage: "LOCATION [read OPTIONS] [ENTITY] [by FIELD,…]",
    summary: "list the differences between this store and another one",
    details: """
      + is a record that only LOCATION has, - one that only this store has, ~ one that differs: its values
      here → there. Records are compared by identifier, or by the values of the fields after "by", such as title or
      author.name. In files without identifiers, those records are compared that a save would take for the same,
      and a note says by which fields; with "by", links are then compared by the values of the linked records. Numbers are compared by
      their value, whatever their type, and the values of files without types as "import" reads them; the column
      with the identifiers of an export is ignored. The values of these fields are printed with each record. The only entity of LOCATION is
      compared with ENTITY, or with the only entity of this store, whatever their names are. Unsaved
      changes are included. "read" (or "read-other") says how LOCATION is read if it is a file of separated values, and --read
      how this store is. In json and jsonl, each record is an object as in "changes". As with
      diff(1) the status is 1 if there are differences; it is 4 if LOCATION cannot be opened.
      """,
    progress: "diff …",
    takesFile: true
  ) { arguments, session in
    let location = try arguments.require("location").text
    let reading = try arguments.takeReading() ?? arguments.takeReading("read-other")
    let namesEntity = arguments.peek.map { !$0.isKeyword("by") } ?? false
    let entity = namesEntity ? try session.takeEntity(&arguments) : nil
    let keys = arguments.take("by") ? try arguments.requireKeys() : []
    let compared = try entity ?? (keys.isEmpty ? nil : session.entity())
    let isByIdentifier = keys.count == 1 && keys[0] == compared?.identifierKey
    return CompareStores(
      location: location,
      entityName: compared?.name,
      keys: isByIdentifier ? [] : keys,
      reading: reading
    )
  }

  func perform(in session: Session) throws -> Outcome {
    let other = try openOther(session)
    defer { other.container.close() }
    for context in [session.context, other] {
      let entities = context.schema.entities
      for name in entities.map(\.name) where entities.count == 1 || entityName ?? name == name {
        try context.settleTypes(for: Query(name))
      }
    }
    if let pair = onlyEntities(session.context.schema, other.schema) {
      var differences = ChangeSet()
      var found = DifferenceKeys()
      let comparison = try EntityComparison(pair, by: keys, session, other)
      try comparison.add(to: &differences, &found)
      if let words = comparison.matchingWords { session.notes.remarks.append(words) }
      found.names = comparison.shownFields
      found.unsureCount = comparison.unsureCount
      return try outcome(differences, found, session)
    }
    if let entityName, other.schema.entitiesByName[entityName] == nil {
      let names = other.schema.entities.map(\.name).joined(separator: ", ")
      throw CommandError(
        "\(LocationText.withoutPasswords(location)): no entity \(Value.quoted(entityName))"
          + (names.isEmpty ? "" : "; it has \(names)"),
        code: .unknownEntity
      )
    }
    let entities = [session.context.schema, other.schema].flatMap(\.entities).map(\.name)
      .filter { entityName == nil || $0 == entityName }
    try requireCommonEntity(session.context.schema, other.schema)
    var differences = ChangeSet()
    var found = DifferenceKeys()
    var seen: Set<String> = []
    var shown: Set<[String]> = []
    for name in entities where seen.insert(name).inserted {
      let pair = (own: name, other: name)
      let comparison = try EntityComparison(pair, by: keys, session, other)
      try comparison.add(to: &differences, &found)
      if let words = comparison.matchingWords {
        session.notes.remarks.append(entities.count > 1 ? "\(name): \(words)" : words)
      }
      shown.insert(comparison.shownFields)
      found.unsureCount += comparison.unsureCount
    }
    // All lines have the same columns.
    found.names = shown.count == 1 ? shown.first ?? [] : []
    return try outcome(differences, found, session)
  }

  /// The differences as a failure; none as success.
  private func outcome(
    _ differences: ChangeSet,
    _ found: DifferenceKeys,
    _ session: Session
  ) throws -> Outcome {
    guard !differences.isEmpty else {
      guard session.settings.printsJSON, !session.origin.isOnScreen else {
        return .done("no differences")
      }
      return .table(try session.changeReport.changeTable(differences, inJSON: true))
    }
    let table = try session.changeReport.changeTable(
      differences,
      inJSON: session.settings.printsJSON
    )
    session.notes.warning = found.unsureWords
    throw Differences(
      table: found.adding(to: table, inJSON: session.settings.printsJSON),
      changes: differences,
      unsure: found.unsureWords
    )
  }
}

/// The values of the fields by which records are compared, in those that differ.
struct DifferenceKeys {
  /// The fields.
  var names: [String] = []
  /// The number of records without identifiers of which it is not certain which they are in the other store.
  var unsureCount = 0
  var inserted: [[Value]] = []
  var updated: [[Value]] = []
  var deleted: [[Value]] = []

  /// Says how many records are uncertain, and what helps; nil if all are certain.
  var unsureWords: String? {
    guard unsureCount > 0 else { return nil }
    return
      "\(counted(unsureCount)) may be in the other file with other values; add \"by FIELD\" to say "
      + "which field identifies a record"
  }

  /// The table of the differences with the keys after the identifiers.
  func adding(to table: OutputTable, inJSON: Bool) -> OutputTable {
    let values = inserted + updated + deleted
    guard !names.isEmpty, values.count == table.rows.count else { return table }
    let place = 3
    var columns = table.columns
    columns.insert(contentsOf: inJSON ? ["key"] : names, at: place)
    let rows = zip(table.rows, values).map { row, key in
      var row = row
      let cells =
        inJSON
        ? [Value.json(JSONObject(zip(names, key).map { ($0, $1.jsonText) }).text)] : key
      row.insert(contentsOf: cells, at: place)
      return row
    }
    return OutputTable(columns: columns, rows: rows)
  }
}

extension CompareStores {
  /// The only entity of another store and the one to compare it with, which is named or the only one; nil for other
  /// stores, and if the names are the same.
  ///
  /// The entity of a file is named after it, so a copy under another name has another entity.
  fileprivate func onlyEntities(_ own: Schema, _ other: Schema) -> (own: String, other: String)? {
    let only = own.entities.count == 1 ? own.entities[0].name : nil
    guard let name = entityName ?? only, other.entities.count == 1,
      name != other.entities[0].name
    else { return nil }
    return (name, other.entities[0].name)
  }

  /// Refuses to compare stores that have nothing in common: files are entities by their names.
  fileprivate func requireCommonEntity(_ own: Schema, _ other: Schema) throws {
    let names = own.entities.map(\.name)
    let others = other.entities.map(\.name)
    guard !names.isEmpty, !others.isEmpty, Set(names).isDisjoint(with: others) else { return }
    throw CommandError(
      "\(LocationText.withoutPasswords(location)): no entity in common: it has "
        + "\(others.joined(separator: ", ")), this store has \(names.joined(separator: ", "))",
      code: .unknownEntity
    )
  }
}

/// The differences between two stores: results for standard output, but also a failure.
struct Differences: FailureWithResult, CustomStringConvertible {
  private let table: OutputTable
  private let counts: (added: Int, changed: Int, removed: Int)
  private let unsure: String?

  init(table: OutputTable, changes: ChangeSet, unsure: String?) {
    (self.table, self.unsure) = (table, unsure)
    counts = (changes.inserted.count, changes.updated.count, changes.deleted.count)
  }

  var code: FailureCode { .different }
  var column: Int? { nil }
  var message: String { description }
  var outcome: Outcome { .table(table) }

  var description: String {
    "\(counted(counts.added + counts.changed + counts.removed, "difference")): "
      + "\(counts.added) added, \(counts.changed) changed, \(counts.removed) removed"
      + (unsure.map { "; " + $0 } ?? "")
  }
}

extension CompareStores {
  /// Opens another store for reading, and notes what opening it tells.
  ///
  /// - Throws: `OpeningFailure`.
  private func openOther(_ session: Session) throws -> ModelContext {
    do {
      let opened = try session.services.open(
        location,
        schema: nil,
        isReadOnly: true,
        reading: reading
      )
      guard opened.exists else {
        throw PersistenceError(
          .inaccessible,
          "\(LocationText.withoutPasswords(location)): not found"
        )
      }
      session.notes.remarks += opened.notes
      return ModelContext(opened.container)
    } catch  where !(error is Interruption.Stopped) {
      throw OpeningFailure(cause: error)
    }
  }
}
