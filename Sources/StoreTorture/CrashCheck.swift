import OpenSwiftData
import Stores

/// What came of many tries.
package struct TortureFigures: Sendable {
  package var tries = 0
  package var wrong = 0
  /// The first wrong outcomes in words.
  package var examples: [String] = []

  package init() {}

  /// Notes a wrong outcome.
  package mutating func note(_ text: String) {
    wrong += 1
    if examples.count < 5 { examples.append(text) }
  }

  /// Adds the figures of more tries.
  package mutating func add(_ other: TortureFigures) {
    tries += other.tries
    wrong += other.wrong
    examples = Array((examples + other.examples).prefix(5))
  }
}

/// Opens crash states with the store and compares what it finds with what was saved.
package struct CrashCheck {
  private let recording: Recording
  /// Of so many states one is opened twice, saved to, and its own recovery crashed.
  private let depth: Int
  private var figures = TortureFigures()

  /// Prepares the check of a recording.
  package init(_ recording: Recording, everyWhichIsDeep depth: Int = 32) {
    self.recording = recording
    self.depth = depth
  }

  /// Tries the states of a recording until all are done or `isOver` says so.
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
    let fileSystem = SimulatedFileSystem(state.disk, seed: UInt64(figures.tries))
    do {
      let isDeep = figures.tries % depth == 0
      if isDeep { fileSystem.record() }
      let found = try contents(fileSystem)
      guard isAllowed(found, state) else {
        figures.note(describe(state, "holds neither save \(state.acknowledged) nor \(state.begun)"))
        return
      }
      if isDeep { try goDeeper(state, fileSystem, found) }
    } catch {
      figures.note(describe(state, "\(error)"))
    }
  }

  private func contents(_ fileSystem: SimulatedFileSystem) throws -> StoreContents {
    let workload = recording.workload
    return try StoreContents(of: workload.store.open(fileSystem, path: workload.path, schema: nil))
  }

  private func isAllowed(_ found: StoreContents, _ state: CrashState) -> Bool {
    found == recording.contents[state.acknowledged] || found == recording.contents[state.begun]
  }

  /// Crashes the recovery, opens once more, saves, and opens again.
  private mutating func goDeeper(
    _ state: CrashState,
    _ fileSystem: SimulatedFileSystem,
    _ found: StoreContents
  ) throws {
    var second = CrashStates(
      of: fileSystem.effects,
      from: state.disk,
      seed: UInt64(figures.tries),
      subsetLimit: 4,
      samples: 1
    )
    try second.forEach { again in
      figures.tries += 1
      if try contents(SimulatedFileSystem(again.disk)) != found {
        figures.note(describe(state, "then \(describe(again, "recovery lost something"))"))
      }
      return true
    }
    let workload = recording.workload
    let open = try workload.store.open(fileSystem, path: workload.path)
    try open.insertFilms(["after the crash"])
    let problems = try open.check()
    let after = try StoreContents(of: open)
    if !problems.isEmpty || after.differences(from: found) != 1 {
      figures.note(describe(state, "cannot be saved to: \(problems)"))
    }
    if try contents(fileSystem) != after { figures.note(describe(state, "loses the next save")) }
  }

  private func describe(_ state: CrashState, _ what: String) -> String {
    "\(recording.workload.store.rawValue) \(recording.workload.name): crash after \(state.prefix) "
      + "effects, kept \(state.kept), \(state.tear ?? "nothing torn"): \(what)"
  }
}
