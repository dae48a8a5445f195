import OpenSwiftData

extension Command {
  /// `entities`: prints what kinds of records there are.
  static let entities = Command(
    "entities",
    summary: "list the entities with their record counts and fields"
  ) { arguments, session in
    try arguments.finish()
    return .table(
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
