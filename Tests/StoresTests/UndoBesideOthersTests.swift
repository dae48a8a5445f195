import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Undo while other programs save to the same store.
@Suite struct UndoBesideOthersTests {
  private let folder: TemporaryFolder
  private let film = Schema.Entity(
    "films",
    attributes: [Schema.Attribute("title", .text), Schema.Attribute("year", .integer)]
  )

  init() throws { folder = try TemporaryFolder() }

  static let names = ["films.json", "plain.json", "films.jsonl", "films.catlog", "memory"]

  /// Two contexts on the same records: two programs with one file, or two users of one memory store.
  private func openTwice(_ name: String) throws -> (ModelContext, ModelContext) {
    if name == "memory" {
      let context = try filled(folder.context(on: name, schema: Schema(film)))
      return (context, ModelContext(context.container))
    }
    let path = folder.file(name)
    switch name {
    case "plain.json":
      try Data(#"{"films": [{"title": "Up", "year": 2009}, {"title": "Jaws", "year": 1975}]}"#.utf8)
        .write(to: URL(filePath: path))
    case "films.jsonl":
      try Data("{\"title\": \"Up\", \"year\": 2009}\n{\"title\": \"Jaws\", \"year\": 1975}\n".utf8)
        .write(to: URL(filePath: path))
    default: _ = try filled(folder.context(on: name, schema: Schema(film)))
    }
    return (try folder.context(on: name), try folder.context(on: name))
  }

  private func filled(_ context: ModelContext) throws -> ModelContext {
    for (title, year) in [("Up", 2009), ("Jaws", 1975)] {
      let record = Record(entity: film)
      try record.set(.text(title), for: "title")
      try record.set(.integer(Int64(year)), for: "year")
      context.insert(record)
    }
    try context.save()
    context.processPendingChanges()
    return context
  }

  private func record(_ title: String, in context: ModelContext) throws -> Record {
    let query = Query("films", filter: .compare("title", .equal, .text(title)))
    return try #require(
      try context.records(for: try context.fetchIdentifiers(matching: query)).first
    )
  }

  @Test(arguments: names)
  func undoSurvivesTheSavesOfOthers(name: String) throws {
    let (context, other) = try openTwice(name)
    let record = try record("Up", in: context)
    try record.set(.text("Upward"), for: "title")
    context.closeUndoStep(named: "set")
    try self.record("Jaws", in: other).set(.integer(1976), for: "year")
    try other.save()
    try context.container.refresh()
    #expect(try self.record("Jaws", in: context)[attribute: "year"] == .integer(1976))
    #expect(context.canUndo && context.hasChanges)
    #expect(try context.undo()?.name == "set")
    #expect(record[attribute: "title"] == .text("Up") && !context.hasChanges)
    #expect(try context.redo() != nil)
    try context.save()
    try other.container.refresh()
    #expect(try self.record("Upward", in: other)[attribute: "year"] == .integer(2009))
  }

  /// Undoing an insertion once deleted what another program had saved in the record, without a word.
  @Test(arguments: names)
  func undoOfANewRecordDeletesNoChangeOfOthers(name: String) throws {
    let (context, other) = try openTwice(name)
    let new = Record(entity: try context.schema.entity(named: "films"))
    try new.set(.text("Coco"), for: "title")
    try new.set(.integer(2016), for: "year")
    context.insert(new)
    context.closeUndoStep(named: "insert")
    try context.save()
    try other.container.refresh()
    try record("Coco", in: other).set(.integer(2017), for: "year")
    try other.save()
    try context.container.refresh()
    #expect(try context.undo()?.name == "insert")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(try record("Coco", in: other)[attribute: "year"] == .integer(2017))
    let identifier = try record("Coco", in: other).persistentModelID
    #expect(try context.resolveConflict(of: identifier, keeping: .mine))
    try context.save()
    #expect(try context.fetchCount(matching: Query("films")) == 2)
  }

  @Test(arguments: names)
  func redoOfADeletionDeletesNoChangeOfOthers(name: String) throws {
    let (context, other) = try openTwice(name)
    context.delete(try record("Up", in: context))
    context.closeUndoStep(named: "delete")
    try context.save()
    _ = try context.undo()
    try context.save()
    try other.container.refresh()
    try record("Up", in: other).set(.integer(2010), for: "year")
    try other.save()
    try context.container.refresh()
    #expect(try context.redo()?.name == "delete")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(try record("Up", in: other)[attribute: "year"] == .integer(2010))
  }

