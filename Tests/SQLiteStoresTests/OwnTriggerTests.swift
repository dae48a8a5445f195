import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Triggers that another program has added to a database of our own.
@Suite struct OwnTriggerTests {
  private let folder: TestFolder
  private let path: String
  private static let schema = Schema(
    Schema.Entity("t", attributes: [.init("name", .text), .init("n", .integer)]),
    Schema.Entity("log", attributes: [.init("text", .text)])
  )

  init() throws {
    folder = try TestFolder()
    path = try folder.newPath("own.db")
    let store = try SQLiteStore(at: path, schema: Self.schema)
    for name in ["a", "b"] { try store.insert("t", ["name": .text(name), "n": .integer(0)]) }
    store.close()
  }

  private func context(_ trigger: String) throws -> ModelContext {
    try otherProgram(path).run(SQLText(trigger))
    return ModelContext(try ModelContainer(configurations: SQLiteConfiguration(path: path)))
  }

  private func record(_ name: String, _ context: ModelContext) throws -> Record {
    let query = Query("t", filter: .compare("name", .equal, .text(name)))
    let identifier = try #require(try context.fetchIdentifiers(matching: query).first)
    return try #require(try context.records(for: [identifier]).first)
  }

  private static let counting = """
    CREATE TRIGGER counting AFTER UPDATE OF name ON t BEGIN \
    UPDATE t SET n = n + 1 WHERE id <> new.id; END
    """

  /// The second record is changed by its own statement first, and then by the trigger.
  @Test func undoExpectsWhatATriggerMadeOfAWrittenValue() throws {
    let context = try context(Self.counting)
    let (first, second) = (try record("a", context), try record("b", context))
    try second.set(.integer(5), for: "n")
    try first.set(.text("x"), for: "name")
    context.closeUndoStep(named: "both")
    _ = try context.saveCounting()
    #expect(second[attribute: "n"] == .integer(6))
    _ = try context.undo()
    try context.save()
    #expect(first[attribute: "name"] == .text("a"))
    let transactions = try SQLiteStore(at: path).transactions(after: 2, touching: nil)
    let numbers = transactions.map { $0.changes.updated.compactMap { $0.after["n"] } }
    #expect(numbers[0] == [.integer(6)], "\(numbers)")
  }

  @Test func undoSaysWhatATriggerChangedInAnotherRecordOfTheSave() throws {
    let context = try context(Self.counting)
    let (first, second) = (try record("a", context), try record("b", context))
    try first.set(.text("x"), for: "name")
    try second.set(.text("y"), for: "name")
    context.closeUndoStep(named: "both")
    #expect(try context.saveCounting().effects.compactMap(\.words) == ["n of 2 t"])
    #expect([first, second].map { $0[attribute: "n"] } == [.integer(1), .integer(1)])
    let step = try #require(try context.undo())
    #expect(step.unrestored == "what triggers changed (n of 2 t)")
    try context.save()
    #expect([first, second].map { $0[attribute: "name"] } == [.text("a"), .text("b")])
  }

  @Test func otherRecordsThatATriggerChangesAreReportedAndInTheHistory() throws {
    let context = try context(Self.counting)
    let second = try record("b", context)
    try record("a", context).set(.text("x"), for: "name")
    #expect(try context.saveCounting().effects.compactMap(\.words) == ["1 t updated"])
    #expect(second[attribute: "n"] == .integer(1))
    let store = try SQLiteStore(at: path)
    let changes = try #require(try store.transactions(after: 2, touching: nil).first).changes
    #expect(changes.updated.compactMap { $0.after["n"] } == [.integer(1)])
    #expect(try store.check() == [])
  }

  @Test func recordsThatATriggerChangesWhenManyAreInsertedAreReported() throws {
    let trigger = "CREATE TRIGGER c AFTER INSERT ON log BEGIN UPDATE t SET n = n + 1; END"
    let context = try context(trigger)
    for number in 0..<60 {
      let record = Record(entity: try context.schema.entity(named: "log"))
      try record.set(.text("\(number)"), for: "text")
      context.insert(record)
    }
    #expect(try context.saveCounting().effects.compactMap(\.words) == ["2 t updated"])
    #expect(try record("a", context)[attribute: "n"] == .integer(60))
    #expect(try SQLiteStore(at: path).transactions(after: 2, touching: nil).count == 1)
  }

  /// What statements of the save itself do is no effect of the database, in whichever order they run.
  @Test func theRowsOfASaveAreNoSideEffects() throws {
    let context = try context(
      "CREATE TRIGGER other AFTER INSERT ON log BEGIN UPDATE log SET text = 'x' WHERE false; END"
    )
    for number in 0..<6 {
      let record = Record(entity: try context.schema.entity(named: "t"))
      try record.set(.text("n\(number)"), for: "name")
      context.insert(record)
    }
    try context.save()
    context.delete(try record("a", context))
    for name in ["n0", "n1", "n2", "n3"] { try record(name, context).set(.integer(9), for: "n") }
    let new = Record(entity: try context.schema.entity(named: "t"))
    try new.set(.text("new"), for: "name")
    context.insert(new)
    let report = try context.saveCounting()
    #expect(report.effects.allSatisfy { $0.words == "" }, "\(report.effects)")
  }
}
