import Expressions
import OpenSwiftData

/// Values that a command computes for each record from what the record was before: `price:=price * 1.1`.
struct ComputedValues {
  /// A field, or a value inside a JSON field, with its expression.
  fileprivate struct Part {
    let field: Schema.Attribute
    let slot: Int
    let path: MemberPath?
    let expression: CompiledExpression
  }

  private var parts: [Part] = []
  /// The order in which functions such as `row()` see the records.
  private let order: ListPlan
  /// What these functions give for the records; nil before they are in order, and without such functions.
  private var ordered: OrderedResults?
  /// The fields from which the values are computed.
  private var sources: Set<String>
  /// The rows of files beside the records.
  private let joined: JoinedRows
  private let failing: FailingValues
  private var failures = RecordFailures()
  /// True if a record had another value than the computed one.
  private var hasChanges = false
  /// True if values were computed, and the records had all of them before.
  var changesNothing: Bool { !hasChanges && failures.recordCount > failures.count }
  /// The values that could not be computed, if they are to be looked at.
  private var refused: [RefusedValue]?

  /// Prepares the computed ones among assignments; nil if there is none.
  ///
  /// - Throws: `CommandError` if a name or a type does not fit, as after a change of another program.
  init?(
    _ assignments: [Assignment],
    of entity: Schema.Entity,
    from selection: SetSelection? = nil,
    failing: FailingValues = .refused,
    in session: Session
  ) throws {
    guard assignments.contains(where: \.isComputed) else { return nil }
    var targets: [(field: Schema.Attribute, slot: Int, path: MemberPath?)] = []
    self.failing = failing
    refused = session.notes.refused == nil || failing == .missing ? nil : []
    let files = selection?.files ?? CommandFiles()
    sources = try files.plan(of: entity, in: session).fields
    var scope = session.expressionScope(of: entity)
    files.extend(&scope)
    var clauses = ListClauses()
    do {
      // The records meet the conditions, or have met them until the same command changed them.
      try files.withoutConditions.add(to: &clauses, in: scope)
      clauses.sort = try (selection?.sort ?? []).map { (try $0.item(in: scope), $0.isDescending) }
      clauses.per = try (selection?.per ?? []).map { try $0.item(in: scope) }
    } catch let error as SyntaxProblem {
      throw CommandError(error.message, code: FailureCode(error))
    }
    for assignment in assignments {
      guard case .computed(let text) = assignment.content else { continue }
      let path = MemberPath(assignment.field, of: entity)
      let field = try entity.attribute(named: path?.field ?? assignment.field)
      guard let slot = entity.layout.slot(of: field.name) else { continue }
      do {
        let parsed = try ExpressionParser.parse(text, in: scope)
        _ = try CompiledExpression.checkInOrder(parsed, text: text, in: scope)
        clauses.columns.append(ListItem(parsed, in: text))
      } catch {
        throw CommandError("\(assignment.field): \(error.message)", code: FailureCode(error))
      }
      targets.append((field, slot, path))
    }
    do { order = try ListPlan(clauses, in: scope) } catch {
      throw CommandError(error.message, code: FailureCode(error))
    }
    joined = try JoinedRows(order)
    sources.formUnion(order.fields.map { scope.fieldName(at: $0) })
    parts = zip(targets, order.expressions).map { target, expression in
      Part(field: target.field, slot: target.slot, path: target.path, expression: expression)
    }
  }

  /// Computes what the functions of records in their order give for the records of the command.
  ///
  /// - Throws: `CommandError` with the first records for which a value of the order cannot be computed,
  ///   `Interruption.Stopped`.
  /// - Complexity: O(n log n) in the number of records.
  mutating func takeOrder(
    of identifiers: [PersistentIdentifier],
    _ entity: Schema.Entity,
    in session: Session
  ) throws {
    guard order.usesOrder else { return }
    var evaluation = try ListEvaluation(order, failing: failing)
    let reportCount = session.context.reportCount
    var found: [PersistentIdentifier] = []
    for batch in identifiers.batches {
      try Interruption.check()
      let snapshots = try session.context.snapshots(for: Array(batch))
      for identifier in batch {
        guard let snapshot = snapshots[identifier] else { continue }
        let values = snapshot.arranged(as: entity.layout).orderedValues
        let count = try evaluation.addRows(of: ExpressionRow(values: values, of: identifier))
        if count > 0 { found.append(identifier) }
      }
    }
    let results = try evaluation.results()
    if failing == .refused, let error = evaluation.failures.error { throw error }
    ordered = OrderedResults(
      identifiers: found,
      values: results.values,
      count: results.count,
      leftOut: results.leftOut,
      reportCount: reportCount
    )
  }

