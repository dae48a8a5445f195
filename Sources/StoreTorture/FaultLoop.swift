import OpenSwiftData
package import Stores

/// Fails every call of a piece of work in turn, with every error, and checks the resulting state.
package struct FaultLoop: Sendable {
  /// The work during which calls fail.
  package enum Work: String, CaseIterable, Sendable {
    case create
    /// Creating a store in a folder that must be created first.
    case createInFolder = "create-in-folder"
    case open
    case save
    case compact
    /// Opening a store with an interrupted save at its end.
    case recover
    /// Opening for the next schema version, with a migration stage that runs code.
    case migrate
    /// Opening for a version that a lightweight migration can reach.
    case migrateByRule = "migrate-by-rule"
  }

  /// The errors that are tried; unnamed numbers are those of Linux, errno(3).
  package static let codes: [SystemErrorCode] = [
    .inputOutput, .noSpace, .overQuota, .interrupted, .wouldBlock, .accessDenied, .readOnly,
    .tooManyOpenFiles, SystemErrorCode(rawValue: 23), .noMemory, .notFound, .tooManyLinks,
    SystemErrorCode(rawValue: 116), .badDescriptor,
  ]

  package let store: TorturedStore
  package let work: Work
  private var migratesInPieces = false
  private var secondStep = 1

  package init(_ store: TorturedStore, _ work: Work) {
    self.store = store
    self.work = work
  }

  /// All kinds of work for each store that supports them.
  package static var all: [FaultLoop] {
    TorturedStore.files.flatMap { store in
      let missing: Set<Work> =
        switch store {
        case .log: []
        case .json: [.compact, .recover]
        case .lines, .csv: [.compact, .recover, .migrate, .migrateByRule]
        case .database: Set(Work.allCases)
        }
      return Work.allCases.filter { !missing.contains($0) }.map { FaultLoop(store, $0) }
    }
  }

  /// The outcome of one try.
  enum Outcome {
    case done
    case failed
    case unknown
  }

  private static let title = "saved while calls failed"

  /// Fails call 1, 2, … until the work completes without a failure.
  ///
  /// - Parameters:
  ///   - codes: The errors that are tried at each call.
  ///   - transferLimit: The maximum size of one read or write.
  ///   - flaw: A bug of the file system, to prove that it is found; the loop ends once it is.
  ///   - migratesInPieces: Whether migrations are made change by change, for the same reason.
  ///   - secondStep: 1 to fail a second time in every call of the next opening; otherwise in every n-th.
  ///   - isOver: Ends the loop early.
  /// - Returns: How many tries there were and how many had a wrong outcome.
  /// - Throws: Problems that occur without any failure.
  package func run(
    codes: [SystemErrorCode] = Self.codes,
    transferLimit: Int = .max,
    flaw: SimulatedFileSystem.Flaw? = nil,
    migratesInPieces: Bool = false,
    secondStep: Int = 1,
    isOver: () -> Bool = { false }
  ) throws -> TortureFigures {
    var loop = self
    loop.migratesInPieces = migratesInPieces
    loop.secondStep = secondStep
    return try loop.run(codes, transferLimit, flaw, isOver)
  }

  private func run(
    _ codes: [SystemErrorCode],
    _ transferLimit: Int,
    _ flaw: SimulatedFileSystem.Flaw?,
    _ isOver: () -> Bool
  ) throws -> TortureFigures {
    var figures = TortureFigures()
    let start = try prepare()
    let before = try StoreContents(of: openAsItIs(SimulatedFileSystem(start)))
    var call = 1
    var isReached = true
    while isReached, !isOver(), flaw == nil || figures.wrong == 0 {
      isReached = false
      for code in codes {
        for isPersistent in [false, true] {
          let fault = SimulatedFileSystem.Fault(call: call, code: code, isPersistent: isPersistent)
          let fileSystem = SimulatedFileSystem(start, seed: UInt64(call), flaw: flaw)
          if try attempt(fileSystem, before, fault, transferLimit, &figures) { isReached = true }
        }
      }
      call += 1
    }
    return figures
  }

  var isCreation: Bool { work == .create || work == .createInFolder }

  /// The target version of the migration.
  var version: FilmVersion? {
    switch work {
    case .migrate: .second
    case .migrateByRule: .third
    default: nil
    }
  }

  var path: String {
    work == .createInFolder ? store.pathInNewFolder : store.path
  }

  private func prepare() throws -> SimulatedDisk {
    guard !isCreation else { return SimulatedDisk() }
    let fileSystem = SimulatedFileSystem()
    do {
      let open = try store.open(fileSystem, path: path)
      try open.insertFilms(["first", "second"])
      try open.insertFilms(["third"], note: String(repeating: "a", count: 600))
    }
    if work == .migrateByRule { _ = try store.open(fileSystem, path: path, migratingTo: .second) }
    var disk = fileSystem.disk
    if work == .recover, let bytes = disk.bytes(at: path) {
      disk.put(path, bytes + bytes[64..<100])
    }
    return disk
  }

  /// Makes one try.
  ///
  /// - Returns: Whether the work reached the call that was to fail.
  private func attempt(
    _ fileSystem: SimulatedFileSystem,
    _ before: StoreContents,
    _ fault: SimulatedFileSystem.Fault,
    _ transferLimit: Int,
    _ figures: inout TortureFigures
  ) throws -> Bool {
    var isReached = false
    var problems: [String] = []
    let outcome = perform(fileSystem, before, fault, transferLimit, &isReached, &problems)
    fileSystem.plan()
    guard isReached else { return false }
    figures.tries += 1
    if fileSystem.openCount > 0 { problems.append("\(fileSystem.openCount) files left open") }
    if !fault.isPersistent, !fileSystem.temporaryNames.isEmpty {
      problems.append("left \(fileSystem.temporaryNames)")
    }
    let isChosen = figures.tries % compoundStride == 0
    let disk = fileSystem.disk
    do {
      problems += try look(fileSystem, before, outcome)
      if isChosen, problems.isEmpty { try failAgain(disk, before, outcome, fault, &figures) }
    } catch {
      problems.append("cannot be used afterwards: \(error)")
    }
    for problem in problems { figures.note(describe(fault, problem)) }
    return true
  }

  /// One try in this many has a second failure, in each call of the following opening.
  private var compoundStride: Int { version == nil ? 32 : 128 }

  /// Fails each call of the opening after the first failure, then checks the state.
  ///
  /// The expectations are those after the first failure alone.
  private func failAgain(
    _ disk: SimulatedDisk,
    _ before: StoreContents,
    _ outcome: Outcome,
    _ first: SimulatedFileSystem.Fault,
    _ figures: inout TortureFigures
  ) throws {
    var call = 1
    while true {
      let code = Self.codes[(first.call + call) % Self.codes.count]
      let second = SimulatedFileSystem.Fault(call: call, code: code, isPersistent: call % 2 == 0)
      let fileSystem = SimulatedFileSystem(disk, seed: UInt64(call))
      fileSystem.plan(second)
      _ = try? StoreContents(of: openMigrating(fileSystem))
      guard fileSystem.callCount >= call else { return }
      fileSystem.plan()
      figures.tries += 1
      if fileSystem.openCount > 0 {
        figures.note(describe(second, "left files open after \(first)"))
      }
      // The second opening may have completed the migration that failed in the first.
      let isOpen = version != nil && outcome == .failed
      for problem in try look(fileSystem, before, isOpen ? .unknown : outcome) {
        figures.note(describe(second, "after \(first): \(problem)"))
      }
      call += secondStep
    }
  }

  /// Does the work while calls fail; everything is closed when it returns.
  private func perform(
    _ fileSystem: SimulatedFileSystem,
    _ before: StoreContents,
    _ fault: SimulatedFileSystem.Fault,
    _ transferLimit: Int,
    _ isReached: inout Bool,
    _ problems: inout [String]
  ) -> Outcome {
    do {
      switch work {
      case .open, .recover:
        fileSystem.plan(fault, transferLimit: transferLimit)
        defer { isReached = fileSystem.callCount >= fault.call }
        _ = try StoreContents(of: store.open(fileSystem, path: path))
      case .compact:
        let open = try store.open(fileSystem, path: path)
        fileSystem.plan(fault, transferLimit: transferLimit)
        defer { isReached = fileSystem.callCount >= fault.call }
        _ = try open.compact()
      case .migrate, .migrateByRule:
        return try migrate(fileSystem, before, fault, transferLimit, &isReached, &problems)
      case .create, .createInFolder, .save:
        return try save(fileSystem, fault, transferLimit, &isReached, &problems)
      }
      return .done
    } catch {
      return self.outcome(of: error)
    }
  }

  private func outcome(of error: any Error) -> Outcome {
    (error as? PersistenceError)?.code == .outcomeUnknown ? .unknown : .failed
  }

  /// Saves a new record through a context, which must keep the record if that fails.
  private func save(
    _ fileSystem: SimulatedFileSystem,
    _ fault: SimulatedFileSystem.Fault,
    _ transferLimit: Int,
    _ isReached: inout Bool,
    _ problems: inout [String]
  ) throws -> Outcome {
    let container = try ModelContainer(configurations: store.configuration(fileSystem, path: path))
    let context = ModelContext(container)
    let record = Record(entity: try TorturedStore.schema.entity(named: "Film"))
    try record.set(.text(Self.title), for: "title")
    context.insert(record)
    fileSystem.plan(fault, transferLimit: transferLimit)
    let result = Result { try context.save() }
    isReached = fileSystem.callCount >= fault.call
    fileSystem.plan()
    guard case .failure(let error) = result else {
      if context.hasChanges { problems.append("saved, but the context has changes") }
      return .done
    }
    if !context.hasChanges { problems.append("not saved, but the context has no changes") }
    let outcome = outcome(of: error)
    // A retry may succeed; if it does not, the first failure counts.
    if outcome == .failed, (try? context.save()) != nil { return .done }
    // Unsaved changes keep their context alive, and with it the open store.
    context.rollback()
    return outcome
  }

  /// Opens the store for another version; if that succeeds, it must show the records of that
  /// version.
  private func migrate(
    _ fileSystem: SimulatedFileSystem,
    _ before: StoreContents,
    _ fault: SimulatedFileSystem.Fault,
    _ transferLimit: Int,
    _ isReached: inout Bool,
    _ problems: inout [String]
  ) throws -> Outcome {
    fileSystem.plan(fault, transferLimit: transferLimit)
    let result = Result {
      try migratesInPieces
        ? store.open(fileSystem, path: path, migratingInPiecesTo: .second)
        : openMigrating(fileSystem)
    }
    isReached = fileSystem.callCount >= fault.call
    fileSystem.plan()
    let open = try result.get()
    // A successful opening is the acknowledgement, even if a later read fails.
    guard let found = try? StoreContents(of: open), !isNew(found, before) else { return .done }
    // If the file is reported as not found, a new store is opened, and nothing is written. A file
    // that cannot be written is opened read-only as it is, where that is possible.
    let isEmpty = fault.code == .notFound && found.values.isEmpty
    if !isEmpty, !open.isReadOnly || found != before {
      problems.append("opened, but shows other records")
    }
    return .failed
  }

  private func describe(_ fault: SimulatedFileSystem.Fault, _ problem: String) -> String {
    "\(store.rawValue) \(work.rawValue): call \(fault.call) fails with \(fault.code)"
      + "\(fault.isPersistent ? ", and all later ones" : ""): \(problem)"
  }
}
