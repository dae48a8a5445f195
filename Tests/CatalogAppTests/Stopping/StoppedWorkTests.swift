import CatalogApp
import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// Work that is stopped at any moment leaves everything as it was, and work that goes on reports how far it is.
@Suite struct StoppedWorkTests {
  static let commands: [(setup: [String], line: String)] = [
    ([], "set where number > 10 name=x"), ([], "delete where number > 10"),
    ([], "duplicate where number > 10"), ([], "import new.csv"), ([], "import new.json into Other"),
    ([], "export out.csv"), ([], "export out.json where number > 10"), ([], "stats name"),
    ([], "freq name"), ([], "count where name contains[c] '7'"), ([], "list sort name"),
    ([], "pivot number // 1000 by number % 7 count()"), ([], "unpivot number as field,value"),
    ([], "list sample 5"), ([], "set where true sort -number number:=row()"),
    (["set where number > 10 name=x", "save"], "undo"),
    (["delete where number > 10", "save"], "undo"),
    (["set where number > 10 name=x", "undo"], "redo"),
    (["set where number > 10 name=x"], "save"), (["delete where number > 3000"], "save"),
    (["duplicate where number > 10"], "save"), ([], "saveas copy.json"), ([], "saveas copy.catlog"),
    (["set where number > 10 name=x"], "saveas copy.catlog"), ([], "check"),
    (["set where number > 10 name=x", "save"], "revert all to 1"),
    (["set where number > 10 name=x"], "changes"),
    (["set where number > 10 name=x"], "import new.csv into Item by number"),
    (["saveas copy.json"], "diff copy.json by number"), ([], "field type number text"),
    (["field type number text"], "save"), (["field type number text"], "undo"),
    (["field type number text", "save"], "undo"),
    (["set where number > 10 name=x"], "field type number text"),
    ([], "field drop name"), (["set where number > 10 name=x"], "rollback"),
    (["delete where number > 10"], "rollback"),
  ]

  /// Commands that are too short to report how far they are.
  static let shortCommands = [(["field drop name"], "save")]

  /// Commands of a store that keeps little history.
  static let logCommands = [(["set where number > 10 name=x", "save"], "compact")]

  /// More than what is done between two questions whether to stop.
  static let count = 4500

  static func services(count: Int = count) throws -> FolderServices {
    let services = try FolderServices()
    let rows = (1...count).map { "\($0),item \($0)\n" }.joined()
    let objects = (1...count).map { "{\"number\": \($0), \"name\": \"item \($0)\"}" }
    try Data(("number,name\n" + rows).utf8)
      .write(to: URL(fileURLWithPath: services.file("new.csv")))
    try Data("[\(objects.joined(separator: ",\n"))]".utf8)
      .write(to: URL(fileURLWithPath: services.file("new.json")))
    return services
  }

  /// A session on a store with saved records.
  static func session(_ services: FolderServices, _ location: String) throws -> Session {
    let entity = Schema.Entity(
      "Item",
      attributes: [Schema.Attribute("number", .integer), Schema.Attribute("name", .text)]
    )
    let opened = try services.open(location, schema: Schema(entity), isReadOnly: false)
    let session = Session(
      container: opened.container,
      storeName: location,
      entityName: "Item",
      services: services,
      format: .tsv
    )
    _ = try session.perform("import new.csv into Item")
    _ = try session.perform("save")
    return session
  }

  /// Everything that a stopped command must leave as it was.
  struct Moment: Equatable {
    let changes: ChangeSet
    let canUndo: Bool
    let canRedo: Bool
    let records: [DefaultSnapshot]
    let files: [String: Data]

    init(_ session: Session, _ services: FolderServices) throws {
      var changes = session.context.pendingChanges
      // Unlike the order of new records, that of changed ones has no meaning.
      changes.updated.sort { $0.persistentIdentifier < $1.persistentIdentifier }
      self.changes = changes
      (canUndo, canRedo) = (session.context.canUndo, session.context.canRedo)
      records = try session.context.schema.entities.flatMap {
        try session.context.fetchSnapshots(matching: Query($0.name))
      }
      files = try services.contents()
    }
  }

  /// Performs a line and prints its result; stops when it is asked for the given time.
  ///
  /// - Returns: False if it was stopped.
  static func perform(
    _ line: String,
    _ session: Session,
    stoppingAt limit: Int,
    _ progress: WorkProgress = WorkProgress()
  ) throws -> Bool {
    let asked = Atomic(0)
    let isWanted: @Sendable () -> Bool = {
      asked.add(1, ordering: .relaxed).newValue >= limit
    }
    do {
      try Interruption.allowed(by: isWanted) {
        try Interruption.reporting(to: progress) {
          let outcome = try session.perform(line)
          try ResultPrinter(.tsv, isTerminal: false) { _ in }
            .print(outcome, context: session.context)
        }
      }
      return true
    } catch is Interruption.Stopped {
      return false
    }
  }

  @Test(arguments: ["items.json", "items.catlog"], commands)
  func stoppedWorkLeavesEverythingAsItWas(
    location: String,
    command: (setup: [String], line: String)
  ) throws {
    try check(location, command.setup, command.line, reports: true)
  }

