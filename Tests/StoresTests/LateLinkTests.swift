import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Links between records that two programs save at the same time.
@Suite struct LateLinkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let names = ["films.json", "films.catlog", "films.db", "memory"]

  private func schema(_ rule: Schema.Relationship.DeleteRule, isOptional: Bool = true) -> Schema {
    Schema(
      Schema.Entity("people", attributes: [Schema.Attribute("name", .text)]),
      Schema.Entity(
        "films",
        attributes: [
          Schema.Attribute("title", .text),
          Schema.Attribute("director", .link("people"), isOptional: isOptional, deleteRule: rule),
          Schema.Attribute("cast", .links("people"), deleteRule: .nullify),
        ]
      )
    )
  }

  /// Two contexts on the records Ann and Bob: two programs with one file, or two users of one memory store.
  private func openTwice(_ name: String, _ schema: Schema) throws -> (ModelContext, ModelContext) {
    let context = try folder.context(on: name, schema: schema)
    for name in ["Ann", "Bob"] {
      try insert("people", in: context) { try $0.set(.text(name), for: "name") }
    }
    try insert("films", in: context) { film in
      try film.set(.text("Jaws"), for: "title")
      try film.set(.link(person("Bob", in: context).persistentModelID), for: "director")
    }
    try context.save()
    if name == "memory" {
      return (ModelContext(context.container), ModelContext(context.container))
    }
    return (try folder.context(on: name), try folder.context(on: name))
  }

  @discardableResult
  private func insert(_ entity: String, in context: ModelContext, _ body: (Record) throws -> Void)
    throws
    -> Record
  {
    let record = Record(entity: try context.schema.entity(named: entity))
    try body(record)
    context.insert(record)
    return record
  }

  private func person(_ name: String, in context: ModelContext) throws -> Record {
    try first(Query("people", filter: .compare("name", .equal, .text(name))), in: context)
  }

  private func film(_ title: String, in context: ModelContext) throws -> Record {
    try first(Query("films", filter: .compare("title", .equal, .text(title))), in: context)
  }

  private func first(_ query: Query, in context: ModelContext) throws -> Record {
    try #require(try context.records(for: context.fetchIdentifiers(matching: query)).first)
  }

  /// Saves a film by Ann.
  private func saveUp(in context: ModelContext) throws {
    let ann = try person("Ann", in: context).persistentModelID
    try insert("films", in: context) { film in
      try film.set(.text("Up"), for: "title")
      try film.set(.link(ann), for: "director")
      try film.set(.links([ann]), for: "cast")
    }
    try context.save()
  }

  private func danglingLinks(_ context: ModelContext) throws -> [String] {
    try context.container.stores.compactMap { $0 as? any MaintainableStore }.flatMap {
      try $0.check()
    }
  }

  @Test(arguments: names)
  func aLinkThatAnotherProgramHasSavedIsCleared(name: String) throws {
    let (context, other) = try openTwice(name, schema(.nullify))
    let ann = try person("Ann", in: context).persistentModelID
    context.delete(try person("Ann", in: context))
    context.closeUndoStep(named: "delete")
    try saveUp(in: other)
    let effects = try context.saveCounting().effects
    #expect(effects.count == 1 && effects[0].isByRules && effects[0].words == "1 films updated")
    #expect(try danglingLinks(context) == [])
    #expect(try film("Up", in: context)[attribute: "director"] == .null)
    // An undo restores the record and the links to it.
    _ = try context.undo()
    try context.save()
    #expect(try film("Up", in: context)[attribute: "director"] == .link(ann))
    #expect(try film("Up", in: context)[attribute: "cast"] == .links([ann]))
    #expect(try danglingLinks(context) == [])
  }

  /// Links are looked for by the deleted records, or, if these are many, in all records.
  @Test(arguments: names, [20, 1100])
  func linksToOneOfManyDeletedRecordsAreCleared(name: String, count: Int) throws {
    let (context, other) = try openTwice(name, schema(.nullify))
    for number in 0..<count {
      try insert("people", in: context) { try $0.set(.text("p\(number)"), for: "name") }
    }
    try context.save()
    let people = Query("people", filter: .not(.compare("name", .equal, .text("Bob"))))
    try context.delete(try context.fetchIdentifiers(matching: people))
    try saveUp(in: other)
    let effects = try context.saveCounting().effects
    #expect(effects.count == 1 && effects[0].words == "1 films updated")
    #expect(try danglingLinks(context) == [])
    let saved = try film("Up", in: context)
    #expect(saved[attribute: "director"] == .null && saved[attribute: "title"] == .text("Up"))
  }

  @Test(arguments: names)
  func aLinkInARecordThatIsChangedHereIsCleared(name: String) throws {
    let (context, other) = try openTwice(name, schema(.nullify))
    context.delete(try person("Ann", in: context))
    try film("Jaws", in: context).set(.text("Jaws 2"), for: "title")
    let ann = try person("Ann", in: other).persistentModelID
    try film("Jaws", in: other).set(.link(ann), for: "director")
    try other.save()
    try context.save()
    #expect(try danglingLinks(context) == [])
    let saved = try film("Jaws 2", in: context)
    #expect(saved[attribute: "director"] == .null && !context.hasChanges)
  }

  @Test(arguments: names, [Schema.Relationship.DeleteRule.deny, .cascade])
  func aDeletionThatALinkForbidsIsRefused(
    name: String,
    rule: Schema.Relationship.DeleteRule
  ) throws {
    let (context, other) = try openTwice(name, schema(rule))
    context.delete(try person("Ann", in: context))
    context.closeUndoStep(named: "delete")
    try saveUp(in: other)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .deleteDenied)
    #expect(error?.message.contains("another program has saved films ") == true)
    #expect(context.pendingCounts.deleted == 1)
    #expect(try danglingLinks(other) == [])
    // Deleting the other record as well, or undoing the deletion, both work.
    context.delete(try film("Up", in: context))
    try context.save()
    #expect(try danglingLinks(context) == [])
  }

  @Test(arguments: names)
  func aRequiredLinkIsNotCleared(name: String) throws {
    let (context, other) = try openTwice(name, schema(.nullify, isOptional: false))
    context.delete(try person("Ann", in: context))
    context.closeUndoStep(named: "delete")
    try saveUp(in: other)
    #expect(throws: PersistenceError.self) { try context.save() }
    _ = try context.undo()
    #expect(!context.hasChanges)
    #expect(try danglingLinks(context) == [])
  }

  @Test(arguments: names)
  func undoOfAnInsertionClearsLinksOfOthers(name: String) throws {
    let (context, other) = try openTwice(name, schema(.nullify))
    try insert("people", in: context) { try $0.set(.text("Eve"), for: "name") }
    context.closeUndoStep(named: "insert")
    try context.save()
    try other.container.refresh()
    let eve = try person("Eve", in: other).persistentModelID
    _ = try context.undo()
    try film("Jaws", in: other).set(.link(eve), for: "director")
    try other.save()
    try context.save()
    #expect(try danglingLinks(context) == [])
  }

  @Test(arguments: names, [true, false])
  func aNewLinkToADeletedRecordIsAConflict(name: String, isNew: Bool) throws {
    let (context, other) = try openTwice(name, schema(.nullify))
    let ann = try person("Ann", in: context).persistentModelID
    let record =
      isNew
      ? try insert("films", in: context) { try $0.set(.text("Up"), for: "title") }
      : try film("Jaws", in: context)
    try record.set(.link(ann), for: "director")
    other.delete(try person("Ann", in: other))
    try other.save()
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(
      error?.message.contains("films.director: people record \(ann) no longer exists") == true
    )
    #expect(context.hasChanges)
    try record.set(.null, for: "director")
    try context.save()
    #expect(try danglingLinks(context) == [])
  }
}
