import OpenSwiftData
import Stores

/// The result of many tries.
package struct TortureFigures: Sendable {
  package var tries = 0
  package var wrong = 0
  /// Descriptions of the first wrong outcomes.
  package var examples: [String] = []

  package init() {}

  /// Notes a wrong outcome.
  package mutating func note(_ text: String) {
    wrong += 1
    if examples.count < 5 { examples.append(text) }
  }

  /// Adds the figures of other tries.
  package mutating func add(_ other: TortureFigures) {
    tries += other.tries
    wrong += other.wrong
    examples = Array((examples + other.examples).prefix(5))
  }
}

/// Opens crash states with the store and compares what it shows with what was saved.
package struct CrashCheck {
  private let recording: Recording
  /// One state in this many is opened twice, saved to, and its own recovery crashed.
  private let depth: Int
  private var figures = TortureFigures()
  /// What the store showed for each disk: the index among the contents after the saves.
  private var seen: [DiskDigest: Set<Int>] = [:]

  /// Prepares the check of a recording.
  package init(_ recording: Recording, everyWhichIsDeep depth: Int = 32) {
    self.recording = recording
    self.depth = depth
  }

  /// The number of different disks among the states.
  package var distinctCount: Int { seen.count }

  /// Tries the states of a recording until all are done or `isOver` returns true.
  ///
  /// - Returns: How many states were opened and how many of them were wrong.
  package mutating func run(
    seed: UInt64,
    subsetLimit: Int = 8,
    samples: Int = 8,
    isOver: () -> Bool = { false }
  ) -> TortureFigures {
    var states = CrashStates(
      of: recording.effects,
      from: recording.start,
      seed: seed,
      subsetLimit: subsetLimit,
      samples: samples
    )
    states.forEach { state in
      open(state)
      return figures.tries & 0xFF != 0 || !isOver()
    }
    return figures
  }

  private mutating func open(_ state: CrashState) {
    figures.tries += 1
    let isDeep = figures.tries % depth == 0
    let digest = DiskDigest(state.disk)
    if !isDeep, let saves = seen[digest] { return judge(saves, state) }
    let fileSystem = SimulatedFileSystem(state.disk, seed: UInt64(figures.tries))
    do {
      if isDeep { fileSystem.record() }
      let found = try contents(fileSystem)
      let saves = Set(recording.contents.indices.filter { recording.contents[$0] == found })
      seen[digest] = saves
      judge(saves, state)
      guard isAllowed(saves, state) else { return }
      if let version = recording.workload.lastVersion {
        try migrate(state, found, to: version, isDeep: isDeep)
      }
      guard isDeep else { return }
      if figures.tries % (depth * 16) == 0 { try failRecovery(state, found) }
      try checkCrashesWhileRecovering(state, fileSystem, found)
    } catch {
      figures.note(describe(state, "\(error)"))
    }
  }

  private func contents(_ fileSystem: SimulatedFileSystem) throws -> StoreContents {
    let workload = recording.workload
    return try StoreContents(of: workload.store.open(fileSystem, path: workload.path, schema: nil))
  }

  /// Whether the store may show the content after these saves.
  private func isAllowed(_ saves: Set<Int>, _ state: CrashState) -> Bool {
    saves.contains(state.acknowledged) || saves.contains(state.begun)
  }

  private mutating func judge(_ saves: Set<Int>, _ state: CrashState) {
    guard !isAllowed(saves, state) else { return }
    figures.note(describe(state, "holds neither save \(state.acknowledged) nor \(state.begun)"))
  }

  /// A few crash states of work that was done on an earlier crash state.
  private func crashes(of fileSystem: SimulatedFileSystem, after state: CrashState) -> CrashStates {
    CrashStates(
      of: fileSystem.effects,
      from: state.disk,
      seed: UInt64(figures.tries),
      subsetLimit: 4,
      samples: 1
    )
  }

  /// Crashes the recovery, opens again, saves, and reopens.
  private mutating func checkCrashesWhileRecovering(
    _ state: CrashState,
    _ fileSystem: SimulatedFileSystem,
    _ found: StoreContents
  ) throws {
    var second = crashes(of: fileSystem, after: state)
    try second.forEach { again in
      figures.tries += 1
      if try contents(SimulatedFileSystem(again.disk)) != found {
        figures.note(describe(state, "then \(describe(again, "recovery lost something"))"))
      }
      return true
    }
    let workload = recording.workload
    var open = try workload.store.open(fileSystem, path: workload.path, schema: nil)
    if open.schema.entities.isEmpty {
      open = try workload.store.open(fileSystem, path: workload.path)
    }
    try open.insertFilms(["after the crash"])
    let problems = try open.check()
    let after = try StoreContents(of: open)
    if !problems.isEmpty || after.differences(from: found) != 1 {
      figures.note(describe(state, "cannot be saved to: \(problems)"))
    }
    if try contents(fileSystem) != after { figures.note(describe(state, "loses the next save")) }
  }

  /// Opens for the last version, which finishes or repeats an interrupted migration.
  ///
  /// This must also work if that opening is interrupted itself.
  private mutating func migrate(
    _ state: CrashState,
    _ found: StoreContents,
    to version: FilmVersion,
    isDeep: Bool
  ) throws {
    let fileSystem = SimulatedFileSystem(state.disk, seed: UInt64(figures.tries))
    if isDeep { fileSystem.record() }
    let after = try migrated(fileSystem, version)
    let expected = FilmCollection(found).migrated(to: version)
    if FilmCollection(after) != expected {
      figures.note(describe(state, "is migrated to other records"))
    }
    if try contents(fileSystem) != after { figures.note(describe(state, "loses the migration")) }
    guard isDeep else { return }
    var second = crashes(of: fileSystem, after: state)
    try second.forEach { again in
      figures.tries += 1
      let shown = try contents(SimulatedFileSystem(again.disk))
      let last = try migrated(SimulatedFileSystem(again.disk), version)
      if shown != found && shown != after || FilmCollection(last) != expected {
        figures.note(
          describe(state, "then \(describe(again, "the migration is neither whole nor absent"))")
        )
      }
      return true
    }
  }

  private func migrated(_ fileSystem: SimulatedFileSystem, _ version: FilmVersion) throws
    -> StoreContents
  {
    let workload = recording.workload
    return try StoreContents(
      of: workload.store.open(fileSystem, path: workload.path, migratingTo: version)
    )
  }

  /// Fails each call of the recovery once; recovering again must show the same.
  private mutating func failRecovery(_ state: CrashState, _ found: StoreContents) throws {
    var call = 1
    while true {
      let fileSystem = SimulatedFileSystem(state.disk, seed: UInt64(call))
      let code = FaultLoop.codes[call % FaultLoop.codes.count]
      fileSystem.plan(SimulatedFileSystem.Fault(call: call, code: code, isPersistent: false))
      let shown = try? contents(fileSystem)
      guard fileSystem.callCount >= call else { return }
      fileSystem.plan()
      figures.tries += 1
      let again = try contents(fileSystem)
      if again != found || shown ?? found != found {
        figures.note(describe(state, "then call \(call) of the recovery fails with \(code)"))
      }
      call += 1
    }
  }

  private func describe(_ state: CrashState, _ what: String) -> String {
    "\(recording.workload.store.rawValue) \(recording.workload.name): crash after \(state.prefix) "
      + "effects, kept \(state.kept), \(state.tear ?? "nothing torn"): \(what)"
  }
}
