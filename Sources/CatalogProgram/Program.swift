import CatalogApp
import Foundation
import Glibc
import OpenSwiftData
import Stores
import Terminal

/// One run of the program: from the options to the exit status.
struct Program {
  var options: Options
  let environment: [String: String]
  let output: StandardOutput
  let errors: StandardOutput
  let input: DescriptorReader
  /// The text of the standard input, if that is the store.
  var inputText: [UInt8]?
  /// The folder with the log or the database that a conversion read from a pipe; removed at the end.
  var spoolFolder: String?
  /// The standard output, while the terminal takes its place; nil if it does not.
  var pickedOutput: Int32?
  let watch: CommandWatch
  /// The screen that showed the loading of a large store; nil if there was none.
  var loadingScreen: LoadingScreen?
  /// True if the screen shows the notes about opening the store.
  var showsNotesOnScreen = false
  /// The folder for the views of the screen; nil if they are not used.
  var viewFolder: String?
  /// False if stores that do not keep their history themselves have none after they are closed.
  var keepsHistoryFiles = true
  /// The commands bound to keys, for scripts and `--plain`; the screen has its own.
  var boundLines = BoundLines()
  /// True if another process restores the terminal after this one.
  var hasGuard = false

  /// A failure with the exit status of the program.
  struct Failure: Error {
    let status: Int32
    let message: String
    let code: FailureCode

    init(status: Int32, message: String, code: FailureCode? = nil) {
      self.status = status
      self.message = message
      // Status 2 is wrong usage.
      self.code = code ?? (status == 2 ? .invalidCommand : .failed)
    }
  }

  /// Runs and returns the exit status; ends the process by a signal that stopped the work.
  func run() -> Int32 {
    var program = self
    return ended(program.performed())
  }

  private func ended(_ status: Int32) -> Int32 {
    if let signal = watch.signal, status >= 128 { die(bySignal: signal) }
    return status
  }

  private mutating func performed() -> Int32 {
    reportingFailures {
      if options.showsHelp { return try finish(printing: Options.help) }
      if let shell = options.completions {
        return try finish(printing: ShellCompletions(shell).text)
      }
      if let line = options.completedLine { return try complete(line) }
      if options.showsVersion { return try finish(printing: "catalog \(Version.current)\n") }
      if let salvage = options.salvage { return try run(salvage) }
      let configuration = try configuration()
      let parameters = try parameters()
      defer { removeSpool() }
      try takeStreams()
      let work = try prepare(configuration)
      keepsHistoryFiles = configuration.remembersHistory
      options.history = options.history ?? configuration.history
      if work.opensScreen {
        var program = self
        program.hasGuard = true
        guardTerminal { [program] in
          let status = program.reportingFailures {
            try program.openAndRun(work, parameters)
          }
          exit(program.ended(status))
        }
      }
      return try openAndRun(work, parameters)
    }
  }

  /// Does the work, or reports why it failed; returns the exit status.
  private func reportingFailures(_ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch let failure as Failure {
      report(failure)
      return failure.status
    } catch let failure as SaveFailure {
      complain(errorLine(failure))
      return 5
    } catch is ClosedPipe {
      return 128 + 13
    } catch is Interruption.Stopped {
      return 128 + (watch.signal ?? SIGINT)
    } catch {
      complain(errorLine(error))
      return 1
    }
  }

  /// Copies the readable part of a damaged log, and reports the rest.
  ///
  /// - Returns: 0 if everything could be read, 1 if something is missing.
  private func run(_ salvage: Salvage) throws -> Int32 {
    let (damaged, new) = try usage("salvage") {
      (try StoreLocation(salvage.damaged), try StoreLocation(salvage.new))
    }
    guard new.kind == "log", damaged.isFile else {
      let wrong = !damaged.isFile ? salvage.damaged : salvage.new
      throw Failure(
        status: 2,
        message: "salvage: \(Value.quoted(wrong)) is not a log name; use a name ending in .catlog"
      )
    }
    guard !services.exists(new.path) else {
      throw Failure(
        status: 1,
        message: "\(new.path): already exists; nothing was written"
      )
    }
    let report: LogSalvage.Report
    do {
      report = try LogSalvage.run(from: damaged.path, to: new.path)
    } catch {
      throw Failure(status: 4, message: errorLine(error))
    }
    for loss in report.losses { complain(loss) }
    let isWhole = report.losses.isEmpty
    _ = try finish(
      printing: "salvaged \(counted(report.recordCount)) to \(new.path)"
        + (isWhole ? "\n" : "; some data could not be read\n")
    )
    return isWhole ? 0 : 1
  }

