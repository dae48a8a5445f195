import OpenSwiftData

extension Command {
  /// `schema`: prints the fields of an entity.
  static let schema = Command(
    "schema",
    usage: "[ENTITY]",
    summary: "print the fields of an entity with their types",
    details: "Without ENTITY, the fields of all entities."
  ) { arguments, session in
    let all = session.context.schema.entities
    let isNamed = !arguments.isEmpty || session.entityName != nil || all.count == 1
    let entities = isNamed ? [try session.takeEntity(&arguments)] : all
    try arguments.finish()
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
