import Expressions
import Foundation
import OpenSwiftData

/// `set`: changes values of records.
struct SetValues: RecordInstruction {
  var selection: SetSelection
  let assignments: [Assignment]
  /// How many records there must be; nil for any number.
  var expectation: Expectation?
  /// What happens to records for which an expression has no value.
  var failing = FailingValues.refused

  var target: Target {
    get { selection.target }
    set { selection.target = newValue }
  }

  init(
    selection: SetSelection,
    assignments: [Assignment],
    expectation: Expectation? = nil,
    failing: FailingValues = .refused
  ) {
    (self.selection, self.assignments) = (selection, assignments)
    (self.expectation, self.failing) = (expectation, failing)
  }

  /// Reads what can follow the values: how many records there must be, and what happens to those without a value.
  init(
    _ selection: SetSelection,
    _ assignments: [Assignment],
    _ arguments: inout Arguments
  ) throws {
    var expectation = try arguments.takeExpectation()
    let failing = try arguments.takeFailing(after: assignments) ?? .refused
    if expectation == nil { expectation = try arguments.takeExpectation() }
    try arguments.finish()
    self.init(
      selection: selection,
      assignments: assignments,
      expectation: expectation,
      failing: failing
    )
  }

  /// Sets values that were not computed.
  init(target: Target, assignments: [Assignment]) {
    self.init(selection: SetSelection(target: target), assignments: assignments)
  }

  static let command = Command(
    "set",
    usage:
      "ID|- FIELD=VALUE … [expect N]  |  set [ENTITY] where P FIELD=VALUE … [expect N]  |  set … [join FILE as NAME by KEY [= COLUMN],…] [sort [-]K,…] [per K,…] FIELD:=EXPRESSION … [missing|skip]",
    summary: "change values of a record, or of all records that match",
    details: """
      FIELD= sets the field to null, FIELD="" to empty text. A path such as user.login or tags[0] sets one value
      inside a JSON field and leaves the others as they are. \(Self.valueDetails) With ":=" the value is
      computed from the record as it was before, such as price:=round(price * 1.1, 2); where it has no value, as
      after a division by zero, nothing changes, unless "missing" makes it null or "skip" leaves the record
      ("help functions" lists the functions). "join FILE as p by KEY = COLUMN" before the
      values adds the row of a file with the same key to each record: expressions and the condition can use
      p.COLUMN, which is null if no row has the key, such as price:=p.price ?? price. A key that several rows
      have is an error of its record. "sort K" before the values gives the order for row(), prev(x), running(x) and
      fill(x), such as sort day per city nr:=row(); with "per" they begin again for each value. With "expect", nothing
      changes unless there are exactly N records (or >=N, <N, …). On the screen, a line without ID and
      without where changes the marked records, or the one under the cursor.
      """ + "\n" + ShowRecord.identifierDetails,
    changesData: true,
    isEdit: true
  ) { arguments, session in
    let (selection, known, scope) = try SetSelection.take(&arguments, session)
    guard let entity = known else {
      return try SetValues.ofNoRecords(&arguments)
    }
    let first = arguments.peek
    let assignments = try session.takeAssignments(
      &arguments,
      for: entity,
      untilExpect: true,
      allowingPaths: true,
      in: scope
    )
    guard !assignments.isEmpty else {
      let isObject = first?.text.hasPrefix("{") ?? false
      throw CommandError(
        isObject ? "{} names no field; expected {\"FIELD\": VALUE}" : "missing FIELD=VALUE"
      )
    }
    return try SetValues(selection, assignments, &arguments)
  }

  /// The forms of values, for the help of the commands that assign them.
  static let valueDetails = """
    FIELD=$NAME takes the value of a parameter (--arg). A JSON object such as {"title": "Up"} sets the
    fields that it names.
    """.replacing("\n", with: " ")

  /// The instruction for empty input, whose entity is not known: its values cannot be checked.
  private static func ofNoRecords(_ arguments: inout Arguments) throws -> SetValues {
    while let word = arguments.peek, !word.isKeyword("expect") { _ = arguments.next() }
    let expectation = try arguments.takeExpectation()
    try arguments.finish()
    return SetValues(
      selection: SetSelection(target: .records([])),
      assignments: [],
      expectation: expectation
    )
  }

  var title: String { verb }
  var isQuick: Bool { target.isOneRecord }
  var verb: String { Self.verb(for: assignments.map(\.field)) }

  fileprivate static func verb(for names: [String], isRemoval: Bool = false) -> String {
    let verb = isRemoval ? "remove" : "set"
    return names.isEmpty ? verb : "\(verb) \(names.joined(separator: ", ")) of"
  }

