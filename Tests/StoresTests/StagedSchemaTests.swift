import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Unsaved schema changes, on every store.
@Suite struct StagedSchemaTests {
  private let folder: TemporaryFolder
  private let film = Schema.Entity(
    "films",
    attributes: [
      Schema.Attribute("title", .text), Schema.Attribute("year", .integer),
      Schema.Attribute("seen", .boolean),
    ]
  )

  init() throws { folder = try TemporaryFolder() }

  static let names = [
    "films.json", "plain.json", "films.jsonl", "films.catlog", "films.db", "memory",
  ]
  static let files = ["films.json", "plain.json", "films.jsonl", "films.catlog"]
  /// Stores that keep a schema without records.
  static let catalogs = ["films.json", "films.catlog", "films.db", "memory"]

  /// A context on a store with two saved films.
  private func films(_ name: String) throws -> ModelContext {
    let line = #"{"title": "Up", "year": 2009, "seen": true}"#
    let other = #"{"title": "Jaws", "year": 1975, "seen": false}"#
    switch name {
    case "plain.json": try write("{\"films\": [\(line),\n\(other)]}\n", to: name)
    case "films.jsonl": try write("\(line)\n\(other)\n", to: name)
    default: break
    }
    let context = try open(name, schema: Schema(film))
    guard try context.fetchCount(matching: Query("films")) == 0 else { return context }
    for (title, year, seen) in [("Up", 2009, true), ("Jaws", 1975, false)] {
      let record = Record(entity: film)
      try record.set(.text(title), for: "title")
      try record.set(.integer(Int64(year)), for: "year")
      try record.set(.boolean(seen), for: "seen")
      context.insert(record)
    }
    try context.save()
    context.closeUndoStep(named: "films")
    return context
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
  }

  private func text(_ name: String) throws -> String {
    guard FileManager.default.fileExists(atPath: folder.file(name)) else { return "" }
    return String(decoding: try Data(contentsOf: URL(filePath: folder.file(name))), as: UTF8.self)
  }

  private func open(_ name: String, schema: Schema? = nil) throws -> ModelContext {
    try folder.context(on: name, schema: schema)
  }

  /// The store as it is when it is opened now.
  private func reopened(_ name: String, _ context: ModelContext) throws -> ModelContext {
    name == "memory" ? ModelContext(context.container) : try open(name)
  }

  private func values(_ field: String, _ context: ModelContext) throws -> [Value?] {
    try context.fetchSnapshots(matching: Query("films")).map { $0[field] }
  }

  private func record(_ place: Int, _ context: ModelContext) throws -> Record {
    let identifiers = try context.fetchIdentifiers(matching: Query("films"))
    return try #require(try context.records(for: [identifiers[place]]).first)
  }

  private func step(_ name: String, _ context: ModelContext, _ body: () throws -> Void) throws {
    try body()
    context.closeUndoStep(named: name)
  }

  // MARK: Waiting and saving

