import OpenSwiftData
import SQLiteStores

/// Fails every call below SQLite in turn and checks what is in the database then.
package struct DatabaseFaults: Sendable {
  /// The work during which calls fail.
  package enum Work: String, CaseIterable, Sendable {
    case create
    case open
    case save
    /// The save of a field that is added, which copies the table.
    case schema
    case compact
    /// Closing, which moves the write-ahead log into the database.
    case close
  }

  package let database: TorturedDatabase
  package let work: Work

  package init(_ database: TorturedDatabase, _ work: Work) {
    (self.database, self.work) = (database, work)
  }

  /// All kinds of work for each database that supports them.
  package static var all: [DatabaseFaults] {
    TorturedDatabase.allCases.flatMap { database in
      let works = database == .own ? Work.allCases : [.open, .save, .close]
      return works.map { DatabaseFaults(database, $0) }
    }
  }

  private enum Outcome { case done, failed, unknown }

  private struct Fault: CustomStringConvertible {
    let call: Int
    let kind: FaultyLayer.Fault
    let isPersistent: Bool

    var description: String {
      "call \(call) fails (\(kind))\(isPersistent ? ", and all later ones" : "")"
    }
  }

  private static let title = "saved while calls failed"

  /// Fails one call after the other until the work completes without a failure.
  ///
  /// - Parameters:
  ///   - start: The first call that fails.
  ///   - step: How far the call is that fails next.
  ///   - kinds: How calls fail.
  ///   - isOver: Ends the loop early.
  /// - Returns: How many tries there were and how many had a wrong outcome.
  /// - Throws: Problems that occur without any failure.
  package func run(
    from start: Int = 1,
    step: Int = 1,
    kinds: [FaultyLayer.Fault] = FaultyLayer.Fault.reported,
    isOver: () -> Bool = { false }
  ) throws -> TortureFigures {
    try FaultyLayer.install()
    let folder = try DatabaseFolder()
    if work != .create { try database.create(folder.database) }
    let disk = try folder.disk()
    let before = try contents(folder)
    try folder.replace(by: disk)
    guard perform(folder.database).outcome == .done else {
      throw PersistenceError(.storeViolation, "\(work) fails without a failing call")
    }
    let after = try contents(folder)
    var figures = TortureFigures()
    var call = start
    var isReached = true
    while isReached, !isOver() {
      isReached = false
      for kind in kinds {
        for isPersistent in [false, true] {
          let fault = Fault(call: call, kind: kind, isPersistent: isPersistent)
          try folder.replace(by: disk)
          if try attempt(fault, folder, before, after, &figures) { isReached = true }
        }
      }
      call += step
    }
    return figures
  }

  private func contents(_ folder: DatabaseFolder) throws -> DatabaseContents {
    let store = try database.open(folder.database, schema: nil)
    defer { store.close() }
    return try DatabaseContents(of: store)
  }

  /// Makes one try.
  ///
  /// - Returns: Whether the work reached the call that was to fail.
  private func attempt(
    _ fault: Fault,
    _ folder: DatabaseFolder,
    _ before: DatabaseContents,
    _ after: DatabaseContents,
    _ figures: inout TortureFigures
  ) throws -> Bool {
    var outcome = Outcome.done
    var open: SQLiteStore?
    let isReached = FaultyLayer.failing(
      fault.call,
      fault.kind,
      isPersistent: fault.isPersistent
    ) {
      (outcome, open) = perform(folder.database)
      // What fails from then on fails also while the program ends.
      if fault.isPersistent { open?.close() }
    }
    open?.close()
    guard isReached else { return false }
    figures.tries += 1
    do {
      let found = try contents(folder)
      let isRight =
        switch outcome {
        case .done: found == after
        case .failed: found == before
        case .unknown: found == before || found == after
        }
      if !isRight { figures.note(describe(fault, "\(outcome), but it holds something else")) }
      for problem in try saveAgain(folder) { figures.note(describe(fault, problem)) }
    } catch {
      figures.note(describe(fault, "\(outcome), then it cannot be used: \(error)"))
    }
    return true
  }

  /// Checks the database and saves once more.
  private func saveAgain(_ folder: DatabaseFolder) throws -> [String] {
    var store = try database.open(folder.database)
    var problems = try store.check(isThorough: true)
    let count = try store.count(matching: Query("Film"))
    try store.insertFilms(["afterwards"])
    store.close()
    store = try database.open(folder.database)
    if try store.count(matching: Query("Film")) != count + 1 {
      problems.append("lost a later save")
    }
    store.close()
    return problems
  }

  private func perform(_ path: String) -> (outcome: Outcome, store: SQLiteStore?) {
    var store: SQLiteStore?
    do {
      let open = try database.open(path)
      store = open
      switch work {
      case .open: _ = try DatabaseContents(of: open)
      case .create: try open.insertFilms([Self.title])
      case .save: try save(open)
      case .schema:
        let field = Schema.Attribute("extra", .integer, defaultValue: .integer(7))
        try open.apply(.addAttribute(entity: "Film", field), author: nil)
      case .compact: _ = try open.compact()
      case .close:
        try save(open)
        // The save is done, whatever happens now.
        open.close()
      }
      return (.done, store)
    } catch let error as PersistenceError where error.code == .outcomeUnknown {
      return (.unknown, store)
    } catch {
      return (.failed, store)
    }
  }

  /// Inserts a film, changes one and deletes one, in one save.
  private func save(_ store: SQLiteStore) throws {
    let films = try store.snapshots(matching: Query("Film", sort: [SortKey("title")]))
    let entity = try store.schema.entity(named: "Film")
    var (first, new) = (films[0], films[1])
    new.persistentIdentifier = IdentifierScope(store: nil, entity: "Film")
      .temporaryIdentifier(1, context: 1)
    guard let title = entity.layout.slot(of: "title") else { return }
    // The database chooses the key.
    if let key = entity.layout.slot(of: "id") { new.orderedValues[key] = .null }
    new.orderedValues[title] = .text(Self.title)
    first.orderedValues[title] = .text("changed while calls failed")
    let changes = ChangeSet(
      inserted: [new],
      updated: [RecordUpdate(before: films[0], after: first)],
      deleted: [films[2]]
    )
    _ = try store.commit(changes, author: nil)
  }

  private func describe(_ fault: Fault, _ problem: String) -> String {
    "\(database.rawValue) \(work.rawValue): \(fault): \(problem)"
  }
}
