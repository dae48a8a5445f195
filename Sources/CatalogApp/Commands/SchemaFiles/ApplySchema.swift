import OpenSwiftData

/// `schema apply`: makes what a schema file has and the store lacks.
struct ApplySchema: Instruction {
  /// The path; `-` for standard input.
  let path: String

  static let command = Command(
    "schema apply",
    usage: "FILE|-",
    summary: "create the entities and fields of a schema file that the store lacks",
    details: """
      FILE is what --schema reads and "schema export" writes. Prints each step; if nothing is missing, prints
      nothing. A field with an "originalName" is renamed if the store has one of that name. Entities and
      fields that the file lacks stay. If a field has other rules than in the file, nothing changes.
      "save" writes the changes, "undo" reverses them.
      """,
    changesData: true,
    takesFile: true
  ) { arguments, _ in
    ApplySchema(path: try arguments.require("file name").text)
  }

  func perform(in session: Session) throws -> Outcome {
    let changes: [SchemaChange]
    do {
      changes = try SchemaPlan(reading: path, in: session).changes()
    } catch let error as PersistenceError where error.code == .invalidSchema {
      throw CommandError("\(path): \(error)", code: .schemaDiffers)
    }
    let notes = try changes.compactMap { try session.change($0) }
    let steps = changes.compactMap { SchemaStep($0)?.words }
    session.notes.stepName = "schema apply \(path)"
    if session.origin.isOnScreen {
      return .done(
        steps.isEmpty ? "nothing is missing" : (steps + notes.prefix(1)).joined(separator: "; ")
      )
    }
    return .facts(Facts(steps + notes.prefix(1), [("steps", JSONObject.array(steps))]))
  }
}
