import Foundation
import OpenSwiftData
import Stores
import SwiftData
import Testing

/// What several stores with the same entities do as a whole, where one of them may be read-only.
@Suite struct ReadOnlyPackTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ name: String, allowsSave: Bool = true) -> ModelConfiguration {
    ModelConfiguration(
      name,
      url: folder.url.appending(path: "\(name).store"),
      allowsSave: allowsSave
    )
  }

  /// A container of the user's store with the card `u1` and of a pack with a deck of two cards.
  private func container(packAllowsSave: Bool = false, packIsFirst: Bool = false) throws
    -> ModelContainer
  {
    for name in ["user", "pack"] {
      let context = ModelContext(
        try ModelContainer(for: Card.self, configurations: configuration(name))
      )
      guard try context.fetchCount(FetchDescriptor<Card>()) == 0 else { continue }
      if name == "user" {
        context.insert(Card("u1", rank: 1))
      } else {
        let deck = Deck("pack")
        for rank in [2, 4] { context.insert(Card("p\(rank)", rank: rank, deck: deck)) }
      }
      try context.save()
    }
    let both = [configuration("user"), configuration("pack", allowsSave: packAllowsSave)]
    return try ModelContainer(
      for: Schema([Card.self]),
      configurations: packIsFirst ? both.reversed() : both
    )
  }

  private func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.rank)])).map(\.name)
  }

  /// The names of the cards in one of the files.
  private func names(in file: String) throws -> [String] {
    try names(
      ModelContext(try ModelContainer(for: Card.self, configurations: configuration(file)))
    )
  }

  private func card(_ name: String, _ context: ModelContext) throws -> Card {
    try #require(
      try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.name == name })).first
    )
  }

  @Test(arguments: [true, false])
  func nothingIsErasedIfOneStoreCannotBeSaved(packIsFirst: Bool) throws {
    let container = try container(packIsFirst: packIsFirst)
    let error = #expect(throws: PersistenceError.self) { try container.erase() }
    #expect(error?.code == .readOnly && error?.message.contains("\"pack\"") ?? false)
    #expect(try names(ModelContext(container)) == ["u1", "p2", "p4"])
    try self.container(packAllowsSave: true, packIsFirst: packIsFirst).erase()
    #expect(try names(in: "user") == [] && names(in: "pack") == [])
  }

  /// Changes of which a part concerns the pack.
  enum Action: CaseIterable {
    case deletion, batchDeletion, cascade, edit, unlinking
  }

  private func perform(_ action: Action, _ context: ModelContext) throws {
    let card = try card("p2", context)
    switch action {
    case .deletion: context.delete(card)
    case .batchDeletion: try context.delete(model: Card.self)
    case .cascade: context.delete(try #require(card.deck))
    case .edit: card.remark = "changed"
    case .unlinking: card.deck = nil
    }
  }

  @Test(arguments: Action.allCases)
  func aSaveThatConcernsTheReadOnlyStoreSavesNothing(action: Action) throws {
    let context = ModelContext(try container())
    context.insert(Card("u3", rank: 3))
    try perform(action, context)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .readOnly && error?.message.contains("\"pack\"") ?? false)
    #expect(try names(in: "user") == ["u1"] && names(in: "pack") == ["p2", "p4"])
    context.rollback()
    #expect(try names(context) == ["u1", "p2", "p4"])
    #expect(try card("p2", context).deck?.cards.count == 2)
    context.insert(Card("u5", rank: 5))
    try context.save()
    #expect(try names(in: "user") == ["u1", "u5"])
  }

  @Test func noHistoryIsDiscardedIfOneStoreRefuses() throws {
    let container = try container()
    let context = ModelContext(container)
    typealias History = HistoryDescriptor<DefaultHistoryTransaction>
    let error = #expect(throws: PersistenceError.self) { try context.deleteHistory(History()) }
    #expect(error?.code == .readOnly && error?.message.contains("\"pack\"") ?? false)
    #expect(try context.fetchHistory(History()).count == 2)
    let user = container.stores[0].identifier
    try context.deleteHistory(History(predicate: #Predicate { $0.storeIdentifier == user }))
    let kept = try context.fetchHistory(History()).map(\.storeIdentifier)
    #expect(kept == [container.stores[1].identifier])
  }

  @Test func anUndoneDeletionIsInItsStoreAgain() throws {
    let context = ModelContext(try container(packAllowsSave: true))
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(try card("p4", context))
    try context.save()
    #expect(try names(in: "pack") == ["p2"])
    manager.undo()
    try context.save()
    #expect(try names(in: "pack") == ["p2", "p4"] && names(in: "user") == ["u1"])
    #expect(try card("p4", context).deck?.title == "pack")
  }

  @Test func aRecordGoesBackToAValueInTheHistoryOfItsStore() throws {
    let context = ModelContext(try container(packAllowsSave: true))
    let (mine, theirs) = (try card("u1", context), try card("p2", context))
    for text in ["one", "two"] {
      theirs.remark = text
      try context.save()
      for number in 0..<3 {
        mine.remark = "\(text) \(number)"
        try context.save()
      }
    }
    let identifier = theirs.persistentModelID
    let token = try #require(try context.transactions(touching: identifier).dropLast().last?.token)
    try context.revert(identifier, to: token)
    #expect(theirs.remark == "one" && mine.remark == "two 2")
  }

  // MARK: Schemas

  /// A container of two stores that exist, without models.
  private func plainContainer(packAllowsSave: Bool) throws -> ModelContainer {
    let card = Schema.Entity("Card", attributes: [.init("name", .text)])
    for name in ["user", "pack"] {
      let context = ModelContext(
        try ModelContainer(for: Schema(card), configurations: [configuration(name)])
      )
      context.insert(Record(entity: card))
      try context.save()
    }
    return try ModelContainer(
      for: Schema(card),
      configurations: [configuration("user"), configuration("pack", allowsSave: packAllowsSave)]
    )
  }

  @Test(arguments: [true, false])
  func aChangeOfTheSchemaReachesEveryStoreOrNone(packAllowsSave: Bool) throws {
    let container = try plainContainer(packAllowsSave: packAllowsSave)
    let context = ModelContext(container)
    let change = SchemaChange.addAttribute(entity: "Card", .init("rank", .integer))
    let expected: [Int?]
    if packAllowsSave {
      try context.apply(change)
      expected = [2, 2]
    } else {
      let error = #expect(throws: PersistenceError.self) { try context.apply(change) }
      #expect(error?.code == .readOnly && error?.message.contains("\"pack\"") ?? false)
      expected = [1, 1]
    }
    #expect(container.stores.map { $0.schema.entitiesByName["Card"]?.fields.count } == expected)
  }

  @Test func anUnsavedChangeOfTheSchemaIsRefusedForAnEntityOfSeveralStores() throws {
    let card = Schema.Entity("Card", attributes: [.init("name", .text)])
    let container = try ModelContainer(
      configurations: MemoryStoreConfiguration(name: "user", schema: Schema(card)),
      MemoryStoreConfiguration(name: "pack", schema: Schema(card))
    )
    let context = ModelContext(container)
    let rank = Schema.Attribute("rank", .integer)
    let error = #expect(throws: PersistenceError.self) {
      try context.stage(.addAttribute(entity: "Card", rank))
    }
    #expect(error?.code == .unsupported && error?.message.contains("\"user\", \"pack\"") ?? false)
    #expect(!context.hasChanges)
    try context.stage(.createEntity(Schema.Entity("Deck", attributes: [rank])))
    try context.save()
    #expect(container.stores.map { $0.schema.entitiesByName["Deck"] != nil } == [true, false])
  }
}
