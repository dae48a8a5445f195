import CatalogApp
import Glibc
import OpenSwiftData

extension Program {
  /// Prepares the standard streams for a pipeline.
  ///
  /// With `-` as the location, the standard input is read to its end, and the terminal takes its place, so that keys
  /// come from there. With `--pick`, the terminal takes the place of the standard output until the screen is left.
  /// The screen, the process that guards the terminal, and editors then need no other streams.
  ///
  /// - Throws: `Failure` for options that contradict each other, and input that cannot be read.
  mutating func takeStreams() throws {
    if options.picks { try takeOutput() }
    guard options.conversion == nil else { return try takeSource() }
    guard options.readsInputAsStore else { return }
    guard !options.sources.contains(.script("-")), options.keysPath != "-" else {
      throw Failure(status: 2, message: "-: standard input cannot be both the store and the script")
    }
    guard options.schemaPath == nil, !options.usesSample, options.end == nil else {
      throw Failure(status: 2, message: "-: cannot be combined with --schema, --sample or --at")
    }
    guard !input.isTerminal else {
      throw Failure(
        status: 2,
        message:
          "-: standard input is the terminal; use COMMAND | catalog -, or ./- to open a store named \"-\""
      )
    }
    do {
      inputText = try input.readAll()
    } catch {
      throw Failure(status: 4, message: errorLine(error), code: .inaccessible)
    }
    guard options.sources.isEmpty, options.keysPath == nil else { return }
    guard replace(0, by: O_RDONLY), output.isTerminal || pickedOutput != nil else {
      throw Failure(
        status: 2,
        message: "-: no terminal for keys; give commands with -e or --script FILE"
      )
    }
  }

  private mutating func takeOutput() throws {
    guard options.sources.isEmpty, options.keysPath == nil, !options.promptsByLine,
      options.destination == nil, !options.answersInJSON
    else {
      throw Failure(
        status: 2,
        message: "--pick cannot be combined with --script, -e, --keys, --plain, --to or --answers"
      )
    }
    if output.isTerminal { return }
    let saved = fcntl(1, F_DUPFD_CLOEXEC, 3)
    guard saved >= 0, replace(1, by: O_RDWR) else {
      throw Failure(status: 2, message: "--pick: no terminal for the screen")
    }
    pickedOutput = saved
  }

  /// Lets the terminal take the place of a standard descriptor; false without a terminal.
  private func replace(_ descriptor: Int32, by mode: Int32) -> Bool {
    let terminal = open("/dev/tty", mode | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    defer { close(terminal) }
    return dup2(terminal, descriptor) == descriptor
  }

  /// Opens the text of the standard input.
  func openSession(
    on text: [UInt8],
    loading load: (String, @escaping () throws -> OpenedStore) throws -> OpenedStore
  ) throws -> Session {
    let services = services
    let store = options.store
    let reading = options.reading
    let opened: OpenedStore
    do {
      let source = options.conversion?.source ?? "-"
      let name = source == "-" ? CatalogServices.inputName : source
      let entity = options.entity ?? "Record"
      opened = try load(name) {
        let text = try services.decompressed(text, name)
        let isUnnamed = source == "-" || !Options.isData(source)
        return try services.open(
          text,
          name: name,
          fileName: isUnnamed ? Self.fileName(of: text, source, store) : source,
          entityName: entity,
          isPipe: isUnnamed && store == nil,
          reading: reading
        )
      }
    } catch  where !(error is Interruption.Stopped || error is StoreLoading.Ending) {
      throw Failure(status: 4, message: errorLine(error), code: FailureCode(error))
    }
    let session = makeSession(opened)
    session.store.isPipe = true
    session.store.readingNote = opened.readingNote
    try requireEntity(session)
    return session
  }

  /// Prints the records that the screen showed last to what was the standard output.
  func printPicked(_ runner: LiveRunner, _ session: Session) throws {
    guard let outcome = try runner.picked() else { return }
    if let pickedOutput { dup2(pickedOutput, 1) }
    let printer = ResultPrinter(
      session.settings.format,
      isTerminal: output.isTerminal,
      width: output.width,
      style: options.style,
      writeBytes: { [output] in try output.write($0) }
    )
    try printer.print(outcome, context: session.context)
    try output.flush()
    for remark in session.remarks { complain("note: \(remark)") }
  }
}

extension Program {
  /// The name of a file that would be read in the same way as a text.
  static func fileName(of text: [UInt8], _ source: String, _ store: String?) -> String {
    if store == StoreKind.jsonLines.name { return "-.jsonl" }
    if store == StoreKind.json.name, isJSON(text) { return "-.json" }
    if isTabSeparated(text) { return "-.tsv" }
    return store == StoreKind.csv.name ? "-.csv" : source
  }

  /// True for text that begins as JSON does; any other text is recognized.
  private static func isJSON(_ text: [UInt8]) -> Bool {
    let first = TextEncoding.withoutMark(text).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// True for tab-separated values whose heading has at least as many tabs as commas.
  private static func isTabSeparated(_ text: [UInt8]) -> Bool {
    guard OutputFormat(recognizing: text) == .tsv else { return false }
    let heading = text.prefix { $0 != 0x0A }
    return heading.count { $0 == 0x09 } >= heading.count { $0 == UInt8(ascii: ",") }
  }
}
