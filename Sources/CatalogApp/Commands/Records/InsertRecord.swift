import OpenSwiftData

/// `insert`: adds a record.
struct InsertRecord: Instruction {
  let entityName: String
  let assignments: [Assignment]
  /// The entity with the fields that the record brings with it; nil if it has fields.
  var described: Schema.Entity?

  static let command = Command(
    "insert",
    usage: "[ENTITY] FIELD=VALUE …  |  insert [ENTITY] {\"FIELD\": VALUE, …}",
    summary: "add a record and print its temporary identifier",
    details: """
      Fields you leave out get their default. In a plain JSON, CSV or TSV file without fields and records, the first
      record brings its fields with it.
      """.replacing("\n", with: " ") + " " + SetValues.valueDetails,
    changesData: true,
    isEdit: true
  ) { arguments, session in
    let entity = try session.takeEntityOfFirstRecord(&arguments)
    let described = try session.describing(entity, by: arguments)
    let assignments = try session.takeAssignments(&arguments, for: described ?? entity)
    return InsertRecord(entityName: entity.name, assignments: assignments, described: described)
  }

  var showsNewRecord: Bool { true }
  var isQuick: Bool { described == nil }

  func perform(in session: Session) throws -> Outcome {
    try session.describeFirst(described)
    let entity = try session.context.schema.entity(named: entityName)
    try entity.refuse(because: entity.additionRefusal)
    try session.keepTexts(in: assignments, of: entityName)
    let current = try session.context.schema.entity(named: entityName)
    let values = try session.values(assignments, for: current)
    let record = Record(entity: current)
    for (attribute, value) in values { try record.set(value, for: attribute.name) }
    session.context.insert(record)
    if var computed = try ComputedValues(assignments, of: current, in: session) {
      for state in try session.context.states(for: [record.persistentModelID]) {
        try computed.set(in: state)
      }
      try computed.finish([record.persistentModelID], of: entityName, in: session)
    }
    session.script.identifiers.note([record.persistentModelID], inLine: session.script.lineNumber)
    session.nameStep("insert", [record.persistentModelID], record.snapshot)
    let name = record.persistentModelID.description
    return .facts(Facts([name], [("id", JSONText.quoted(name))]))
  }
}
