import OpenSwiftData

/// `export`: writes records to a file of another format.
struct ExportRecords: Instruction {
  /// The path; `-` for standard output.
  let path: String
  let selection: RecordSelection

  static let command = Command(
    "export",
    usage:
      "FILE [ENTITY] [where P] [sort [-]FIELD,…] [limit N] [offset N] [fields A,B,… [distinct]]",
    summary: "export records to a file",
    details: """
      The extension of FILE selects the format: .csv, .tsv, .json, .jsonl or .md. An existing file is replaced.
      Records that are not saved yet have no identifier in it. If FILE is -, the records go to standard output
      in the format given by --format.
      """,
    canBeStopped: true,
    progress: "export …",
    takesFile: true
  ) { arguments, session in
    let path = try arguments.require("file name").text
    return ExportRecords(path: path, selection: try session.takeSelection(&arguments))
  }

  func perform(in session: Session) throws -> Outcome {
    if path == "-" { return .records(try session.listing(of: selection)) }
    guard let format = OutputFormat(path: path) else {
      let hint = path.hasSuffix(".catlog") ? "; use \"saveas\" to create a log" : ""
      throw CommandError(
        "\(Value.quoted(path)): unknown format; use a name ending in .csv, .tsv, .json or .jsonl"
          + hint
      )
    }
    try session.requireExport(to: path, as: "export")
    let records = try session.source(of: selection)
    guard session.saving != .never else { return .note("would export to \(path)") }
    var count = 0
    try session.services.writeFile(path) { write in
      try withoutActuallyEscaping(write) { write in
        let printer = ResultPrinter(
          format,
          isTerminal: false,
          marksEmptyText: true,
          omitsTemporaryIdentifiers: session.context.hasChanges,
          writeBytes: write
        )
        count = try printer.printRecords(of: records, session.context)
      }
    }
    defer { session.notes.scope = nil }
    return .done(
      "exported \(Session.counted(count)) to \(path)"
        + (session.notes.scope.map { " (\($0))" } ?? "")
    )
  }
}

extension Session {
  /// Checks that a command may write a file.
  ///
  /// - Throws: `CommandError` with --read-only, or for the open store.
  func requireExport(to path: String, as command: String) throws {
    guard !isReadOnly || isView else {
      throw CommandError(
        "\(command): read-only store (opened with \(readOnlyOption)); use - for standard output",
        code: .readOnly
      )
    }
    // The scheme is needed because an extension such as .csv belongs to no store.
    if let own = location, try services.isSame(own, "json:" + path) {
      throw CommandError("\(Value.quoted(path)) is the open store; export to another file")
    }
  }
}
