import OpenSwiftData

/// `entities`: lists the entities of the store.
struct ListEntities: Instruction {
  static let command = Command(
    "entities",
    summary: "list the entities with their record counts and fields"
  ) { arguments, _ in
    try arguments.finish()
    return ListEntities()
  }

  func perform(in session: Session) throws -> Outcome {
    .table(
      OutputTable(
        columns: ["name", "records", "fields"],
        rows: try session.context.schema.entities.map { entity in
          let count = try session.context.fetchCount(matching: Query(entity.name))
          return [
            .text(entity.name), .integer(Int64(count)),
            .text(entity.fields.map(\.name).joined(separator: ", ")),
          ]
        }
      )
    )
  }
}
