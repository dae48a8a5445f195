import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// The effect of a deletion on records that refer to the deleted one, on every store.
@Suite struct LinkRuleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let names = ["films.json", "films.catlog", "memory"]

  private func schema(_ rule: Schema.Relationship.DeleteRule, isOptional: Bool = true) -> Schema {
    Schema(
      Schema.Entity("people", attributes: [Schema.Attribute("name", .text)]),
      Schema.Entity(
        "films",
        attributes: [
          Schema.Attribute("title", .text),
          Schema.Attribute("director", .link("people"), isOptional: isOptional, deleteRule: rule),
          Schema.Attribute("cast", .links("people"), deleteRule: rule == .deny ? .nullify : rule),
          Schema.Attribute("sequel", .link("films"), deleteRule: rule == .deny ? .nullify : rule),
        ]
      )
    )
  }

  private func open(_ name: String, _ schema: Schema? = nil) throws -> ModelContext {
    try folder.context(on: name, schema: schema)
  }

  private struct World {
    let context: ModelContext
    let ann: Record
    let bob: Record
    let up: Record
    let jaws: Record
  }

  /// Up is by Ann with Ann and Bob, and has Jaws as its sequel; Jaws is by Bob.
  private func world(_ name: String, _ schema: Schema) throws -> World {
    let context = try open(name, schema)
    func make(_ entity: String, _ field: String, _ text: String) throws -> Record {
      let record = Record(entity: try context.schema.entity(named: entity))
      try record.set(.text(text), for: field)
      context.insert(record)
      return record
    }
    let (ann, bob) = (try make("people", "name", "Ann"), try make("people", "name", "Bob"))
    let (up, jaws) = (try make("films", "title", "Up"), try make("films", "title", "Jaws"))
    try up.set(.link(ann.persistentModelID), for: "director")
    try up.set(.links([ann.persistentModelID, bob.persistentModelID]), for: "cast")
    try up.set(.link(jaws.persistentModelID), for: "sequel")
    try jaws.set(.link(bob.persistentModelID), for: "director")
    try context.save()
    context.closeUndoStep(named: "world")
    return World(context: context, ann: ann, bob: bob, up: up, jaws: jaws)
  }

  private func check(_ context: ModelContext) throws -> [String] {
    try context.container.stores.compactMap { $0 as? any MaintainableStore }
      .flatMap { try $0.check() }
  }

  @Test(arguments: names)
  func linksToADeletedRecordAreCleared(name: String) throws {
    let world = try world(name, schema(.nullify))
    let (context, ann, bob) = (world.context, world.ann.persistentModelID, world.bob)
    let result = try context.delete([ann])
    context.closeUndoStep(named: "delete")
    #expect(result.clearedCount == 2 && result.cascadedCount == 0)
    #expect(world.up[attribute: "director"].isNull)
    #expect(world.up[attribute: "cast"] == .links([bob.persistentModelID]))
    try context.save()
    #expect(try check(context).isEmpty)
    _ = try context.undo()
    #expect(world.up[attribute: "director"] == .link(ann))
    #expect(world.up[attribute: "cast"] == .links([ann, bob.persistentModelID]))
    try context.save()
    #expect(try check(context).isEmpty)
  }

  @Test(arguments: names)
  func cascadeDeletesWhatRefersToIt(name: String) throws {
    let world = try world(name, schema(.cascade))
    let context = world.context
    // Jaws is deleted with Bob, and Up is deleted with both.
    let result = try context.delete([world.bob.persistentModelID])
    context.closeUndoStep(named: "delete")
    #expect(result.cascadedCount == 2 && result.clearedCount == 0)
    #expect(try context.fetchCount(matching: Query("films")) == 0)
    #expect(try context.fetchCount(matching: Query("people")) == 1)
    try context.save()
    #expect(try check(context).isEmpty)
    _ = try context.undo()
    #expect(try context.fetchCount(matching: Query("films")) == 2)
    try context.save()
    #expect(try check(context).isEmpty)
  }

  @Test(arguments: names, [true, false])
  func whatStandsAgainstADeletionIsNamed(name: String, isDenied: Bool) throws {
    let rule: Schema.Relationship.DeleteRule = isDenied ? .deny : .nullify
    let world = try world(name, schema(rule, isOptional: isDenied))
    let context = world.context
    let error = #expect(throws: PersistenceError.self) {
      try context.delete([world.bob.persistentModelID])
    }
    #expect(error?.code == .deleteDenied && error?.message.contains("director") == true)
    #expect(!context.hasChanges)
    // It can be deleted together with the films that refer to it.
    let all = [world.bob, world.jaws].map(\.persistentModelID)
    #expect(try context.delete(all).clearedCount == 2)
    try context.save()
    #expect(try check(context).isEmpty)
  }

  @Test(arguments: names)
  func linksOfUnsavedRecordsAreClearedToo(name: String) throws {
    let world = try world(name, schema(.nullify))
    let context = world.context
    let new = Record(entity: world.up.entity)
    context.insert(new)
    try new.set(.link(world.ann.persistentModelID), for: "director")
    try world.jaws.set(.link(world.ann.persistentModelID), for: "director")
    try world.up.set(.null, for: "director")
    #expect(try context.delete([world.ann.persistentModelID]).clearedCount == 3)
    context.delete(new)
    try context.save()
    #expect(try check(context).isEmpty)
  }

  @Test(arguments: names)
  func aRecordThatIsRevertedForgetsRecordsThatAreGone(name: String) throws {
    let world = try world(name, schema(.nullify))
    let context = world.context
    let token = try #require(try context.transactions().last?.token)
    try context.delete([world.ann.persistentModelID])
    try context.save()
    try context.revert(world.up.persistentModelID, to: token)
    #expect(world.up[attribute: "director"].isNull)
    #expect(world.up[attribute: "cast"] == .links([world.bob.persistentModelID]))
    try context.save()
    #expect(try check(context).isEmpty)
  }

  @Test(arguments: names)
  func everyStoreFindsLinksToRecordsThatAreGone(name: String) throws {
    let world = try world(name, schema(.nullify))
    let context = world.context
    let ann = world.ann.persistentModelID
    let store = try #require(context.container.stores.first as? any QueryableStore)
    let snapshot = try #require(try store.snapshots(for: [ann])[ann])
    _ = try store.commit(ChangeSet(deleted: [snapshot]), author: nil)
    let lines = try check(context)
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains("which does not exist") }, "\(lines)")
  }

  @Test(arguments: ["films.json", "films.catlog"])
  func rulesAreKeptInTheSchema(name: String) throws {
    for rule in [Schema.Relationship.DeleteRule.cascade, .deny, .nullify, .noAction] {
      try? FileManager.default.removeItem(atPath: folder.file(name))
      let schema = schema(rule)
      _ = try world(name, schema)
      #expect(try open(name).schema == schema)
      let field = try #require(schema.entitiesByName["films"]?.fieldsByName["director"])
      #expect(
        try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(field)) == field
      )
    }
  }

  @Test func aRuleMayStandBehindTheTypeInAFile() throws {
    let json = #"{"name": "director", "type": "link:people:cascade"}"#
    let field = try JSONDecoder().decode(Schema.Attribute.self, from: Data(json.utf8))
    #expect(field.type == .link("people") && field.deleteRule == .cascade)
    #expect(field.specification == "link:people:cascade")
  }
}