  func perform(in session: Session) throws -> Outcome {
    let matches = try MatchCheck(selection, failing, session)
    let records = try selection.records(failing: failing, in: session)
    if failing == .skip { session.notes.noteSkipped(records.failures) }
    return try perform(on: records.found, matches, in: session)
  }

  /// Sets the values in records that the target names, or that a check found to match it.
  func perform(
    on identifiers: [PersistentIdentifier],
    _ check: MatchCheck,
    in session: Session
  ) throws -> Outcome {
    var matches = check
    try expectation?.check(identifiers.count)
    session.notes.count = identifiers.count
    if assignments.isEmpty {
      session.nameStep(verb, identifiers, nil)
      return .done(session.notes.stepName ?? "")
    }
    try session.keepTexts(in: assignments, of: session.entityName(of: target))
    // Reading the record may give fields other types.
    let first = try identifiers.first.flatMap { try session.context.snapshot(of: $0) }
    let entity = try session.context.schema.entity(named: session.entityName(of: target))
    let members = try session.memberValues(assignments, of: entity)
    let paths = Set(members.map(\.path.name))
    let values = try session.values(assignments.filter { !paths.contains($0.field) }, for: entity)
    var computed = try ComputedValues(
      assignments,
      of: entity,
      from: selection,
      failing: failing,
      in: session
    )
    try computed?.takeOrder(of: identifiers, entity, in: session)
    let step = Step(
      fields: assignments.count == 1 ? .one(assignments[0].field) : .all(assignments.map(\.field)),
      parts: values.contains { $0.value.isJSON } ? values : [],
      count: identifiers.count,
      record: identifiers.count == 1 ? first : nil,
      entity: entity
    )
    session.notes.step = .made { step.name }
    try assign(values, members, &computed, to: identifiers, first, of: entity, session) {
      try matches.check($0)
    }
    session.context.noteTyped(values.map(\.attribute.name), of: identifiers, of: entity.name)
    try computed?.finish(identifiers, of: entity.name, in: session)
    if let computed, computed.changesNothing, values.isEmpty, members.isEmpty {
      session.notes.remarks.append("nothing changed: the computed values are those from before")
    }
    return .done(session.settings.showsOutcomes ? step.outcome : "")
  }
}

/// What the name of the step consists of, which few commands of a script need.
private struct Step: Sendable {
  enum Fields: Sendable {
    /// One name takes no memory of its own.
    case one(String)
    case all([String])

    var names: [String] {
      switch self {
      case .one(let name): [name]
      case .all(let names): names
      }
    }
  }

  let fields: Fields
  /// The new values, if parts of one may be named.
  let parts: [(attribute: Schema.Attribute, value: Value)]
  let count: Int
  /// The record before the step, if it is the only one.
  let record: DefaultSnapshot?
  let entity: Schema.Entity

  /// `set year of 0s3k (Up)`.
  var name: String {
    let changed = changedFields
    return text(SetValues.verb(for: changed.names, isRemoval: changed.areRemoved))
  }

  /// The name, as what was done.
  var outcome: String {
    changedFields.areRemoved ? "removed" + name.dropFirst("remove".count) : name
  }

  private func text(_ verb: String) -> String {
    record.map { "\(verb) \(entity.label(of: $0))" }
      ?? "\(verb) \(counted(count))"
  }

  private var changedFields: (names: [String], areRemoved: Bool) {
    let changed = fields.names.map { name -> (names: [String], areRemoved: Bool) in
      record.map { Self.changedParts(of: name, parts, $0) } ?? ([name], false)
    }
    return (changed.flatMap(\.names), changed.allSatisfy(\.areRemoved))
  }

  /// The number of parts of a JSON value that are named instead of the field.
  private static let mostParts = 3

  /// The paths of the parts of a JSON field that differ in a record if they are few, or else the field, and whether
  /// they are all removed.
  private static func changedParts(
    of name: String,
    _ values: [(attribute: Schema.Attribute, value: Value)],
    _ snapshot: DefaultSnapshot
  ) -> (names: [String], areRemoved: Bool) {
    guard let new = values.first(where: { $0.attribute.name == name })?.value,
      let old = snapshot[name], old != new
    else { return ([name], false) }
    let parts = ValueChange.all(of: name, from: old, to: new)
    guard parts.count <= mostParts else { return ([name], false) }
    return (parts.map(\.name), parts.allSatisfy { $0.after == nil })
  }
}

extension Value {
  fileprivate var isJSON: Bool { if case .json = self { true } else { false } }
}

