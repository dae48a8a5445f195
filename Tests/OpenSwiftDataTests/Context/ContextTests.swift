import Foundation
import OpenSwiftData
import Testing

/// A container with one store and some films.
struct FilmContainer {
  static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text, isOptional: false), .init("year", .integer),
        .init("seen", .boolean, defaultValue: .boolean(false)), .init("sequel", .link("Film")),
        .init("similar", .links("Film")),
      ]
    ),
    Schema.Entity("Person", attributes: [.init("name", .text)])
  )

  let container: ModelContainer
  let store: FlawedStore

  init(flaw: Flaw? = nil) throws {
    container = try ModelContainer(
      configurations: FlawedConfiguration(schema: Self.schema, flaw: flaw)
    )
    store = try #require(container.stores.first as? FlawedStore)
  }

  @discardableResult
  func insert(_ title: String, year: Int64? = nil, into context: ModelContext) throws -> Record {
    let record = Record(entity: try context.schema.entity(named: "Film"))
    try record.set(.text(title), for: "title")
    if let year { try record.set(.integer(year), for: "year") }
    context.insert(record)
    return record
  }

  /// A context on a store that has these films, saved.
  func context(films: [(String, Int64)]) throws -> (ModelContext, [Record]) {
    let context = ModelContext(container)
    let records = try films.map { try insert($0.0, year: $0.1, into: context) }
    try context.save()
    return (context, records)
  }

  func titles(_ context: ModelContext, _ query: Query = Query("Film")) throws -> [String] {
    try context.fetchSnapshots(matching: query).map { $0["title"]?.text ?? "" }
  }
}

@Suite struct ContextTests {
  let films: FilmContainer

  init() throws { films = try FilmContainer() }

