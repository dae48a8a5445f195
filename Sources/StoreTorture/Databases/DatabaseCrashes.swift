import OpenSwiftData
import SQLiteStores

/// Opens every state in which a power failure can leave a database, and compares it with what was saved.
package struct DatabaseCrashes {
  /// The saves that are recorded.
  package enum Work: String, CaseIterable, Sendable {
    case create
    case save
    /// A save of more pages than others, and the end of the program, which moves the log into the database.
    case large
    case schema
    case compact
  }

  package let database: TorturedDatabase
  package let work: Work

  package init(_ database: TorturedDatabase, _ work: Work) {
    (self.database, self.work) = (database, work)
  }

  /// All kinds of work for each database that supports them.
  package static var all: [DatabaseCrashes] {
    TorturedDatabase.allCases.flatMap { database in
      let works = database == .own ? Work.allCases : [.save, .large]
      return works.map { DatabaseCrashes(database, $0) }
    }
  }

  /// One state in this many is also saved to.
  private static let depth = 16

  /// Tries the states until all are done or `isOver` returns true.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random choices.
  ///   - subsetLimit: The largest number of effects not yet durable for which all subsets are tried.
  ///   - samples: The number of random subsets and of random offsets in each write.
  ///   - step: 1 for all states; otherwise fewer, see ``CrashStates``.
  ///   - losesSynchronizations: Whether a synchronization does nothing, to prove that this is found; the first wrong
  ///     state ends the loop.
  ///   - isOver: Ends the loop early.
  /// - Returns: How many states there were and how many were wrong.
  /// - Throws: The error of the store; a failure of the instrument.
  package func run(
    seed: UInt64,
    subsetLimit: Int = 6,
    samples: Int = 4,
    step: Int = 1,
    losesSynchronizations: Bool = false,
    isOver: () -> Bool = { false }
  ) throws -> TortureFigures {
    try FaultyLayer.install()
    let folder = try DatabaseFolder()
    let (start, effects, contents) = try record(folder)
    let kept =
      losesSynchronizations
      ? effects.filter { if case .synchronize = $0 { false } else { true } } : effects
    var states = CrashStates(
      of: kept,
      from: start,
      seed: seed,
      subsetLimit: subsetLimit,
      samples: samples,
      step: step
    )
    var figures = TortureFigures()
    var seen: [DiskDigest: Set<Int>] = [:]
    func goesOn() -> Bool { !isOver() && !(losesSynchronizations && figures.wrong > 0) }
    states.forEach { state in
      figures.tries += 1
      let digest = DiskDigest(state.disk)
      let saves: Set<Int>
      if let known = seen[digest] {
        saves = known
      } else {
        do {
          saves = try look(state, folder, contents, isDeep: seen.count % Self.depth == 0)
          seen[digest] = saves
        } catch {
          figures.note(describe(state, "\(error)"))
          return goesOn()
        }
      }
      if !saves.contains(state.acknowledged), !saves.contains(state.begun) {
        figures.note(
          describe(state, "holds neither save \(state.acknowledged) nor \(state.begun)")
        )
      }
      return goesOn()
    }
    return figures
  }

  /// Opens a state.
  ///
  /// - Returns: The saves after which the database had this content.
  private func look(
    _ state: CrashState,
    _ folder: DatabaseFolder,
    _ contents: [DatabaseContents],
    isDeep: Bool
  ) throws -> Set<Int> {
    try folder.replace(by: state.disk)
    let store = try database.open(folder.database, schema: nil)
    defer { store.close() }
    let found = try DatabaseContents(of: store)
    let problems = try store.check(isThorough: isDeep)
    guard problems.isEmpty else { throw PersistenceError(.damaged, "\(problems)") }
    if isDeep, !store.schema.entities.isEmpty {
      try store.insertFilms(["after the crash"])
      store.close()
      let again = try database.open(folder.database, schema: nil)
      defer { again.close() }
      let count = try again.count(
        matching: Query("Film", filter: .compare("title", .equal, .text("after the crash")))
      )
      if count != 1 { throw PersistenceError(.storeViolation, "the next save is lost") }
    }
    return Set(contents.indices.filter { contents[$0] == found })
  }

  private func record(_ folder: DatabaseFolder) throws -> (
    SimulatedDisk, [DiskEffect], [DatabaseContents]
  ) {
    if work != .create { try database.create(folder.database) }
    let start = try folder.disk()
    let recorder = DatabaseRecorder(start)
    var contents: [DatabaseContents] = []
    try recorder.recording {
      let store = try database.open(folder.database)
      contents.append(try DatabaseContents(of: store))
      for step in steps {
        recorder.mark(.begun(contents.count))
        try step(store)
        recorder.mark(.acknowledged(contents.count))
        contents.append(try DatabaseContents(of: store))
      }
      store.close()
    }
    return (start, recorder.effects, contents)
  }

  private var steps: [(SQLiteStore) throws -> Void] {
    func insert(_ title: String, _ size: Int = 0) -> (SQLiteStore) throws -> Void {
      { try $0.insertFilms([title], note: String(repeating: "n", count: size)) }
    }
    func update(_ store: SQLiteStore) throws {
      if let first = try store.filmIdentifiers().first {
        try store.updateFilm(first, title: "updated", note: "short")
      }
    }
    func delete(_ store: SQLiteStore) throws {
      if let last = try store.filmIdentifiers().last { try store.deleteFilm(last) }
    }
    let field = Schema.Attribute("extra", .integer, defaultValue: .integer(7))
    switch work {
    case .create: return [insert("a"), insert("b")]
    case .save: return [insert("a"), update, delete, insert("b", 5000)]
    case .large:
      return [{ try $0.insertFilms((0..<30).map { "film \($0)" }, note: "note") }, update]
    case .schema:
      return [{ try $0.apply(.addAttribute(entity: "Film", field), author: nil) }, insert("a")]
    case .compact: return [delete, { _ = try $0.compact() }, insert("a")]
    }
  }

  private func describe(_ state: CrashState, _ what: String) -> String {
    "\(database.rawValue) \(work.rawValue): crash after \(state.prefix) effects, kept \(state.kept), "
      + "\(state.tear ?? "nothing torn"): \(what)"
  }
}
