import Expressions
import Foundation
import OpenSwiftData

/// The records that `set` changes, the files that it joins to them, and the order in which it computes values.
struct SetSelection: Hashable, Sendable {
  var target: Target
  var files = CommandFiles()
  /// The keys of the order; without them it is that of the store.
  var sort: [ComputedColumns.Item] = []
  /// What the functions of records in their order count separately for.
  var per: [ComputedColumns.Item] = []

  /// Finds the records.
  ///
  /// - Returns: The records, and those that are left out because their rows cannot be found, if `failing` allows that.
  /// - Throws: `CommandError` with the first records whose rows cannot be found, the error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records that the target names.
  func records(failing: FailingValues, in session: Session) throws -> (
    found: [PersistentIdentifier], failures: RecordFailures
  ) {
    let identifiers = try session.identifiers(of: target)
    var failures = RecordFailures()
    guard !files.conditions.isEmpty, let first = identifiers.first else {
      return (identifiers, failures)
    }
    let entity = try session.context.schema.entity(named: first.entityName)
    let joined = try JoinedRows(files.plan(of: entity, in: session).plan)
    var found: [PersistentIdentifier] = []
    for batch in identifiers.batches {
      try Interruption.check()
      let snapshots = try session.context.snapshots(for: Array(batch))
      for identifier in batch {
        guard let snapshot = snapshots[identifier] else { continue }
        failures.recordCount += 1
        let values = snapshot.arranged(as: entity.layout).orderedValues
        let rows = joined.rows(
          beside: ExpressionRow(values: values, of: identifier),
          failing: failing
        )
        if let failure = rows.failures.first {
          failures.add(failure, of: identifier.description)
          session.notes.refused?.append(
            RefusedValue(record: identifier, field: nil, reason: "\(failure)")
          )
        }
        if !rows.rows.isEmpty { found.append(identifier) }
      }
    }
    if failing == .refused, let error = failures.error { throw error }
    return (found, failures)
  }
}

extension SetSelection {
  /// Reads a selection, up to the first assignment; the entity is nil for empty input.
  static func take(_ arguments: inout Arguments, _ session: Session) throws -> (
    selection: SetSelection, entity: Schema.Entity?, scope: ExpressionScope?
  ) {
    let start = try takeStart(&arguments, session)
    guard let entity = start.entity else {
      return (SetSelection(target: start.target), nil, nil)
    }
    var target = start.target
    var reader = try ListClauseReader(arguments.line, of: entity, takesOneRow: true, in: session)
    if start.isFiltered {
      var query = Query(entity.name)
      if let filter = try reader.files.takeFilter(&arguments, of: entity, session) {
        query.filter = filter
      }
      target = .query(query)
    }
    var given: Set<String> = []
    while let clause = arguments.startedClause {
      if clause == "join" {
        _ = arguments.take(clause)
        try reader.files.takeJoin(&arguments)
      } else if try arguments.takeOnce(clause, &given) {
        let items = try reader.items(
          &arguments,
          after: clause,
          as: clause == "sort" ? .sortKeys : .columns
        )
        if clause == "sort" { reader.sort = items } else { reader.per = items }
      }
    }
    try arguments.refuseConditionAfterClauses()
    try reader.checkOrder()
    let selection = SetSelection(
      target: target,
      files: reader.files.written,
      sort: reader.sort.map(\.written),
      per: reader.per.map(\.written)
    )
    return (selection, entity, reader.files.scope)
  }

  /// Reads what the records are named by: an identifier, `-`, `[ENTITY] where`, or nothing on the screen.
  private static func takeStart(_ arguments: inout Arguments, _ session: Session) throws -> (
    target: Target, entity: Schema.Entity?, isFiltered: Bool
  ) {
    let schema = session.context.schema
    if arguments.startsFilteredEntity {
      let entity = try session.takeEntity(&arguments)
      _ = arguments.take("where")
      return (.query(Query(entity.name)), entity, true)
    }
    if let records = try session.takeInputTarget(&arguments) {
      let entity = try records.first.map { try schema.entity(named: $0.entityName) }
      return (.records(records), entity, false)
    }
    if let screen = session.origin.screen, let word = arguments.peek,
      arguments.computedTarget != nil || arguments.startedClause != nil
        || word.assignment.map({ !$0.name.isEmpty }) ?? arguments.startsObject
    {
      return (.selection, try schema.entity(named: screen.entityName), false)
    }
    if let clause = arguments.startedClause {
      throw CommandError(
        "which record? write \"set where P \(clause) …\""
          + (clause == "join" ? " or \"set ID join …\"" : "; \"where true\" means all")
      )
    }
    let word = try arguments.require("record ID or \"where\"")
    guard word.assignment == nil else {
      if let line = arguments.lineWithPredicateFirst(word) {
        throw CommandError("write the predicate before the values: \(line)")
      }
      throw CommandError(
        "which record? use \"set ID \(word.text)\" or \"set where P \(word.text)\""
      )
    }
    if let hint = word.quotingHint {
      throw CommandError("\(Value.quoted(word.text)) is not an identifier; \(hint)")
    }
    let identifier = try session.liveIdentifier(session.script.recordName(word, in: schema))
    return (.records([identifier]), try schema.entity(named: identifier.entityName), false)
  }
}

extension MatchCheck {
  /// Begins in the same way for records that are joined to the rows of files.
  init(
    _ selection: SetSelection,
    _ failing: FailingValues,
    _ session: Session,
    since reportCount: Int? = nil,
    except changed: Set<PersistentIdentifier> = []
  ) throws {
    try self.init(selection.target, session, since: reportCount, except: changed)
    guard let query, !selection.files.conditions.isEmpty else { return }
    let entity = try session.context.schema.entity(named: query.entityName)
    joined = (try JoinedRows(selection.files.plan(of: entity, in: session).plan), failing)
  }
}

extension Arguments {
  /// The clause that the next word begins, not an assignment to a field of this name.
  fileprivate var startedClause: String? {
    guard computedTarget == nil else { return nil }
    return ["join", "sort", "per"].first { peek?.isKeyword($0) == true }
  }

  /// Rejects a condition that follows the files or the order.
  fileprivate func refuseConditionAfterClauses() throws {
    guard let word = peek, word.isKeyword("where") else { return }
    throw CommandError(
      "write the condition before join, sort and per: set where P join …",
      column: line.column(of: word.start)
    )
  }

  /// The line `set where P FIELD=VALUE …` for one whose predicate follows the values; nil for any other line.
  fileprivate func lineWithPredicateFirst(_ first: CommandText.Word) -> String? {
    guard let place = remaining.first(where: { $0.isKeyword("where") }) else { return nil }
    let values = line.typed(first.start..<place.start)
    return "set \(line.typed(place.start...)) \(values)".trimmingCharacters(in: .whitespaces)
  }
}
