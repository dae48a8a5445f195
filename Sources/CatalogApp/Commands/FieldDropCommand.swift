import OpenSwiftData

extension Command {
  /// `field drop`: removes a field.
  static let fieldDrop = Command(
    "field drop",
    usage: "[ENTITY] NAME",
    summary: "remove a field and its values",
    details: "\"save\" writes the change; \"undo\" restores the field and its values.",
    changesData: true
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments, before: 1)
    let name = try arguments.require("field name").text
    try arguments.finish()
    if session.asksFirst { return try session.dropQuestion(name, of: entity) }
    let note = try session.change(.dropAttribute(entity: entity.name, name: name))
    return .schema("removed \(name) from \(entity.name)", note)
  }
}

extension Session {
  /// Whether to drop a field, with the number of values that go.
  fileprivate func dropQuestion(_ name: String, of entity: Schema.Entity) throws -> Outcome {
    _ = try entity.attribute(named: name)
    let query = Query(entity.name, filter: .not(.isNull(name)))
    let count = try context.fetchCount(matching: query)
    let values =
      count == 0
      ? "No record has a value in this field." : "\(Self.counted(count, "value")) will be deleted."
    return .question(
      "drop field \(name) from \(entity.name)?",
      details: [values, context.canStageSchema ? "Nothing is written until you save." : ""]
        .filter { !$0.isEmpty }
    )
  }
}
