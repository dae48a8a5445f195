import Foundation
import OpenSwiftData
import Testing

@Suite struct HistoryAndSchemaTests {
  let films: FilmContainer

  init() throws { films = try FilmContainer() }

  /// Saves each title in a separate transaction and returns the tokens.
  private func write(_ titles: [String], _ record: Record, _ context: ModelContext) throws
    -> [Int64]
  {
    try titles.map { title in
      try record.set(.text(title), for: "title")
      try context.save()
      return try #require(try context.transactions().last?.token)
    }
  }

  @Test func theAuthorStandsInTheHistory() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    context.author = "ann"
    _ = try write(["B"], records[0], context)
    #expect(try context.transactions().map(\.author) == [nil, "ann"])
    #expect(try context.transactions(touching: records[0].persistentModelID).count == 2)
  }

  @Test func revertingGivesARecordTheValuesOfATransaction() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let film = records[0].persistentModelID
    let tokens = try write(["B", "C", "D"], records[0], context)
    try context.revert(film, to: tokens[0])
    #expect(records[0][attribute: "title"] == .text("B"))
    #expect(context.pendingKind(of: film) == .updated)
    context.closeUndoStep(named: "revert")
    try context.undo()
    #expect(!context.hasChanges)
    try context.revert(film, to: tokens[2])
    #expect(!context.hasChanges)
    let error = #expect(throws: PersistenceError.self) { try context.revert(film, to: 0) }
    #expect(error?.message == "record \(film) did not exist after transaction 0")
  }

  @Test func revertingBringsADeletedRecordBack() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let film = records[0].persistentModelID
    let tokens = try write(["B"], records[0], context)
    context.delete(records[0])
    try context.save()
    try context.revert(film, to: tokens[0] - 1)
    #expect(context.pendingKind(of: film) == .inserted)
    try context.save()
    #expect(try films.titles(context) == ["A"])
    #expect(try context.fetchIdentifiers(matching: Query("Film")) == [film])
  }

  @Test func revertingKnowsRenamedFieldsAndDefaultsOfNewOnes() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let film = records[0].persistentModelID
    let tokens = try write(["B", "C"], records[0], context)
    context.delete(records[0])
    try context.save()
    try context.apply(.renameAttribute(entity: "Film", from: "title", to: "name"))
    let stars = Schema.Attribute("stars", .integer, isOptional: false, defaultValue: .integer(3))
    try context.apply(.addAttribute(entity: "Film", stars))
    try context.revert(film, to: tokens[0])
    try context.save()
    let found = try context.fetchSnapshots(matching: Query("Film"))
    #expect(found.first?["name"] == .text("B"))
    #expect(found.first?["stars"] == .integer(3))
  }

  @Test func changingTheSchemaKeepsHeldModelsInLine() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    try context.apply(.addAttribute(entity: "Film", .init("stars", .integer)))
    try context.apply(.renameAttribute(entity: "Film", from: "title", to: "name"))
    try context.apply(.dropAttribute(entity: "Film", name: "seen"))
    #expect(records[0][attribute: "name"] == .text("A"))
    #expect(records[0][attribute: "title"].isNull)
    try records[0].set(.integer(5), for: "stars")
    try context.save()
    #expect(try context.fetchSnapshots(matching: Query("Film")).first?["stars"] == .integer(5))
    try context.apply(.createEntity(.init("Award", attributes: [.init("name", .text)])))
    #expect(try context.fetchCount(matching: Query("Award")) == 0)
  }

  @Test func theSchemaStaysWhileThereAreUnsavedChanges() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    try records[0].set(.text("B"), for: "title")
    let error = #expect(throws: PersistenceError.self) {
      try context.apply(.dropAttribute(entity: "Film", name: "year"))
    }
    #expect(error?.code == .unsavedChanges)
    #expect(context.schema == FilmContainer.schema)
  }

  @Test func unsavedChangesSurviveASchemaThatAnotherContextChanged() throws {
    let (context, records) = try films.context(films: [("A", 1), ("B", 2)])
    try records[0].set(.text("A2"), for: "title")
    context.closeUndoStep(named: "set")
    let new = try films.insert("N", year: 9, into: context)
    let other = ModelContext(films.container)
    try other.apply(.dropAttribute(entity: "Film", name: "seen"))
    try other.apply(.renameAttribute(entity: "Film", from: "title", to: "name"))
    let stars = Schema.Attribute("stars", .integer, isOptional: false, defaultValue: .integer(3))
    try other.apply(.addAttribute(entity: "Film", stars))
    let sorted = Query("Film", sort: [SortKey("name")])
    let names = try context.fetchSnapshots(matching: sorted).map { $0["name"] }
    #expect(names == [.text("A2"), .text("B"), .text("N")])
    #expect(context.canUndo)
    try context.save()
    #expect(new[attribute: "stars"] == .integer(3))
    #expect(try other.fetchSnapshots(matching: sorted).map { $0["name"] } == names)
  }

  @Test func aModelReadBeforeTheSchemaChangedIsRefreshed() throws {
    let (context, records) = try films.context(films: [("A", 1)])
    let other = ModelContext(films.container)
    try other.apply(.dropAttribute(entity: "Film", name: "year"))
    let found = try context.fetch(FetchDescriptor<Record>(entityName: "Film"))
    #expect(found.first === records[0])
    #expect(records[0].snapshot.layout.names == ["title", "seen", "sequel", "similar"])
    try records[0].set(.boolean(true), for: "seen")
    try context.save()
    #expect(try films.store.snapshots(matching: Query("Film")).first?["seen"] == .boolean(true))
  }
}
