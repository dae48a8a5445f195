import OpenSwiftData

/// `entities`: lists the entities of the store.
struct ListEntities: Instruction {
  static let command = Command(
    "entities",
    summary: "list the entities with their record counts and fields",
    details: """
      In json and jsonl, "fieldNames" has the names of the fields as an array, and "fields" as one text.
      """
  ) { arguments, _ in
    try arguments.finish()
    return ListEntities()
  }

  func perform(in session: Session) throws -> Outcome {
    let inJSON = session.settings.printsJSON
    return .table(
      OutputTable(
        columns: ["name", "records", "fields"] + (inJSON ? ["fieldNames"] : []),
        rows: try session.context.schema.entities.map { entity in
          let names = entity.fields.map(\.name)
          return [
            .text(entity.name), try Self.count(of: entity, session),
            .text(names.joined(separator: ", ")),
          ] + (inJSON ? [.json(JSONObject.array(names))] : [])
        }
      )
    )
  }

  /// The number of records; null for an entity whose records are damaged, so that the others are listed.
  private static func count(of entity: Schema.Entity, _ session: Session) throws -> Value {
    do {
      return .integer(Int64(try session.context.fetchCount(matching: Query(entity.name))))
    } catch let error as PersistenceError where error.code == .damaged {
      return .null
    }
  }
}
