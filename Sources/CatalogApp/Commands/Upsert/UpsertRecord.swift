import OpenSwiftData

/// `upsert`: updates the record with a key, or inserts it.
struct UpsertRecord: Instruction {
  let entityName: String
  let keys: [String]
  let assignments: [Assignment]
  /// The identifier to look for; nil if fields are the key.
  let identifier: String?
  /// The entity with the fields that the record brings with it; nil if it has fields.
  var described: Schema.Entity?

  static let command = Command(
    "upsert",
    usage: "[ENTITY] by FIELD,… FIELD=VALUE …",
    summary: "update the record that has the same key, or add it",
    details: """
      The fields after "by" must be among those that are assigned. Prints
      "imported: I inserted, U updated, S unchanged, D deleted", as import does.
      """ + "\n" + SetValues.valueDetails,
    changesData: true,
    isEdit: true
  ) { arguments, session in
    let present = try session.takeEntityOfFirstRecord(&arguments)
    try session.context.settleTypes(of: present.name)
    let described = try session.describing(present, by: arguments)
    let entity = described ?? session.context.schema.entitiesByName[present.name] ?? present
    guard arguments.take("by") else {
      throw CommandError("missing key; use \"upsert by FIELD FIELD=VALUE …\"")
    }
    let keys = try LinkColumns.keys(
      arguments.requireKeys(),
      of: entity,
      in: session.context.schema
    )
    let isByIdentifier = keys == [entity.identifierKey]
    let target = isByIdentifier ? entity.withIdentifier : entity
    // Whether the record is new is not known yet.
    var assignments = try session.takeAssignments(&arguments, for: target, allowingPaths: true)
    for key in keys where !assignments.contains(where: { $0.field == key }) {
      throw CommandError("missing value of the key field \(Value.quoted(key))", code: .invalidValue)
    }
    var identifier: String?
    if isByIdentifier, let place = assignments.firstIndex(where: { $0.field == keys[0] }) {
      if case .value(.text(let text)) = assignments[place].content { identifier = text }
      guard identifier?.isEmpty == false else {
        throw CommandError("\(keys[0]): missing key", code: .invalidValue)
      }
      assignments.remove(at: place)
    }
    return UpsertRecord(
      entityName: entity.name,
      keys: keys,
      assignments: assignments,
      identifier: identifier,
      described: described
    )
  }

  var isQuick: Bool { described == nil }

  func perform(in session: Session) throws -> Outcome {
    try session.describeFirst(described)
    try session.keepTexts(in: assignments, of: entityName)
    let entity = try session.context.schema.entity(named: entityName)
    let members = try session.memberValues(assignments, of: entity)
    let paths = Set(members.map(\.path.name))
    let values = try session.values(assignments.filter { !paths.contains($0.field) }, for: entity)
    var upsert = try Upsert(session, entity, by: keys)
    do {
      try upsert.add(
        Upsert.Row(
          line: 0,
          slots: values.compactMap { entity.layout.slot(of: $0.attribute.name) },
          values: values.map(\.value),
          identifier: try identifier.map { try record($0, entity, session) }
        )
      )
      var counts = try upsert.apply(upsert.plan(mirror: false))
      if let record = counts.record, try set(members, in: record, session), counts.unchanged > 0 {
        upsert.identify([record])
        (counts.updated, counts.unchanged) = (1, 0)
      }
      let facts = counts.facts
      guard let record = counts.record else { return .facts(facts) }
      if counts.inserted > 0 {
        let values = values.map { ($0.attribute.name, $0.value) }
        session.valueIndex?.noteInsertion(
          of: record,
          to: entity,
          with: Dictionary(values) { $1 }
        )
      } else {
        let others = assignments.map(\.field).filter { !keys.contains($0) }
        session.valueIndex?.noteChange(of: entity.name, others)
      }
      if record.isTemporary { session.script.identifiers.noteAnswered(record) }
      return .facts(
        Facts(facts.lines, [("id", JSONText.quoted(record.description))] + facts.members)
      )
    } catch let error as ImportError {
      throw CommandError(error.reason, code: error.code)
    }
  }

  /// Sets values inside JSON; true if one differs from what was there.
  private func set(_ members: [MemberValue], in record: PersistentIdentifier, _ session: Session)
    throws -> Bool
  {
    let entity = try session.context.schema.entity(named: entityName)
    var computed = try ComputedValues(assignments, of: entity, in: session)
    guard !members.isEmpty || computed != nil,
      let state = try session.context.states(for: [record]).first
    else { return false }
    let before = state.orderedValues
    try computed?.set(in: state)
    try computed?.finish([record], of: entityName, in: session)
    for member in members { try member.set(in: state) }
    return state.orderedValues != before
  }

  private func record(_ text: String, _ entity: Schema.Entity, _ session: Session) throws
    -> PersistentIdentifier
  {
    let exact = try session.context.identifiers(exactly: text, of: entity.name)
    if let present = exact.first { return present }
    if let saved = session.script.identifiers.replaced(text) {
      return session.context.resolve(saved)
    }
    guard !text.isTemporaryName else {
      throw CommandError("record \(Value.quoted(text)) not found", code: .unknownRecord)
    }
    return try session.context.identifier(parsing: text, of: entity.name)
  }
}