  /// Undoing the choice of their version and then the change once led back to the value before both.
  @Test(arguments: names, [false, true])
  func undoBeyondTheirVersionLeadsToIt(name: String, isDeletion: Bool) throws {
    let (context, other) = try openTwice(name)
    let mine = try record("Up", in: context)
    let identifier = mine.persistentModelID
    if isDeletion { context.delete(mine) } else { try mine.set(.integer(2010), for: "year") }
    context.closeUndoStep(named: "change")
    try record("Up", in: other).set(.integer(2011), for: "year")
    try other.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try context.resolveConflict(of: identifier, keeping: .theirs))
    context.closeUndoStep(named: "theirs")
    #expect(try record("Up", in: context)[attribute: "year"] == .integer(2011))
    #expect(!context.hasChanges)
    #expect(try context.undo()?.name == "theirs")
    #expect(context.hasChanges)
    #expect(try context.undo()?.name == "change")
    #expect(try record("Up", in: context)[attribute: "year"] == .integer(2011))
    #expect(!context.hasChanges)
    // The change again, in place of their version.
    _ = try context.redo()
    try context.save()
    try other.container.refresh()
    let found = try other.fetchSnapshots(matching: Query("films")).first {
      $0["title"] == .text("Up")
    }
    #expect(found?["year"] == (isDeletion ? nil : .integer(2010)))
  }

  @Test(arguments: ["films.json", "films.catlog", "memory"])
  func undoSurvivesAFieldThatAnotherProgramAdds(name: String) throws {
    let (context, other) = try openTwice(name)
    let record = try record("Up", in: context)
    try record.set(.integer(2010), for: "year")
    context.closeUndoStep(named: "set")
    let doomed = try self.record("Jaws", in: context)
    let jaws = doomed.persistentModelID
    context.delete(doomed)
    context.closeUndoStep(named: "delete")
    let stars = Schema.Attribute("stars", .integer, defaultValue: .integer(3))
    try other.apply(.addAttribute(entity: "films", stars))
    try other.apply(.renameAttribute(entity: "films", from: "title", to: "name"))
    try context.container.refresh()
    #expect(try context.fetchCount(matching: Query("films")) == 1)
    #expect(try context.undo() != nil)
    let found = try context.snapshots(for: [jaws])[jaws]
    #expect(found?["name"] == .text("Jaws") && found?["stars"] == .integer(3))
    #expect(try context.undo() != nil)
    #expect(record[attribute: "year"] == .integer(2009) && !context.hasChanges)
    #expect(try context.redo() != nil)
    try context.save()
    try other.container.refresh()
    #expect(
      try other.fetchSnapshots(matching: Query("films")).map { $0["year"] }
        == [.integer(2010), .integer(1975)]
    )
  }

  @Test(arguments: ["films.json", "films.catlog", "memory"])
  func whatAnUndoneFieldHeldIsLeftOutWhenAnotherProgramDroppedIt(name: String) throws {
    let (context, other) = try openTwice(name)
    let record = try record("Up", in: context)
    try record.set(.text("Upward"), for: "title")
    try record.set(.integer(2010), for: "year")
    context.closeUndoStep(named: "set")
    try other.apply(.dropAttribute(entity: "films", name: "year"))
    try context.container.refresh()
    #expect(try context.undo() != nil)
    #expect(record[attribute: "title"] == .text("Up") && !context.hasChanges)
  }

  @Test func aValueOfAFieldWhoseTypeAnotherProgramChangedIsConverted() throws {
    let (context, _) = try openTwice("plain.json")
    let record = try record("Up", in: context)
    try record.set(.integer(2010), for: "year")
    context.closeUndoStep(named: "set")
    try context.save()
    let path = folder.file("plain.json")
    try Data(
      #"{"films": [{"title": "Up", "year": "2010"}, {"title": "Jaws", "year": "then"}]}"#.utf8
    ).write(to: URL(filePath: path))
    try context.container.refresh()
    #expect(try context.undo() != nil)
    #expect(record[attribute: "year"] == .text("2009"))
    try context.save()
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\"year\": \"2009\""))
  }

  /// Undoing an unsaved deletion once brought back what another program had deleted.
  @Test(arguments: names, [RecordConflict.Side.mine, .theirs])
  func undoOfADeletionThatAnotherProgramHasSavedIsAConflict(
    name: String,
    side: RecordConflict.Side
  ) throws {
    let (context, other) = try openTwice(name)
    let doomed = try record("Up", in: context)
    let identifier = doomed.persistentModelID
    context.delete(doomed)
    context.closeUndoStep(named: "delete")
    other.delete(try record("Up", in: other))
    try other.save()
    try context.container.refresh()
    #expect(try context.fetchCount(matching: Query("films")) == 1)
    #expect(try context.undo()?.name == "delete")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(try context.resolveConflict(of: identifier, keeping: side))
    try context.save()
    try other.container.refresh()
    #expect(try other.fetchCount(matching: Query("films")) == (side == .mine ? 2 : 1))
    #expect(try context.fetchCount(matching: Query("films")) == (side == .mine ? 2 : 1))
  }

  @Test(arguments: names)
  func aDeletionThatWasUndoneCanBeRedoneAndLeavesNothing(name: String) throws {
    let (context, other) = try openTwice(name)
    context.delete(try record("Up", in: context))
    context.closeUndoStep(named: "delete")
    other.delete(try record("Up", in: other))
    try other.save()
    try context.container.refresh()
    _ = try context.fetchCount(matching: Query("films"))
    #expect(try context.undo() != nil)
    #expect(try context.redo()?.name == "delete")
    try context.save()
    #expect(try !context.hasChanges && context.fetchCount(matching: Query("films")) == 1)
  }

  /// Undo once restored values from before those that a resolved conflict had overwritten.
  @Test(arguments: names, [true, false])
  func undoRestoresTheVersionThatWasOverwritten(name: String, isSaved: Bool) throws {
    let (context, other) = try openTwice(name)
    let mine = try record("Up", in: context)
    for year in [2010, 2011] {
      try mine.set(.integer(Int64(year)), for: "year")
      context.closeUndoStep(named: "set")
    }
    try record("Up", in: other).set(.integer(1999), for: "year")
    try other.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try context.resolveConflict(of: mine.persistentModelID, keeping: .mine))
    if isSaved { try context.save() }
    #expect(try context.undo() != nil)
    #expect(mine[attribute: "year"] == .integer(2010))
    #expect(try context.undo() != nil)
    #expect(mine[attribute: "year"] == .integer(1999))
    #expect(context.hasChanges == isSaved)
    try context.save()
    try other.container.refresh()
    #expect(try record("Up", in: other)[attribute: "year"] == .integer(1999))
    _ = try context.redo()
    _ = try context.redo()
    try context.save()
    try other.container.refresh()
    #expect(try record("Up", in: other)[attribute: "year"] == .integer(2011))
  }

  @Test(arguments: names)
  func undoOfADeletionRestoresTheVersionThatWasDeleted(name: String) throws {
    let (context, other) = try openTwice(name)
    let doomed = try record("Up", in: context)
    let identifier = doomed.persistentModelID
    context.delete(doomed)
    context.closeUndoStep(named: "delete")
    try record("Up", in: other).set(.integer(1999), for: "year")
    try other.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try context.resolveConflict(of: identifier, keeping: .mine))
    try context.save()
    #expect(try context.fetchCount(matching: Query("films")) == 1)
    #expect(try context.undo()?.name == "delete")
    try context.save()
    try other.container.refresh()
    #expect(try record("Up", in: other)[attribute: "year"] == .integer(1999))
  }

  @Test(arguments: names)
  func undoOfAChangeDeletesTheRecordThatItRestored(name: String) throws {
    let (context, other) = try openTwice(name)
    let mine = try record("Up", in: context)
    let identifier = mine.persistentModelID
    for year in [2010, 2011] {
      try mine.set(.integer(Int64(year)), for: "year")
      context.closeUndoStep(named: "set")
    }
    other.delete(try record("Up", in: other))
    try other.save()
    #expect(throws: PersistenceError.self) { try context.save() }
    #expect(try context.resolveConflict(of: identifier, keeping: .mine))
    try context.save()
    try other.container.refresh()
    #expect(try record("Up", in: other)[attribute: "year"] == .integer(2011))
    #expect(try context.undo() != nil)
    #expect(try record("Up", in: context)[attribute: "year"] == .integer(2010))
    #expect(try context.undo() != nil)
    try context.save()
    try other.container.refresh()
    #expect(try other.fetchCount(matching: Query("films")) == 1)
  }
}
