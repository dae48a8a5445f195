import CatalogApp
import Foundation
import Glibc
import OpenSwiftData
import Stores
import Terminal

/// Opening the store.
extension Program {
  /// The values that `$NAME` stands for.
  func parameters() throws -> [String: String] {
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
  func openAndRun(
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
    if options.takesTour {
      let opened = try services.openSample()
      let session = makeSession(opened)
      session.store.note(opened)
      session.store.isForTour = true
      return session
    }
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
    } catch  where !(error is Interruption.Stopped || error is StoreLoading.Ending) {
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
        message: Suggestion.message(
          "--entity: unknown entity",
          entity,
          among: session.context.schema.entities.map(\.name)
        )
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

  /// The schema that an empty store starts with; nil for none.
  private func startingSchema(isFresh: Bool) throws -> Schema? {
    do {
      if let path = options.schemaPath {
        return try SchemaFile.schema(try services.readFile(path))
      }
      guard options.usesSample || isFresh else { return nil }
      return try CatalogServices.sample.get().schema
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
    let document = try CatalogServices.sample.get()
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
    try services.fill(context.container, with: document)
  }
}
