import OpenSwiftData

/// `schema export`: writes the schema to a file.
struct ExportSchema: Instruction {
  /// The path; `-` for standard output.
  let path: String
  /// True if an existing file is replaced.
  let replaces: Bool

  static let command = Command(
    "schema export",
    usage: "FILE|- [replace]",
    summary: "write the schema to a file",
    details: """
      The file is what --schema, "schema apply" and "schema check" read. An existing file is replaced only with the
      word "replace", or with the option --replace. If FILE is -, the schema goes to standard output.
      """,
    takesFile: true
  ) { arguments, session in
    let path = try arguments.require("file name").text
    return ExportSchema(path: path, replaces: arguments.takeReplace(in: session))
  }

  func perform(in session: Session) throws -> Outcome {
    let schema = session.context.schema
    if path == "-" { return try .schemaFile(schema) }
    try session.requireExport(to: path, as: "schema export", replaces)
    guard session.settings.saving != .never else {
      return .note("would export the schema to \(path)")
    }
    var text = try SchemaFile.lines(schema).joined(separator: "\n") + "\n"
    try text.withUTF8 { text in
      try session.services.writeFile(path) { try $0(UnsafeRawBufferPointer(text)) }
    }
    return .done("exported the schema to \(path)")
  }
}