extension SetValues {
  /// Sets the same values in all the records, of which the first one was read, a batch at a time.
  ///
  /// - Complexity: O(n) in the number of records.
  private func assign(
    _ values: [(attribute: Schema.Attribute, value: Value)],
    _ members: [MemberValue],
    _ computed: inout ComputedValues?,
    to identifiers: [PersistentIdentifier],
    _ first: DefaultSnapshot?,
    of entity: Schema.Entity,
    _ session: Session,
    checking check: ([ModelState]) throws -> Void
  ) throws {
    let slots = values.compactMap { assignment in
      entity.layout.slot(of: assignment.attribute.name).map { (slot: $0, value: assignment.value) }
    }
    try refuseKeys(values, of: identifiers, first)
    try checkIsShown(first, session)
    let overtaken = identifiers.count == 1 ? first.map { valuesOvertaken(slots, $0, session) } : nil
    try entity.requireRoom(for: identifiers.count)
    let counter = WorkCounter(of: identifiers.count)
    let context = session.context
    for batch in identifiers.batches {
      try context.packingChanges {
        let states = try context.states(for: Array(batch))
        try check(states)
        try computed?.checkOrder(session.context)
        let current = try context.schema.entity(named: entity.name)
        // A value of another type was among the records: those before it are to get the same values.
        if current.layout.names == entity.layout.names, current != entity {
          throw OvertakenMatches()
        }
        for state in states {
          // Another program may have changed the schema since the values were typed.
          guard state.entity.layout == entity.layout else {
            throw CommandError(
              "another program changed the fields of \(entity.name); try again"
            )
          }
          // All of them see the record as it was before.
          try counter.add()
          guard try computed?.set(in: state) ?? true else { continue }
          for (slot, value) in slots { state.set(value, at: slot) }
          for member in members { try member.set(in: state) }
          if let overtaken, !overtaken.isEmpty { context.note(seen: overtaken, of: state) }
        }
      }
    }
  }

  /// Rejects other keys for saved records, which would become other records.
  ///
  /// - Throws: `CommandError` with the field and what to do instead.
  private func refuseKeys(
    _ values: [(attribute: Schema.Attribute, value: Value)],
    of identifiers: [PersistentIdentifier],
    _ first: DefaultSnapshot?
  ) throws {
    guard let saved = identifiers.first(where: { !$0.isTemporary }) else { return }
    for (attribute, value) in values {
      guard let reason = attribute.keyReason(saved) else { continue }
      // Setting the value that is there changes nothing.
      if identifiers.count == 1, first?[attribute.name] == value { continue }
      throw CommandError(reason, code: .readOnly)
    }
  }

  /// Refuses values that were typed over those of a record whose key is on another one now.
  ///
  /// - Throws: `CommandError` with the reason.
  private func checkIsShown(_ present: DefaultSnapshot?, _ session: Session) throws {
    guard let shown = session.origin.shown?.record, let present,
      present.persistentIdentifier == shown.persistentIdentifier, present != shown,
      let doubt = try session.context.doubts(about: [shown])[shown.persistentIdentifier]
    else { return }
    throw CommandError(
      "\(shown.persistentIdentifier.entityName) record \(shown.persistentIdentifier): \(doubt.reason)"
    )
  }

  /// The values that were on the screen, if the record has other ones now; adds a warning.
  private func valuesOvertaken(
    _ slots: [(slot: Int, value: Value)],
    _ snapshot: DefaultSnapshot,
    _ session: Session
  ) -> [Int: Value] {
    guard let shown = session.origin.shown else { return [:] }
    var found: [Int: Value] = [:]
    var texts: [String] = []
    for (slot, new) in slots where snapshot.layout.names.indices.contains(slot) {
      let name = snapshot.layout.names[slot]
      let current = snapshot.orderedValues[slot]
      // The command may have given the field another type.
      guard let value = shown.values[name], value.spelledAlike != current.spelledAlike,
        new != current
      else { continue }
      found[slot] = value
      texts.append("\(name) \(current.isNull ? "null" : Value.quoted(current.text))")
    }
    guard !found.isEmpty else { return [:] }
    session.notes.warning =
      "another program saved \(texts.joined(separator: ", ")) while you were editing; "
      + "resolve the conflict when you save"
    return found
  }
}

extension Arguments {
  /// True if the next words are `[ENTITY] where`.
  var startsFilteredEntity: Bool {
    let words = remaining.prefix(2)
    return words.first?.isKeyword("where") == true
      || (words.count == 2 && words.last?.isKeyword("where") == true
        && words.first?.assignment == nil)
  }
}
