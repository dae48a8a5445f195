import OpenSwiftData

/// `schema check`: compares the schema with a schema file.
struct CheckSchema: Instruction {
  /// The path; `-` for standard input.
  let path: String

  static let command = Command(
    "schema check",
    usage: "FILE|-",
    summary: "compare the schema with a schema file, and fail if they differ",
    details: """
      Prints a line for each entity or field that is missing, unexpected or different, and nothing if the
      schemas are the same. The order of entities and fields does not matter.
      """,
    takesFile: true
  ) { arguments, _ in
    CheckSchema(path: try arguments.require("file name").text)
  }

  func perform(in session: Session) throws -> Outcome {
    let differences = try SchemaPlan(reading: path, in: session).differences
    if session.origin.isOnScreen {
      return differences.isEmpty ? .done("no differences from \(path)") : .lines(differences)
    }
    guard differences.isEmpty else {
      throw Findings(differences, of: "schema check", "difference", .schemaDiffers)
    }
    return .facts(Facts([], [("differences", "[]")]))
  }
}