  @Test(arguments: ["items.json", "items.catlog"], shortCommands)
  func stoppedShortWorkLeavesEverythingAsItWas(
    location: String,
    command: (setup: [String], line: String)
  ) throws {
    try check(location, command.setup, command.line)
  }

  @Test(arguments: logCommands)
  func stoppedCompactionLeavesEverythingAsItWas(setup: [String], line: String) throws {
    try check("items.catlog", setup, line)
  }

  @Test(arguments: ["items.json", "items.catlog"])
  func stoppedHistoryLeavesEverythingAsItWas(location: String) throws {
    try check(location, ["set where number > 10 name=x", "save"], "history", .jsonl)
  }

  @Test func largeTransactionsOfALogAreReadUntilTheCommandIsStopped() throws {
    try check("items.catlog", ["set where number > 10 name=x", "save"], "history")
  }

  @Test func logThatChangesManyRecordsIsReadUntilItsOpeningIsStopped() throws {
    let services = try Self.services()
    let session = try Self.session(services, "items.catlog")
    for line in ["set where number > 10 name=x", "save", "delete where number < 2250", "save"] {
      _ = try session.perform(line)
    }
    let before = try services.contents()
    var stopCount = 0
    var limit = 1
    while true {
      let asked = Atomic(0)
      let isWanted: @Sendable () -> Bool = { [limit] in
        asked.add(1, ordering: .relaxed).newValue >= limit
      }
      do {
        try Interruption.allowed(by: isWanted) {
          let opened = try services.open("items.catlog", schema: nil, isReadOnly: true)
          let context = ModelContext(opened.container)
          #expect(try context.fetchCount(matching: Query("Item")) == Self.count - 2249)
        }
        break
      } catch is Interruption.Stopped {
        stopCount += 1
        #expect(try services.contents() == before)
        limit += 1
      }
    }
    // Each transaction has several batches of changes.
    #expect(stopCount > 4)
  }

  @Test func undoOfAnEarlierRunThatIsStoppedLeavesEverythingAsItWas() throws {
    let services = try Self.services()
    let first = try Self.session(services, "items.catlog")
    for line in ["set where number > 10 name=x", "save"] { _ = try first.perform(line) }
    let opened = try services.open("items.catlog", schema: nil, isReadOnly: false)
    let session = Session(
      container: opened.container,
      storeName: "items.catlog",
      entityName: "Item",
      services: services,
      format: .tsv
    )
    let before = try Moment(session, services)
    var stopCount = 0
    var limit = 1
    while try !Self.perform("undo", session, stoppingAt: limit) {
      stopCount += 1
      #expect(try Moment(session, services) == before, "stopped at question \(limit)")
      limit += 1 + limit
    }
    #expect(stopCount > 2)
    #expect(session.context.pendingChanges.updated.count == Self.count - 10)
  }

  /// Steps with so many changes are applied in parts, which a stop discards.
  @Test(arguments: [
    (["set where number > 10 name=x", "save"], "undo"),
    (["delete where number > 10", "save"], "undo"),
    (
      [
        "set where number > 10 name=x", "save", "set where number > 10 name=y", "save", "undo",
      ], "undo"
    ),
    (["set where number > 10 name=x", "undo"], "redo"),
    (["duplicate where number > 10", "undo"], "redo"),
  ])
  func stoppedUndoOfManyChangesLeavesEverythingAsItWas(setup: [String], line: String) throws {
    try check("items.catlog", setup, line, count: 2 * Self.count)
  }

  private func check(
    _ location: String,
    _ setup: [String],
    _ line: String,
    _ format: OutputFormat = .tsv,
    count: Int = count,
    reports: Bool = false
  ) throws {
    let services = try Self.services(count: count)
    let session = try Self.session(services, location)
    session.settings.format = format
    for line in setup { _ = try session.perform(line) }
    let before = try Moment(session, services)
    var stopCount = 0
    var limit = 1
    let stages = Mutex<[WorkStage]>([])
    while try !Self.perform(
      line,
      session,
      stoppingAt: limit,
      WorkProgress { stage in stages.withLock { $0.append(stage) } }
    ) {
      stages.withLock { $0 = [] }
      stopCount += 1
      let now = try Moment(session, services)
      #expect(now.files.keys.sorted() == before.files.keys.sorted(), "\(line) at \(limit)")
      #expect(now == before, "\(line), stopped at question \(limit)")
      try #require(limit < 100_000, "\(line) ends")
      limit += 1 + 3 * limit
    }
    #expect(stopCount >= 1, "\(line) asks whether to stop")
    if reports { check(stages.withLock { $0 }, of: line) }
  }

  /// The work of each stage rises to its total.
  private func check(_ stages: [WorkStage], of line: String) {
    #expect(stages.contains { $0.done > 0 }, "\(line) reports")
    for (place, stage) in stages.enumerated() {
      #expect(stage.done <= stage.total)
      let next = place + 1 < stages.count ? stages[place + 1] : nil
      if let next, next.done > 0 || stage.done == 0 {
        #expect(next.done >= stage.done, "\(line): \(stage) \(next)")
      } else {
        #expect(stage.done == stage.total, "\(line): \(stage) ends early")
      }
    }
  }
}
