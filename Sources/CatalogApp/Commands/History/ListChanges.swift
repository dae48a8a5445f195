import OpenSwiftData

/// `changes`: lists the unsaved changes.
struct ListChanges: Instruction {
  /// True to print the statements of a save instead.
  var showsStatements = false

  static let command = Command(
    "changes",
    usage: "[sql]",
    summary: "list the unsaved changes",
    details: """
      + is a new record, ~ a changed one, - a deleted one; schema is a change of the schema. Of JSON, the parts that
      differ are named by their paths. In json and jsonl, an object for each record has
      the members op (insert, update or delete), entity, id, before and after; of a changed record they hold
      the fields that differ. "changes sql" prints the statements that a save to a database would make; the
      keys of new records are examples. A comment says what foreign keys of a database would change as well.
      """
  ) { arguments, _ in ListChanges(showsStatements: arguments.take("sql")) }

  func perform(in session: Session) throws -> Outcome {
    if showsStatements { return .lines(try pendingStatements(session)) }
    if session.origin.isOnScreen, session.context.hasChanges { return .screen(.changes) }
    let changes = try session.context.toldChanges()
    let (report, steps) = (session.changeReport, session.context.unsavedSchemaSteps)
    if session.script.isEnding, let remark = rehearsalRemark(session) {
      session.notes.remarks.append(remark)
    }
    let inJSON = session.settings.printsJSON
    let converted = ConvertedValues(by: steps, today: report.clock.today)
    let table = try report.changeTable(changes, besides: converted, inJSON: inJSON)
    // Changes of the schema have no entity or record of their own.
    let rows = converted.rows(in: changes, inJSON: inJSON) + table.rows
    return .table(OutputTable(columns: table.columns, rows: rows))
  }
}

extension Session {
  /// Describes changes.
  var changeReport: ChangeReport { ChangeReport(schema: context.schema, clock: services.clock) }
}

/// Changes as rows and lines: in words for people, with all values for programs.
struct ChangeReport {
  /// The schema, for the titles of records.
  let schema: Schema
  let clock: WallClock

  /// The changes as rows: with all values for programs, in words for people, who are told of converted values by the
  /// row of the conversion.
  ///
  /// - Throws: `Interruption.Stopped`.
  func changeTable(
    _ changes: ChangeSet,
    besides converted: ConvertedValues? = nil,
    inJSON: Bool
  ) throws -> OutputTable {
    let counter = WorkCounter(of: changes.count)
    func rows<Change>(_ changes: [Change], _ row: (Change) -> [Value]) throws -> [[Value]] {
      try changes.map { change in
        try counter.add()
        return row(change)
      }
    }
    guard inJSON else {
      return try OutputTable(
        columns: ["op", "entity", "id", "change"],
        rows: rows(changes.inserted) { row("+", $0.persistentIdentifier, schema.title(of: $0)) }
          + rows(changes.updated) { update in
            row("~", update.persistentIdentifier, Self.text(of: update, besides: converted))
          }.filter { $0[3] != .text("") }
          + rows(changes.deleted) { row("-", $0.persistentIdentifier, schema.title(of: $0)) }
      )
    }
    return try OutputTable(
      columns: ["op", "entity", "id", "before", "after"],
      rows: rows(changes.inserted) { row("insert", $0, .null, Self.object($0)) }
        + rows(changes.updated) { row(of: $0) }
        + rows(changes.deleted) { row("delete", $0, Self.object($0), .null) }
    )
  }

  private func row(_ sign: String, _ identifier: PersistentIdentifier, _ change: String) -> [Value]
  {
    [.text(sign), .text(identifier.entityName), .text(identifier.description), .text(change)]
  }

  /// A changed record with the fields that differ.
  func row(of update: RecordUpdate) -> [Value] {
    let after = update.after
    let before = update.before.arranged(as: after.layout)
    let slots = after.layout.names.indices.filter {
      before.orderedValues[$0] != after.orderedValues[$0]
    }
    return row("update", after, Self.object(before, slots), Self.object(after, slots))
  }

  /// A record with the values before and after the change.
  func row(_ name: String, _ snapshot: DefaultSnapshot, _ before: Value, _ after: Value)
    -> [Value]
  {
    let identifier = snapshot.persistentIdentifier
    return [
      .text(name), .text(identifier.entityName), .text(identifier.description), before, after,
    ]
  }

  /// The values at the slots, or all of them, as a JSON object.
  static func object(_ snapshot: DefaultSnapshot, _ slots: [Int]? = nil) -> Value {
    let names = snapshot.layout.names
    return .json(
      JSONObject(
        (slots ?? Array(names.indices)).map { (names[$0], snapshot.orderedValues[$0].jsonText) }
      ).text
    )
  }
}

extension CurrentStore {
  /// What foreign keys would change beside a save; nil for nothing.
  ///
  /// - Throws: The error of a store that cannot be read.
  func cascadeRemark(of changes: ChangeSet) throws -> String? {
    guard let effects = try explainingStore?.cascades(of: changes), let words = effects.words else {
      return nil
    }
    return "foreign keys also: \(words)" + (effects.limitRemark.map { "; \($0)" } ?? "")
  }
}

extension ListChanges {
  /// The statements that a save would make.
  ///
  /// - Throws: `CommandError` for a store that is not a database, the error of changes that cannot be saved.
  private func pendingStatements(_ session: Session) throws -> [String] {
    guard let store = session.store.explainingStore else {
      throw CommandError(
        "changes sql: store \(session.store.name) does not use SQL",
        code: .unsupported
      )
    }
    let steps = session.context.unsavedSchemaSteps
    guard steps.isEmpty else {
      throw CommandError(
        "changes sql: the schema has unsaved changes (\(steps.map(\.words).joined(separator: "; "))); "
          + "save them first, or run \"changes\"",
        code: .unsupported
      )
    }
    let changes = session.context.pendingChanges
    return try store.statements(of: changes).map { $0 + ";" }
      + (session.store.cascadeRemark(of: changes).map { ["-- \($0)"] } ?? [])
  }
}

extension ModelContext {
  /// The unsaved changes of records, with those of removed entities.
  ///
  /// A record that `undo` has restored is a new one also if another program has deleted it.
  var unsavedChanges: ChangeSet {
    var changes = pendingChanges
    changes.deleted += recordsOfRemovedEntities
    let restored = restoredRecordsDeletedElsewhere
    guard !restored.isEmpty else { return changes }
    let isRestored = { (update: RecordUpdate) in restored.contains(update.persistentIdentifier) }
    changes.inserted += changes.updated.filter(isRestored).map(\.after)
    changes.updated.removeAll(where: isRestored)
    return changes
  }

  /// The unsaved changes as people are told of them, with the former values of converted fields.
  ///
  /// - Throws: The error of a store that cannot be read, or `Interruption.Stopped`.
  func toldChanges() throws -> ChangeSet { try withFormerValues(unsavedChanges) }
}
