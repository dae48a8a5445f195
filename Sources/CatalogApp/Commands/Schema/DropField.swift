import OpenSwiftData

/// `field drop`: removes a field.
struct DropField: Instruction {
  let entityName: String
  let name: String

  static let command = Command(
    "field drop",
    usage: "[ENTITY] NAME",
    summary: "remove a field and its values",
    details: """
      "save" writes the change; "undo" restores the field with its values. On the screen it asks first.
      """,
    changesData: true
  ) { arguments, session in
    let entity = try arguments.takeEntity(before: 1, in: session)
    return DropField(entityName: entity.name, name: try arguments.require("field name").text)
  }

  func perform(in session: Session) throws -> Outcome {
    let entity = try session.context.schema.entity(named: entityName)
    if session.origin.asksFirst { return try question(of: entity, session.context) }
    let note = try session.change(.dropAttribute(entity: entityName, name: name))
    session.notes.stepName = "field drop \(name)"
    return .schema("removed \(name) from \(entityName)", note)
  }

  /// Asks whether to drop the field, with the number of values that would be lost.
  private func question(of entity: Schema.Entity, _ context: ModelContext) throws -> Outcome {
    _ = try entity.attribute(named: name)
    try context.checkStaging(.dropAttribute(entity: entity.name, name: name))
    let query = Query(entity.name, filter: .not(.isNull(name)))
    let count = try context.fetchCount(matching: query)
    let values =
      count == 0
      ? "No record has a value in this field." : "\(counted(count, "value")) will be deleted."
    return .question(
      "drop field \(name) from \(entity.name)?",
      details: [values, try context.canStageSchema() ? "Nothing is written until you save." : ""]
        .filter { !$0.isEmpty }
    )
  }
}