  /// Checks that no other program has saved since the records were in order.
  ///
  /// - Throws: `OvertakenMatches`.
  func checkOrder(_ context: ModelContext) throws {
    if let ordered, ordered.reportCount != context.reportCount { throw OvertakenMatches() }
  }

  /// Sets the values in a record, unless it is skipped or an earlier one has failed.
  ///
  /// - Returns: False for a record that is skipped, whose other values stay as they are as well.
  @discardableResult
  mutating func set(in state: ModelState) throws -> Bool {
    failures.recordCount += 1
    let record = ExpressionRow(values: state.orderedValues, of: state.identifier)
    let found = joined.rows(beside: record, failing: failing)
    var failure = found.failures.first
    let results = ordered == nil || found.rows.isEmpty ? [] : ordered?.next(state.identifier)
    // What failed is among the failures of the order.
    if results == nil { failure = failure ?? ExpressionFailure("it has no place in the order") }
    var field: String?
    var values: [(part: Part, value: Value)] = []
    for part in parts {
      guard var row = found.rows.first, let results else { break }
      row.results = results
      do throws(ExpressionFailure) {
        let computed = try part.expression(row)
        values.append((part, try part.stored(computed)))
      } catch {
        if failure == nil { (failure, field) = (error, part.field.name) }
        if failing == .missing { values.append((part, .null)) }
      }
    }
    if let failure {
      failures.add(failure, of: state.identifier.description)
      refused?.append(RefusedValue(record: state.identifier, field: field, reason: "\(failure)"))
    }
    switch failing {
    case .refused where failures.count > 0: break
    case .skip where failure != nil: return false
    default:
      for (part, value) in values {
        hasChanges = try part.set(value, in: state) || hasChanges
      }
    }
    return true
  }

  /// Ends the command for all records: tells what failed, and lets the values be saved only if those from which they were
  /// computed are still the same.
  ///
  /// - Throws: `CommandError` with the first failures, unless records may fail.
  func finish(_ records: [PersistentIdentifier], of entityName: String, in session: Session) throws
  {
    session.notes.refused? += refused ?? []
    try tellFailures(&session.notes)
    session.context.compute(
      Set(parts.map(\.field.name)),
      of: records,
      of: entityName,
      from: sources.sorted()
    )
  }

  private func tellFailures(_ notes: inout CommandNotes) throws {
    let count = failures.count
    guard count > 0, let error = failures.error else { return }
    switch failing {
    case .refused: throw error
    case .missing: notes.remarks.append("values of \(counted(count)) are missing now")
    case .skip: notes.noteSkipped(failures)
    }
  }
}

/// What the functions of records in their order give for the records of a command.
private struct OrderedResults {
  let identifiers: [PersistentIdentifier]
  let values: [Computed]
  /// The number of values of each record.
  let count: Int
  let leftOut: Set<Int>
  /// The number of reports of other programs when the records were read.
  let reportCount: Int
  private var place = 0

  init(
    identifiers: [PersistentIdentifier],
    values: [Computed],
    count: Int,
    leftOut: Set<Int>,
    reportCount: Int
  ) {
    (self.identifiers, self.values, self.count) = (identifiers, values, count)
    (self.leftOut, self.reportCount) = (leftOut, reportCount)
  }

  /// The values of a record, which comes after those before; nil if it has none because something failed.
  mutating func next(_ identifier: PersistentIdentifier) -> [Computed]? {
    var found = place
    while found < identifiers.count, identifiers[found] != identifier { found += 1 }
    guard found < identifiers.count else { return nil }
    place = found + 1
    if leftOut.contains(found) { return nil }
    return Array(values[(found * count)..<((found + 1) * count)])
  }
}

extension CommandNotes {
  /// Says how many records a command has left as they were, because it could not compute their values.
  mutating func noteSkipped(_ failures: RecordFailures) {
    let count = failures.count
    // A preview names them.
    guard count > 0, refused == nil else { return }
    remarks.append("\(counted(count)) \(count == 1 ? "was" : "were") left as before")
  }
}

extension ComputedValues.Part {
  /// The value as the field keeps it.
  ///
  /// - Throws: `ExpressionFailure` for one that the field cannot keep.
  func stored(_ computed: Computed) throws(ExpressionFailure) -> Value {
    guard path == nil else { return computed.value ?? .null }
    do {
      return try field.checked(try computed.stored(as: field.type))
    } catch {
      throw ExpressionFailure("\(field.name): \(error)")
    }
  }

