import OpenSwiftData

extension Command {
  /// `export`: writes records into a file of another format.
  static let export = Command(
    "export",
    usage: "FILE [ENTITY] [where P] [sort [-]FIELD,…] [limit N] [offset N] [fields A,B,…]",
    summary: "write records into a file",
    details: """
      The ending of FILE says the format: .csv, .tsv, .json, .jsonl. The file is replaced as a whole.
      FILE may be -, standard output in the format of --format.
      """
  ) { arguments, session in
    let path = try arguments.require("the file").text
    let listing = try session.takeListing(&arguments)
    if path == "-" { return .records(listing) }
    guard let format = OutputFormat(path: path) else {
      let hint = path.hasSuffix(".catlog") ? "; \"saveas\" makes a log" : ""
      throw CommandError(
        "\(Value.quoted(path)) does not say its format; let it end in .csv, .tsv, .json or .jsonl"
          + hint
      )
    }
    guard !session.isReadOnly else {
      throw CommandError("no file is written with --read-only; export to - instead")
    }
    // With a scheme, since an ending such as .csv is that of no store.
    if let own = session.location, try session.services.isSame(own, "json:" + path) {
      throw CommandError(
        "\(Value.quoted(path)) is the store that is open; export to another file"
      )
    }
    try session.services.writeFile(path) { write in
      try withoutActuallyEscaping(write) { write in
        try ResultPrinter(format, isTerminal: false, marksEmptyText: true, write: write)
          .print(.records(listing), context: session.context)
      }
    }
    let count = Session.counted(listing.identifiers.count)
    defer { session.scope = nil }
    return .done("wrote \(count) to \(path)" + (session.scope.map { " (\($0))" } ?? ""))
  }
}
