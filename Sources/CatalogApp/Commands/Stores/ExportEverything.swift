import OpenSwiftData

/// `export` of all entities: a JSON object with an array for each, which `import` reads.
struct ExportEverything: Instruction {
  /// The path; `-` for standard output.
  let path: String
  private let names: [String]
  private let replaces: Bool

  static let command = ExportRecords.command

  /// Creates the instruction; nil if there is one current entity, or the format is not JSON.
  init?(to path: String, _ replaces: Bool, from session: Session) {
    let entities = session.context.schema.entities
    let format = path == "-" ? session.settings.format : OutputFormat(path: path)
    guard entities.count > 1, session.entityName == nil, format == .json,
      path != "-" || !session.settings.answersPrograms
    else { return nil }
    (self.path, self.replaces) = (path, replaces)
    names = entities.map(\.name)
  }

  func perform(in session: Session) throws -> Outcome {
    if path != "-" {
      try session.requireExport(to: path, as: "export", replaces)
      guard session.settings.saving != .never else { return .note("would export to \(path)") }
    }
    var count = 0
    try session.services.writeFile(path) { write in
      try withoutActuallyEscaping(write) { write in
        for (place, name) in names.enumerated() {
          try Self.put((place == 0 ? "{\n" : ",\n") + JSONText.quoted(name) + ": ", write)
          count += try Self.export(name, of: session, to: write)
        }
        try Self.put("\n}\n", write)
      }
    }
    session.notes.remarks += session.store.unexportedMembers(of: nil)
    return path == "-" ? .done("") : .done("exported \(counted(count)) to \(path)")
  }

  /// Writes the records of an entity as an array, without the end of its last line.
  private static func export(
    _ name: String,
    of session: Session,
    to write: @escaping OutputSink
  ) throws -> Int {
    var isLineOpen = true
    let printer = ResultPrinter(
      .json,
      isTerminal: false,
      writeBytes: { bytes in
        guard let last = bytes.last else { return }
        if !isLineOpen { try put("\n", write) }
        isLineOpen = last != UInt8(ascii: "\n")
        try write(UnsafeRawBufferPointer(rebasing: bytes.dropLast(isLineOpen ? 0 : 1)))
      }
    )
    return try printer.printRecords(
      of: RecordSelection(query: Query(name), usesShownRecords: false).exportSource(in: session),
      session.context
    )
  }

  private static func put(_ text: String, _ write: OutputSink) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }
}
