import OpenSwiftData

/// `schema`: prints the fields of an entity.
struct PrintSchema: Instruction {
  /// The entity; nil for all of them.
  let entityName: String?

  static let command = Command(
    "schema",
    usage: "[ENTITY]",
    summary: "print the fields of an entity with their types",
    details: "Without ENTITY, the fields of all entities."
  ) { arguments, session in
    let isNamed =
      !arguments.isEmpty || session.entityName != nil || session.context.schema.entities.count == 1
    let name = isNamed ? try session.takeEntity(&arguments).name : nil
    try arguments.finish()
    return PrintSchema(entityName: name)
  }

  func perform(in session: Session) throws -> Outcome {
    let isNamed = entityName != nil
    let entities =
      try entityName.map { [try session.context.schema.entity(named: $0)] }
      ?? session.context.schema.entities
    let columns = ["field", "type", "required", "unique", "default"]
    return .table(
      OutputTable(
        columns: isNamed ? columns : ["entity"] + columns,
        rows: entities.flatMap { entity in
          entity.fields.map { attribute in
            (isNamed ? [] : [.text(entity.name)]) + [
              .text(attribute.name), .text(attribute.typeSpelling),
              .boolean(!attribute.isOptional), .boolean(attribute.isUnique), attribute.defaultValue,
            ]
          }
        }
      )
    )
  }
}