  /// Sets the value.
  ///
  /// - Returns: True if the record had another one.
  func set(_ value: Value, in state: ModelState) throws -> Bool {
    let former = path?.path.value(in: state.value(at: slot)) ?? state.value(at: slot)
    // A member that is missing stays missing instead of becoming null.
    if path != nil, value.isNull, former.isNull { return false }
    if let path {
      try MemberValue(path: path, slot: slot, content: .value(value)).set(in: state)
    } else if let reason = field.keyReason(state.identifier), former != value {
      throw CommandError(reason, code: .readOnly)
    } else {
      state.set(value, at: slot)
    }
    return former != value
  }
}

extension Session {
  /// Reads `FIELD := EXPRESSION` if it comes next.
  ///
  /// - Returns: The field or path as it was written, and the text of its expression.
  /// - Throws: `CommandError` with the column, for an expression that is not valid or whose type the field does not take.
  func takeComputed(
    _ arguments: inout Arguments,
    for entity: Schema.Entity,
    isInOrder: Bool = false,
    in scope: ExpressionScope? = nil
  ) throws -> (word: CommandText.Word, name: String, text: String)? {
    guard let target = arguments.computedTarget else { return nil }
    let line = arguments.line
    if entity.fieldsByName[target.name + ":"] != nil {
      throw CommandError(
        "\(entity.name) has a field \(Value.quoted(target.name + ":")); write `\(target.name):`=… for it or "
          + "\(target.name) :=…",
        column: line.column(of: target.word.start)
      )
    }
    do {
      let scope = scope ?? expressionScope(of: entity)
      let (expression, range, next) = try ExpressionParser.parse(
        line.text,
        from: target.start,
        in: scope
      )
      let type =
        try isInOrder
        ? CompiledExpression.checkInOrder(expression, text: line.text, in: scope)
        : CompiledExpression(expression, text: line.text, in: scope).type
      let column = line.column(of: expression.source.lowerBound)
      try entity.fieldsByName[target.name].map { try type.require(of: $0, column: column) }
      try arguments.skip(to: next)
      let bytes = Array(line.text.utf8)[range]
      return (target.word, target.name, String(decoding: bytes, as: UTF8.self))
    } catch let error as SyntaxProblem {
      throw CommandError(error, in: line)
    }
  }
}

extension ExpressionType {
  /// Checks that a field takes values of the type.
  ///
  /// - Throws: `CommandError` with both types.
  func require(of field: Schema.Attribute, column: Int? = nil) throws {
    guard let hint = misfit(in: field.type) else { return }
    throw CommandError(
      "\(field.name) has type \(field.type.description), the expression is \(rawValue)\(hint)",
      column: column,
      code: .invalidExpression
    )
  }
}

extension Arguments {
  /// The word and the name of the field before `:=` if that comes next, and where its expression begins; nil for anything
  /// else.
  var computedTarget: (word: CommandText.Word, name: String, start: Int)? {
    guard let word = peek else { return nil }
    if let name = word.assignedName {
      // Of `a:=b`, the colon has been read as part of the name; in quotes it belongs to it.
      guard name.hasSuffix(":"), name != ":",
        line.hasByte(UInt8(ascii: ":"), before: word.valueStart - 1)
      else { return nil }
      return (word, String(name.dropLast()), word.valueStart)
    }
    guard let next = remaining.dropFirst().first, next.text.hasPrefix(":="),
      line.hasByte(UInt8(ascii: ":"), before: next.start + 1)
    else { return nil }
    return (word, word.text, next.start + 2)
  }

  /// Skips the words that begin before a place, at which a comma may separate assignments.
  ///
  /// - Throws: `CommandError` if something follows the comma directly.
  fileprivate mutating func skip(to end: Int) throws {
    let bytes = Array(line.text.utf8)
    let isComma = end < bytes.count && bytes[end] == UInt8(ascii: ",")
    if isComma, end + 1 < bytes.count, bytes[end + 1] != 0x20 {
      throw CommandError("expected a space after \",\"", column: line.column(of: end + 1))
    }
    while let word = peek, word.start < end + (isComma ? 1 : 0) { _ = next() }
  }

  /// Reads `missing` or `skip` if it comes next.
  ///
  /// - Throws: `CommandError` if none of the assignments before is computed.
  mutating func takeFailing(after assignments: [Assignment]) throws -> FailingValues? {
    guard let word = peek,
      let failing = [FailingValues.missing, .skip]
        .first(where: { word.isKeyword($0.rawValue) })
    else { return nil }
    guard assignments.contains(where: \.isComputed) else {
      throw CommandError(
        "\"\(word.text)\" is about values that are computed; write FIELD:=EXPRESSION",
        column: line.column(of: word.start)
      )
    }
    _ = next()
    return failing
  }
}
