import OpenSwiftData

/// `entities`: lists the entities of the store.
struct ListEntities: Instruction {
  static let command = Command(
    "entities",
    summary: "list the entities with their record counts and fields",
    details: """
      Views of a database are not counted, because that may take long; use "count VIEW".
      In json and jsonl, "fieldNames" has the names of the fields as an array, and "fields" as one text.
      """
  ) { _, _ in ListEntities() }

  func perform(in session: Session) throws -> Outcome {
    let inJSON = session.settings.printsJSON
    return .table(
      OutputTable(
        columns: ["name", "records", "fields"] + (inJSON ? ["fieldNames"] : []),
        rows: try session.context.schema.entities.map { entity in
          let names = entity.fields.map(\.name)
          return [
            .text(entity.name),
            try session.context.countAmongOthers(entity).map { .integer(Int64($0)) } ?? .null,
            .text(names.joined(separator: ", ")),
          ] + (inJSON ? [.json(JSONObject.array(names))] : [])
        }
      )
    )
  }
}

extension ModelContext {
  /// The number of records of an entity, among others; nil if they are damaged, or the rows of a query such as a view,
  /// so that the others are counted.
  ///
  /// - Throws: The error of a store that cannot be read.
  func countAmongOthers(_ entity: Schema.Entity) throws -> Int? {
    if computesRecords(of: entity.name) { return nil }
    do {
      return try fetchCount(matching: Query(entity.name))
    } catch let error as PersistenceError where error.code == .damaged {
      return nil
    }
  }
}