  @Test func savingReplacesTemporaryIdentifiersInPlace() throws {
    let context = ModelContext(films.container)
    let first = try films.insert("A", into: context)
    let second = try films.insert("B", into: context)
    try first.set(.link(second.persistentModelID), for: "sequel")
    try first.set(.links([second.persistentModelID, first.persistentModelID]), for: "similar")
    let temporary = second.persistentModelID
    #expect(temporary.isTemporary && temporary.description == "t2")
    let report = try context.saveReporting()
    #expect(report.remapped.map(\.temporary).contains(temporary))
    #expect(!second.persistentModelID.isTemporary && !first.hasChanges && !context.hasChanges)
    #expect(first[attribute: "sequel"] == .link(second.persistentModelID))
    #expect(
      first[attribute: "similar"] == .links([second.persistentModelID, first.persistentModelID])
    )
    #expect(context.resolve(temporary) == second.persistentModelID)
    #expect(try context.records(for: [second.persistentModelID]).first === second)
  }

  // Covers J04.
  @Test func settingAValueBackLeavesNothingToSave() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    try records[0].set(.integer(2), for: "year")
    #expect(context.hasChanges && records[0].hasChanges)
    #expect(context.pendingKind(of: records[0].persistentModelID) == .updated)
    try records[0].set(.integer(1), for: "year")
    #expect(!context.hasChanges && !records[0].hasChanges)
    #expect(context.pendingChanges.isEmpty)
  }

  @Test func aValueOfTheWrongKindIsRefusedWithTheFieldAndItsType() throws {
    let (_, records) = try films.context(films: [("A", 1)])
    let error = #expect(throws: PersistenceError.self) {
      try records[0].set(.text("x"), for: "year")
    }
    #expect(error?.message == "field \"year\": \"x\" is not a valid integer")
    let unknown = #expect(throws: PersistenceError.self) {
      try records[0].set(.text("x"), for: "yaer")
    }
    #expect(unknown?.message == "Film has no field \"yaer\"; did you mean \"year\"?")
  }

  // Covers J06.
  @Test func aFailedSaveLeavesTheContextAsItWas() throws {
    let (context, records) = try films.context(films: [("A", 1), ("B", 2), ("C", 3)])
    try records[0].set(.text("A2"), for: "title")
    context.delete(records[1])
    let new = try films.insert("D", into: context)
    let before = context.pendingChanges
    films.store.failNext(2)
    for _ in 0..<2 { #expect(throws: PersistenceError.self) { try context.save() } }
    #expect(context.pendingChanges == before)
    #expect(new.persistentModelID.isTemporary)
    #expect(try films.store.count(matching: Query("Film")) == 3)
    try context.save()
    #expect(try films.titles(context) == ["A2", "C", "D"])
    #expect(try films.titles(ModelContext(films.container)) == ["A2", "C", "D"])
  }

  @Test func aStoreThatKeepsATemporaryIdentifierIsFoundOut() throws {
    let films = try FilmContainer(flaw: .reportsATemporaryIdentifier)
    let context = ModelContext(films.container)
    try films.insert("A", into: context)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .storeViolation)
    #expect(error?.message.hasSuffix("; the changes are saved, reopen the store") ?? false)
  }

  @Test func rollingBackRestoresEverything() throws {
    let (context, records) = try films.context(films: [("A", 1), ("B", 2)])
    let new = try films.insert("N", into: context)
    try records[0].set(.text("A2"), for: "title")
    context.delete(records[1])
    context.rollback()
    #expect(!context.hasChanges && !context.canUndo)
    #expect(records[0][attribute: "title"] == .text("A"))
    #expect(!records[1].isDeleted && new.isDeleted && new.modelContext == nil)
    #expect(try films.titles(context) == ["A", "B"])
    context.insert(new)
    #expect(try films.titles(context) == ["A", "B", "N"])
  }

  @Test func discardingIsAStepThatCanBeUndone() throws {
    let (context, records) = try films.context(films: [("A", 1), ("B", 2)])
    let new = try films.insert("N", into: context)
    try records[0].set(.text("A2"), for: "title")
    context.delete(records[1])
    context.discardChanges()
    #expect(!context.hasChanges)
    #expect(try films.titles(context) == ["A", "B"])
    #expect(try context.undo()?.name == "rollback")
    #expect(try films.titles(context) == ["A2", "N"])
    #expect(try context.records(for: [new.persistentModelID]).first === new)
    try context.redo()
    #expect(try films.titles(context) == ["A", "B"])
  }

  @Test func undoingARollbackRestoresNewRecordsInTheirOrder() throws {
    let (context, _) = try films.context(films: [])
    for title in ["1", "2", "3"] { try films.insert(title, into: context) }
    context.discardChanges()
    #expect(try films.titles(context) == [])
    try context.undo()
    #expect(try films.titles(context) == ["1", "2", "3"])
    try context.redo()
    #expect(try films.titles(context) == [])
    try context.undo()
    try context.save()
    #expect(try films.titles(ModelContext(films.container)) == ["1", "2", "3"])
  }

  @Test func insertingADeletedModelAgainCanBeUndone() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    context.delete(records[0])
    context.closeUndoStep(named: "delete")
    context.insert(records[0])
    #expect(!context.hasChanges && !records[0].isDeleted)
    context.closeUndoStep(named: "insert")
    try context.undo()
    #expect(records[0].isDeleted && context.pendingChanges.deleted.count == 1)
    try context.undo()
    #expect(!records[0].isDeleted && !context.hasChanges)
    try context.redo()
    try context.redo()
    #expect(!records[0].isDeleted && !context.hasChanges)
  }

  @Test func undoReachesAcrossSaves() throws {
    let context = ModelContext(films.container)
    let record = try films.insert("A", into: context)
    context.closeUndoStep(named: "insert")
    try context.save()
    let permanent = record.persistentModelID
    let step = try context.undo()
    #expect(step?.identifiers == [permanent])
    #expect(context.pendingKind(of: permanent) == .deleted)
    try context.save()
    #expect(try films.store.count(matching: Query("Film")) == 0)
    try context.redo()
    #expect(context.pendingKind(of: permanent) == .inserted)
    try context.save()
    #expect(try films.store.identifiers(matching: Query("Film")) == [permanent])
  }

  @Test func undoThatCannotReadARecordChangesNothing() throws {
    var (context, records) = try films.context(films: [("A", 1), ("B", 2)])
    for record in records { try record.set(.text("X"), for: "title") }
    context.closeUndoStep(named: "set")
    try context.save()
    let gone = records[1].persistentModelID
    records = []
    let other = ModelContext(films.container)
    for record in try other.records(for: [gone]) { other.delete(record) }
    try other.save()
    let error = #expect(throws: PersistenceError.self) { try context.undo() }
    #expect(error?.code == .unknownRecord)
    #expect(context.canUndo && !context.canRedo && !context.hasChanges)
    #expect(try films.titles(context) == ["X"])
    context = ModelContext(films.container)
  }

  @Test func anotherContextSeesWhatWasSavedOnly() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let other = ModelContext(films.container)
    let same = try #require(try other.fetch(FetchDescriptor(entityName: "Film")).first)
    try records[0].set(.text("A2"), for: "title")
    #expect(try films.titles(other) == ["A"])
    try context.save()
    #expect(try films.titles(other) == ["A2"])
    _ = try other.fetch(FetchDescriptor<Record>(entityName: "Film"))
    #expect(same[attribute: "title"] == .text("A2"))
  }

  // Covers J03.
  @Test func aStaleChangeIsAConflictThatRollingBackSettles() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let other = ModelContext(films.container)
    let same = try #require(try other.fetch(FetchDescriptor(entityName: "Film")).first)
    try records[0].set(.text("theirs"), for: "title")
    try records[0].set(.integer(5), for: "year")
    try context.save()
    try same.set(.text("mine"), for: "title")
    let error = #expect(throws: PersistenceError.self) { try other.save() }
    #expect(error?.code == .conflict && other.hasChanges)
    other.rollback()
    _ = try other.fetch(FetchDescriptor<Record>(entityName: "Film"))
    #expect(same[attribute: "year"] == .integer(5))
    try same.set(.text("mine"), for: "title")
    try other.save()
    #expect(try films.titles(context) == ["mine"])
  }

  @Test func contextsMayChangeDifferentAttributesOfARecord() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let other = ModelContext(films.container)
    let same = try #require(try other.fetch(FetchDescriptor(entityName: "Film")).first)
    try records[0].set(.integer(5), for: "year")
    try context.save()
    try same.set(.text("mine"), for: "title")
    try other.save()
    _ = try other.fetch(FetchDescriptor<Record>(entityName: "Film"))
    #expect(same[attribute: "year"] == .integer(5) && same[attribute: "title"] == .text("mine"))
    #expect(try films.titles(context) == ["mine"])
  }

  @Test func aTransactionThatThrowsIsRolledBack() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    try context.transaction { try records[0].set(.text("B"), for: "title") }
    #expect(!context.hasChanges)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try context.transaction {
        try records[0].set(.text("C"), for: "title")
        throw Stop()
      }
    }
    #expect(records[0][attribute: "title"] == .text("B") && !context.hasChanges)
  }
}