  func finish(printing text: String) throws -> Int32 {
    try output.write(text)
    try output.flush()
    return 0
  }

  /// Writes one line to standard error, after everything printed so far.
  func complain(_ message: String) {
    let message = LocationText.withoutPasswords(message)
    // If standard error cannot be written to, the error cannot be reported anywhere.
    try? output.flush()
    try? errors.write("catalog: \(DisplayText(message).plain)\n")
    try? errors.flush()
  }

  /// Reports a failure outside of commands: as an answer for a program, or else on standard error.
  func report(_ failure: Failure) {
    guard options.answersInJSON else { return complain(failure.message) }
    let message = DisplayText(LocationText.withoutPasswords(failure.message)).plain
    do {
      try answerWriter.failure(message, code: failure.code, status: failure.status)
    } catch {
      complain(message)
    }
  }

  /// Writes answers to standard output.
  var answerWriter: AnswerWriter {
    AnswerWriter { [output] text in
      try output.write(text)
      try output.flush()
    }
  }

  // MARK: Opening

  /// The values that `$NAME` stands for.
  private func parameters() throws -> [String: String] {
    do {
      return try options.parameters(in: environment)
    } catch {
      throw Failure(status: 2, message: "\(error)")
    }
  }

  var services: CatalogServices {
    CatalogServices(
      fileSystem: LocalFileSystem(),
      author: author,
      output: output,
      owner: geteuid(),
      process: RecoveryProcess(id: getpid(), watcher: hasGuard ? getppid() : nil),
      history: options.history ?? .all,
      lockTimeoutSeconds: options.waitSeconds,
      home: environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil },
      recoveryFolder: stateFolder.map { $0 + "/catalog/recovery" },
      viewFolder: viewFolder,
      historyFolder: keepsHistoryFiles ? stateFolder.map { $0 + "/catalog/history" } : nil,
      historyProblem: keepsHistoryFiles && options.history != HistoryRetention.none
        && stateFolder == nil
        ? "neither XDG_STATE_HOME nor HOME is set" : nil,
      readingFolder: stateFolder.map { $0 + "/catalog/reading" },
      usesKeptReadings: viewFolder != nil,
      refusesDoubt: options.refusesDoubt,
      keepsViews: !options.isReadOnly,
      outputStyle: options.style,
      input: options.readsInputAsData ? input : nil,
      themeFolder: configurationFolder.map { $0 + "/catalog/themes" }
    )
  }

  /// The author of saves: the one that was named, or else the user.
  private var author: String? {
    options.author
      ?? ["USER", "LOGNAME"].compactMap { environment[$0] }.first { !$0.isEmpty }
      ?? ProcessState.userName
  }

  /// The folder for the state of programs; nil if the environment names none.
  var stateFolder: String? {
    let home = environment["HOME"].map { $0 + "/.local/state" }
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
    return state.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The folder for the configuration of programs; nil if the environment names none.
  var configurationFolder: String? {
    let home = environment["HOME"].map { $0 + "/.config" }
    return environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
  }

  /// Opens the store and does the work.
  private func openAndRun(
    _ work: Work,
    _ parameters: [String: String]
  ) throws -> Int32 {
    try watch.whole { scope in
      if case .screen(let settings, _) = work {
        return try openScreen(settings, work, parameters, scope)
      }
      StopSignals.catchThem()
      defer { StopSignals.release() }
      if case .script = work { try requireLocation() }
      var program = self
      if case .prompt = work { program.viewFolder = stateFolder.map { $0 + "/catalog/views" } }
      let session = try program.openSession(in: scope) { name, open in
        try watch.run("loading \(name)", open)
      }
      if case .keys = work { StopSignals.release() }
      session.script.parameters = parameters.mapValues { .some($0) }
      session.willPerform = { [watch] in watch.announce($0) }
      return try run(work, on: session)
    }
  }

  /// Opens the store and then the screen; if opening takes long, another screen shows how far it is.
  private func openScreen(
    _ settings: Settings,
    _ work: Work,
    _ parameters: [String: String],
    _ scope: Interruption.Scope
  ) throws -> Int32 {
    var program = self
    program.viewFolder = stateFolder.map { $0 + "/catalog/views" }
    program.showsNotesOnScreen = true
    let loading = StoreLoading { try LoadingScreen(self.screen(settings)) }
    do {
      let session = try program.openSession(in: scope) { name, open in try loading.run(name, open) }
      session.script.parameters = parameters.mapValues { .some($0) }
      program.loadingScreen = loading.screen
      return try program.run(work, on: session)
    } catch let ending as StoreLoading.Ending {
      loading.screen?.terminal.close()
      if ending.status > 128 { die(bySignal: ending.status - 128) }
      return ending.status
    } catch {
      loading.screen?.terminal.close()
      throw error
    }
  }

  /// Opens the store; `load` runs the part that may take long, with the name of the store.
  func openSession(
    in _: Interruption.Scope,
    loading load: (String, @escaping () throws -> OpenedStore) throws -> OpenedStore
  ) throws -> Session {
    if let inputText { return try openSession(on: inputText, loading: load) }
    var (location, isDefault) = try location()
    if isDefault, options.opensReadOnly || options.asksForHelp, !services.exists(location.path) {
      location = StoreLocation.memory
    }
    if options.end != nil, location.kind != "log" {
      throw Failure(
        status: 2,
        message:
          "--at: \(location.name): only a log (.catlog) can be opened at T; "
          + "for another store with a history, use \"revert all to T\" with --dry-run"
      )
    }
    try usage("--read") {
      try services.requireSeparatedValues(location.kind == "csv", location.name, options.reading)
    }
    let exists = services.exists(location)
    let isFresh = isDefault && !exists && !options.asksForHelp
    let start = try startingSchema(isFresh: isFresh)
    let opened: OpenedStore
    do {
      if isDefault, location.isFile, options.saving != .never {
        try services.createFolder(of: location.path)
      }
      // An existing store keeps its own schema.
      var present = self.services
      present.end = options.end
      let services = present
      let reading = options.reading
      opened = try load(location.name) {
        try services.open(
          location,
          schema: exists ? nil : start,
          isReadOnly: options.opensReadOnly,
          reading: reading
        )
      }
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch let ending as StoreLoading.Ending {
      throw ending
    } catch {
      throw Failure(status: 4, message: errorLine(error), code: FailureCode(error))
    }
    if options.destination != nil, !opened.exists, location.isFile {
      throw Failure(status: 4, message: "\(location.path): not found", code: .inaccessible)
    }
    if options.opensReadOnly, !opened.exists, location.isFile, !isDefault {
      throw Failure(
        status: 4,
        message: "\(location.path): not found; --read-only does not create it",
        code: .inaccessible
      )
    }
    if exists { try requireSchema(start, of: opened) }
    let session = makeSession(opened)
    session.store.isView = options.end != nil && !options.isReadOnly
    // The format of a conversion is that of its output.
    if options.destination == nil {
      session.settings.inputFormat = options.format.flatMap { $0.isReadable ? $0 : nil }
    }
    session.store.note(opened)
    session.store.location = location.text
    if let text = location.text {
      session.settings.saidReading = options.reading.map { (text, $0) }
    }
    try fill(session, location, start, isFresh: isFresh)
    if session.store.readOnlyReason == nil, options.saving != .never {
      session.store.recovery = services.recovery(for: location)
    }
    try requireEntity(session)
    return session
  }

  /// The session of an open store, and its notes.
  func makeSession(_ opened: OpenedStore) -> Session {
    // On the terminal they would appear when the screen is closed, whatever was done about them.
    for note in opened.notes where !showsNotesOnScreen { complain("note: \(note)") }
    let session = Session(
      container: opened.container,
      storeName: opened.name + (options.end.map { " at \($0.text)" } ?? ""),
      entityName: options.entity ?? opened.entityName,
      isReadOnly: options.opensReadOnly,
      storeReason: opened.readOnlyReason,
      services: services,
      format: options.format ?? (output.isTerminal ? .table : .tsv)
    )
    session.settings.saving = options.saving
    session.settings.answersPrograms = options.answersInJSON
    if options.answersInJSON { session.settings.format = .jsonl }
    session.settings.replacesTargets = options.replacesTargets
    return session
  }

  /// Checks the entity of `--entity`.
  func requireEntity(_ session: Session) throws {
    if let entity = options.entity, session.context.schema.entitiesByName[entity] == nil {
      defer { session.close() }
      throw Failure(
        status: 2,
        message: "--entity: unknown entity \(Value.quoted(entity)); "
          + Suggestion.text(for: entity, among: session.context.schema.entities.map(\.name))
      )
    }
  }

  /// Checks that a store with a schema has the schema of `--schema`.
  private func requireSchema(_ start: Schema?, of opened: OpenedStore) throws {
    let present = opened.container.schema.entities
    guard let path = options.schemaPath, let start, !present.isEmpty else { return }
    let wanted = start.entities.sorted { $0.name < $1.name }
    guard present.sorted(by: { $0.name < $1.name }) != wanted else { return }
    throw Failure(
      status: 2,
      message: "--schema: \(opened.name) has a different schema than \(path); omit --schema and "
        + "use \"field add\", \"field rename\" and \"field drop\" to change it"
    )
  }

  /// Checks that a script names its store: the sample, with which the screen starts, would answer in its place.
  private func requireLocation() throws {
    guard options.location == nil, options.store == nil, !options.usesSample,
      options.schemaPath == nil, !options.asksForHelp, inputText == nil
    else { return }
    let path = try location().0.path
    guard !services.exists(path) else { return }
    throw Failure(
      status: 2,
      message:
        "missing LOCATION: \(path) does not exist; give a file, - to read standard input, or --sample"
    )
  }

  private func location() throws -> (StoreLocation, isDefault: Bool) {
    do {
      if let text = options.location {
        return (try services.location(text, store: options.store), false)
      }
      let kind = StoreKind.all.first { $0.name == options.store ?? "json" }
      if kind?.isInMemory ?? false { return (.memory, false) }
      guard let ending = kind?.defaultEnding else {
        throw UsageError("--store \(options.store ?? ""): no default location; give a LOCATION")
      }
      let home = environment["HOME"].map { $0 + "/.local/share" }
      let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
      guard let data else {
        throw UsageError("neither HOME nor XDG_DATA_HOME is set; give a LOCATION")
      }
      return (
        try StoreLocation("\(data)/catalog/catalog\(ending)", store: options.store), true
      )
    } catch {
      throw Failure(status: 2, message: errorLine(error))
    }
  }

  /// The sample records, decoded once: that takes a tenth of the start.
  private static let sample = Result {
    try CatalogDocument(json: Data(PackageResources.films_json))
  }

  /// The schema that an empty store starts with; nil for none.
  private func startingSchema(isFresh: Bool) throws -> Schema? {
    do {
      if let path = options.schemaPath {
        return try SchemaFile.schema(try services.readFile(path))
      }
      guard options.usesSample || isFresh else { return nil }
      return try Self.sample.get().schema
    } catch let error as DecodingError {
      throw Failure(
        status: 2,
        message: "--schema \(options.schemaPath ?? ""): \(error.words)"
      )
    } catch let error as PlacedError {
      throw Failure(status: 2, message: "--schema: \(options.schemaPath ?? ""):\(error)")
    } catch {
      throw Failure(status: 2, message: "--schema: " + errorLine(error))
    }
  }

  /// Gives an empty store its schema and its sample; both stay unsaved if saving means writing a file.
  private func fill(
    _ session: Session,
    _ location: StoreLocation,
    _ start: Schema?,
    isFresh: Bool
  ) throws {
    let context = session.context
    if let start, context.schema.entities.isEmpty {
      for entity in start.entities { try context.stage(.createEntity(entity)) }
    }
    guard options.usesSample || (isFresh && options.schemaPath == nil) else { return }
    let isEmpty = try context.schema.entities.allSatisfy {
      try context.fetchCount(matching: Query($0.name)) == 0
    }
    guard isEmpty else {
      complain("note: --sample ignored: \(session.store.name) is not empty")
      return
    }
    let document = try Self.sample.get()
    for entity in document.schema.entities where context.schema.entitiesByName[entity.name] == nil {
      if location.kind == "memory" {
        try context.apply(.createEntity(entity))
      } else {
        try context.stage(.createEntity(entity))
      }
    }
    guard location.kind == "memory" else {
      context.insert(document)
      session.store.sample = context.pendingChanges
      return
    }
    let loading = ModelContext(context.container)
    loading.insert(document)
    try loading.save()
  }
}