  @Test(arguments: names)
  func nothingIsWrittenBeforeASave(name: String) throws {
    let context = try films(name)
    let before = try text(name)
    try context.stage(.dropAttribute(entity: "films", name: "year"))
    try context.stage(.renameAttribute(entity: "films", from: "title", to: "name"))
    let stars = Schema.Attribute("stars", .integer, defaultValue: .integer(3))
    try context.stage(.addAttribute(entity: "films", stars))
    #expect(context.hasChanges && context.hasSchemaChanges)
    #expect(try text(name) == before)
    #expect(context.schema.entitiesByName["films"]?.layout.names == ["name", "seen", "stars"])
    let query = Query(
      "films",
      filter: .compare("stars", .equal, .integer(3)),
      sort: [SortKey("name")]
    )
    #expect(
      try context.fetchSnapshots(matching: query).map { $0["name"] } == [
        .text("Jaws"), .text("Up"),
      ]
    )
    let other = try reopened(name, context)
    #expect(try values("year", other) == [.integer(2009), .integer(1975)])
    try context.save()
    #expect(!context.hasChanges)
    let after = try reopened(name, context)
    #expect(try values("name", after) == [.text("Up"), .text("Jaws")])
    #expect(try values("stars", after) == [.integer(3), .integer(3)])
    #expect(try values("year", after) == [nil, nil])
  }

  @Test(arguments: names)
  func schemaAndRecordsAreSavedTogether(name: String) throws {
    let context = try films(name)
    let count = try context.transactions(after: nil).count
    try record(0, context).set(.text("Upward"), for: "title")
    try context.stage(.addAttribute(entity: "films", Schema.Attribute("stars", .integer)))
    try record(1, context).set(.integer(5), for: "stars")
    try context.stage(.dropAttribute(entity: "films", name: "seen"))
    let new = Record(entity: try context.schema.entity(named: "films"))
    try new.set(.text("Heat"), for: "title")
    try new.set(.integer(4), for: "stars")
    context.insert(new)
    try context.save()
    #expect(try context.transactions(after: nil).count == count + 1)
    let after = try reopened(name, context)
    #expect(try values("title", after) == [.text("Upward"), .text("Jaws"), .text("Heat")])
    #expect(try values("stars", after) == [.null, .integer(5), .integer(4)])
    #expect(after.schema.entitiesByName["films"]?.layout.slot(of: "seen") == nil)
    #expect(try after.check().isEmpty)
  }

  // MARK: Undo

  @Test(arguments: names)
  func editRenameUndoUndo(name: String) throws {
    let context = try films(name)
    try step("set", context) { try record(0, context).set(.text("Upward"), for: "title") }
    try step("rename", context) {
      try context.stage(.renameAttribute(entity: "films", from: "title", to: "name"))
    }
    #expect(try values("name", context) == [.text("Upward"), .text("Jaws")])
    #expect(try context.undo()?.name == "rename")
    #expect(!context.hasSchemaChanges && context.hasChanges)
    #expect(try values("title", context) == [.text("Upward"), .text("Jaws")])
    #expect(try context.undo()?.name == "set")
    #expect(!context.hasChanges)
    _ = try context.redo()
    _ = try context.redo()
    try context.save()
    #expect(
      try values("name", try reopened(name, context)) == [.text("Upward"), .text("Jaws")]
    )
  }

  @Test(arguments: names, [false, true])
  func undoOfADropBringsTheValuesBack(name: String, isSaved: Bool) throws {
    let context = try films(name)
    let before = try text(name)
    try step("set", context) { try record(0, context).set(.integer(2010), for: "year") }
    try step("drop", context) {
      try context.stage(.dropAttribute(entity: "films", name: "year"))
    }
    #expect(context.pendingCounts.updated == 0)
    if isSaved { try context.save() }
    _ = try context.undo()
    #expect(context.schema.entitiesByName["films"]?.layout.names == ["title", "year", "seen"])
    #expect(try values("year", context) == [.integer(2010), .integer(1975)])
    #expect(context.hasChanges && context.hasSchemaChanges == isSaved)
    _ = try context.undo()
    #expect(try values("year", context) == [.integer(2009), .integer(1975)])
    #expect(context.hasChanges == isSaved)
    _ = try context.redo()
    _ = try context.redo()
    #expect(context.schema.entitiesByName["films"]?.layout.names == ["title", "seen"])
    #expect(context.hasChanges != isSaved)
    _ = try context.undo()
    try context.save()
    #expect(
      try values("year", try reopened(name, context)) == [.integer(2010), .integer(1975)]
    )
    _ = try context.undo()
    try context.save()
    if !["films.catlog", "films.db"].contains(name), !isSaved { #expect(try text(name) == before) }
  }

  @Test(arguments: names)
  func aRequiredFieldWithoutADefaultComesBackWhole(name: String) throws {
    guard Self.catalogs.contains(name) else { return }
    let context = try open(name)
    let entity = Schema.Entity(
      "films",
      attributes: [Schema.Attribute("title", .text, isOptional: false)]
    )
    try context.stage(.createEntity(entity))
    let record = Record(entity: entity)
    try record.set(.text("Up"), for: "title")
    context.insert(record)
    try context.stage(.addAttribute(entity: "films", Schema.Attribute("year", .integer)))
    try context.save()
    try step("drop", context) {
      try context.stage(.dropAttribute(entity: "films", name: "title"))
    }
    try context.save()
    _ = try context.undo()
    #expect(try values("title", context) == [.text("Up")])
    try context.save()
    #expect(try values("title", try reopened(name, context)) == [.text("Up")])
  }

  @Test(arguments: catalogs)
  func aNewEntityAndItsRecordsAreUndone(name: String) throws {
    let context = try films(name)
    let entity = Schema.Entity("awards", attributes: [Schema.Attribute("name", .text)])
    try step("create", context) { try context.stage(.createEntity(entity)) }
    try step("insert", context) {
      let record = Record(entity: try context.schema.entity(named: "awards"))
      try record.set(.text("Oscar"), for: "name")
      context.insert(record)
    }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      _ = try context.undo()
      _ = try context.undo()
      #expect(context.schema.entitiesByName["awards"] == nil)
      #expect(context.hasChanges == isSaved)
      if isSaved {
        try context.save()
        #expect(try reopened(name, context).schema.entitiesByName["awards"] == nil)
      }
      _ = try context.redo()
      _ = try context.redo()
      #expect(try context.fetchCount(matching: Query("awards")) == 1)
    }
    try context.save()
    #expect(try reopened(name, context).fetchCount(matching: Query("awards")) == 1)
  }

  @Test(arguments: names)
  func rollbackTakesBackTheSchemaAndUndoBringsItAgain(name: String) throws {
    let context = try films(name)
    try record(0, context).set(.integer(2010), for: "year")
    try context.stage(.dropAttribute(entity: "films", name: "year"))
    try context.stage(.addAttribute(entity: "films", Schema.Attribute("stars", .integer)))
    try record(1, context).set(.integer(5), for: "stars")
    try record(1, context).set(.text("Jaws!"), for: "title")
    context.closeUndoStep(named: "edits")
    context.discardChanges()
    #expect(!context.hasChanges)
    #expect(try values("year", context) == [.integer(2009), .integer(1975)])
    #expect(try values("title", context) == [.text("Up"), .text("Jaws")])
    _ = try context.undo()
    #expect(try values("stars", context) == [.null, .integer(5)])
    #expect(try values("title", context) == [.text("Up"), .text("Jaws!")])
    _ = try context.undo()
    #expect(!context.hasChanges)
    #expect(try values("year", context) == [.integer(2009), .integer(1975)])
    _ = try context.redo()
    context.rollback()
    #expect(!context.hasChanges && !context.canUndo)
    #expect(try values("year", context) == [.integer(2009), .integer(1975)])
  }

  @Test(arguments: names)
  func rollbackOfADropAndADeletionKeepsTheValuesForUndo(name: String) throws {
    let context = try films(name)
    let stars = Schema.Attribute("stars", .integer, defaultValue: .integer(0))
    // Rolling a new field back drops it after its own removal was rolled back; one of the store only comes back.
    try step("add", context) { try context.stage(.addAttribute(entity: "films", stars)) }
    try step("set", context) {
      try record(0, context).set(.integer(5), for: "stars")
      try record(0, context).set(.integer(2010), for: "year")
    }
    for field in ["stars", "year"] {
      try step("drop", context) { try context.stage(.dropAttribute(entity: "films", name: field)) }
    }
    try step("delete", context) { context.delete(try record(0, context)) }
    context.discardChanges()
    #expect(!context.hasChanges)
    // The rollback, the deletion, and both removals.
    for _ in 0..<4 { _ = try context.undo() }
    #expect(try values("stars", context) == [.integer(5), .integer(0)])
    #expect(try values("year", context) == [.integer(2010), .integer(1975)])
    _ = try context.undo()
    _ = try context.undo()
    #expect(!context.hasChanges)
    #expect(try values("year", context) == [.integer(2009), .integer(1975)])
  }

  @Test(arguments: catalogs)
  func aDroppedFieldComesBackInRecordsThatUndoRestores(name: String) throws {
    let context = try films(name)
    try step("drop", context) { try context.stage(.dropAttribute(entity: "films", name: "year")) }
    try step("delete", context) { context.delete(try record(0, context)) }
    context.discardChanges()
    try step("delete again", context) { context.delete(try record(0, context)) }
    try context.save()
    // The saved deletion, the rollback, the first deletion and the removal of the field.
    for _ in 0..<4 { _ = try context.undo() }
    #expect(Set(try values("year", context)) == [.integer(2009), .integer(1975)])
    try context.save()
    #expect(
      Set(try values("year", try reopened(name, context))) == [.integer(2009), .integer(1975)]
    )
  }

  // MARK: Others

  @Test(arguments: ["films.json", "films.catlog", "films.db", "memory"])
  func anotherProgramsSaveGoesUnderTheStagedSchema(name: String) throws {
    let context = try films(name)
    let other = try reopened(name, context)
    try context.stage(.renameAttribute(entity: "films", from: "title", to: "name"))
    try record(0, context).set(.text("Upward"), for: "name")
    try record(1, other).set(.text("Jaws 2"), for: "title")
    try other.stage(.addAttribute(entity: "films", Schema.Attribute("stars", .integer)))
    try other.save()
    try context.container.refresh()
    #expect(try values("name", context) == [.text("Upward"), .text("Jaws 2")])
    try context.save()
    let after = try reopened(name, context)
    #expect(try values("name", after) == [.text("Upward"), .text("Jaws 2")])
    #expect(
      after.schema.entitiesByName["films"]?.layout.names == ["name", "year", "seen", "stars"]
    )
  }

  @Test(arguments: ["films.json", "films.catlog", "films.db", "memory"])
  func aChangeThatAnotherProgramMadeImpossibleIsAConflict(name: String) throws {
    let context = try films(name)
    let other = try reopened(name, context)
    try step("rename", context) {
      try context.stage(.renameAttribute(entity: "films", from: "year", to: "released"))
    }
    try other.apply(.dropAttribute(entity: "films", name: "year"))
    try context.container.refresh()
    #expect(try values("title", context) == [.text("Up"), .text("Jaws")])
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    _ = try context.undo()
    #expect(!context.hasChanges)
    try context.save()
  }

  // MARK: A schema without records

  @Test(arguments: ["films.json", "films.catlog", "films.db", "films.jsonl"])
  func anEmptyStoreWithASchemaIsWritten(name: String) throws {
    for isGiven in [true, false] {
      try? FileManager.default.removeItem(atPath: folder.file(name))
      let context = try open(name, schema: isGiven ? Schema(film) : nil)
      if !isGiven { try context.stage(.createEntity(film)) }
      #expect(context.hasChanges != isGiven)
      try context.save()
      #expect(FileManager.default.fileExists(atPath: folder.file(name)))
      #expect(!context.hasChanges)
      if name != "films.jsonl" {
        #expect(try open(name).schema.entitiesByName["films"] == film)
      }
      let record = Record(entity: try context.schema.entity(named: "films"))
      try record.set(.text("Up"), for: "title")
      context.insert(record)
      try context.save()
      #expect(try values("title", try open(name)) == [.text("Up")])
      #expect(try context.check().isEmpty)
    }
  }

  @Test func aStoreWithoutASchemaIsNotWritten() throws {
    for name in ["films.json", "films.catlog", "films.db"] {
      try open(name).save()
      #expect(!FileManager.default.fileExists(atPath: folder.file(name)))
    }
  }
}

extension ModelContext {
  /// The problems that the stores report.
  fileprivate func check() throws -> [String] {
    try container.stores.compactMap { $0 as? any MaintainableStore }.flatMap { try $0.check() }
  }
}
