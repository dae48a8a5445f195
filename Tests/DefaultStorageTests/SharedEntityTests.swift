import Foundation
import OpenSwiftData
import SwiftData
import Testing

@Model
final class Card {
  @Attribute(.unique) var name: String
  var rank: Int
  var remark = ""
  var deck: Deck?

  init(_ name: String, rank: Int, deck: Deck? = nil) {
    self.name = name
    self.rank = rank
    self.deck = deck
  }
}

@Model
final class Deck {
  var title: String
  @Relationship(deleteRule: .cascade, inverse: \Card.deck) var cards: [Card] = []

  init(_ title: String) { self.title = title }
}

/// One entity in two stores: the user's own and a pack.
@Suite struct SharedEntityTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(_ name: String, allowsSave: Bool = true) -> ModelConfiguration {
    ModelConfiguration(
      name,
      url: folder.url.appending(path: "\(name).store"),
      allowsSave: allowsSave
    )
  }

  /// The container of both stores; the pack comes second and has four cards already.
  private func container(packAllowsSave: Bool = false) throws -> ModelContainer {
    let pack = try ModelContainer(for: Card.self, configurations: configuration("pack"))
    let context = ModelContext(pack)
    if try context.fetchCount(FetchDescriptor<Card>()) == 0 {
      let deck = Deck("pack")
      for rank in [2, 4, 6, 8] { context.insert(Card("p\(rank)", rank: rank, deck: deck)) }
      try context.save()
    }
    return try ModelContainer(
      for: Card.self,
      configurations: configuration("user"),
      configuration("pack", allowsSave: packAllowsSave)
    )
  }

  private func names(_ container: ModelContainer, _ descriptor: FetchDescriptor<Card>? = nil) throws
    -> [String]
  {
    let sorted = FetchDescriptor<Card>(sortBy: [SortDescriptor(\.rank)])
    return try ModelContext(container).fetch(descriptor ?? sorted).map(\.name)
  }

  /// The names of the cards in one of the files.
  private func names(in file: String) throws -> [String] {
    try names(ModelContainer(for: Card.self, configurations: configuration(file)))
  }

  @Test(arguments: [true, false])
  func fetchesJoinTheStoresAndNewRecordsGoToTheFirst(packAllowsSave: Bool) throws {
    let container = try container(packAllowsSave: packAllowsSave)
    let context = ModelContext(container)
    for rank in [1, 3, 5, 7] { context.insert(Card("u\(rank)", rank: rank)) }
    #expect(try context.fetch(FetchDescriptor<Card>()).count == 8)
    try context.save()
    #expect(try names(container) == ["u1", "p2", "u3", "p4", "u5", "p6", "u7", "p8"])
    #expect(try names(in: "user") == ["u1", "u3", "u5", "u7"])
    #expect(try names(in: "pack") == ["p2", "p4", "p6", "p8"])
    let stores = container.stores.map(\.identifier)
    for card in try context.fetch(FetchDescriptor<Card>()) {
      let place = card.name.hasPrefix("u") ? 0 : 1
      #expect(card.persistentModelID.storeIdentifier == stores[place])
    }
  }

  @Test func aReadOnlyStoreMayComeFirst() throws {
    _ = try container()
    let container = try ModelContainer(
      for: Card.self,
      configurations: configuration("pack", allowsSave: false),
      configuration("user")
    )
    let context = ModelContext(container)
    context.insert(Card("new", rank: 1))
    try context.save()
    #expect(try names(in: "user") == ["new"] && names(in: "pack").count == 4)
  }

  @Test func sortLimitAndOffsetHoldAcrossStores() throws {
    let container = try container()
    let context = ModelContext(container)
    for rank in [1, 3, 5, 7] { context.insert(Card("u\(rank)", rank: rank)) }
    try context.save()
    for isSaved in [true, false] {
      if !isSaved {
        context.insert(Card("u0", rank: 0))
        let seven = try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.rank == 7 }))
        seven.first?.rank = 9
      }
      let ranks = isSaved ? Array(1...8) : [0, 1, 2, 3, 4, 5, 6, 8, 9]
      for offset in [0, 3, 8] {
        for limit in [1, 4, 20] {
          var descriptor = FetchDescriptor<Card>(
            predicate: #Predicate { $0.rank != 4 },
            sortBy: [SortDescriptor(\.rank, order: .reverse)]
          )
          descriptor.fetchOffset = offset
          descriptor.fetchLimit = limit
          let expected = Array(
            ranks.filter { $0 != 4 }.reversed().dropFirst(offset).prefix(limit)
          )
          #expect(try context.fetch(descriptor).map(\.rank) == expected)
          #expect(try context.fetchCount(descriptor) == expected.count)
          #expect(
            try context.fetchIdentifiers(descriptor).map {
              try context.existingModel(for: $0, as: Card.self)?.rank
            } == expected
          )
        }
      }
    }
  }

  @Test func changesAndDeletionsGoToTheStoreOfTheRecord() throws {
    let container = try container(packAllowsSave: true)
    let context = ModelContext(container)
    context.insert(Card("u1", rank: 1))
    try context.save()
    let cards = try context.fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.rank)]))
    cards[0].remark = "mine"
    cards[1].remark = "theirs"
    context.delete(cards[2])
    try context.save()
    #expect(try names(in: "pack") == ["p2", "p6", "p8"] && names(in: "user") == ["u1"])
    let remarks = try ModelContext(self.container()).fetch(
      FetchDescriptor<Card>(
        predicate: #Predicate { $0.remark != "" },
        sortBy: [SortDescriptor(\.rank)]
      )
    )
    #expect(remarks.map(\.remark) == ["mine", "theirs"])
  }

  @Test func whatCannotBeSavedLeavesBothStoresAsTheyWere() throws {
    let context = ModelContext(try container())
    context.insert(Card("u1", rank: 1))
    let card = try #require(
      try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.name == "p2" })).first
    )
    card.remark = "changed"
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .readOnly && error?.message.contains("\"pack\"") ?? false)
    #expect(try names(in: "user") == [])
    card.remark = ""
    try context.save()
    #expect(try names(in: "user") == ["u1"])
  }

  @Test func aBatchDeletionFindsTheRecordsOfBothStores() throws {
    let container = try container(packAllowsSave: true)
    let context = ModelContext(container)
    for rank in [1, 3] { context.insert(Card("u\(rank)", rank: rank)) }
    try context.save()
    try context.delete(model: Card.self, where: #Predicate { $0.rank > 2 && $0.rank < 7 })
    try context.save()
    #expect(try names(container) == ["u1", "p2", "p8"])
    #expect(try names(in: "user") == ["u1"] && names(in: "pack") == ["p2", "p8"])
  }

  @Test func theHistoryHasTheSavesOfBothStores() throws {
    let container = try container(packAllowsSave: true)
    let context = ModelContext(container)
    context.insert(Card("u1", rank: 1))
    let old = try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.name == "p2" }))
    old.first?.remark = "changed"
    try context.save()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(Set(transactions.map(\.storeIdentifier)) == Set(container.stores.map(\.identifier)))
    #expect(transactions.count == 3)
    let record = try #require(old.first?.persistentModelID)
    #expect(try context.transactions(touching: record).count == 2)
  }

  @Test func aNewRecordGoesToTheStoreThatWasChosenForIt() throws {
    let container = try container(packAllowsSave: true)
    let context = ModelContext(container)
    let chosen = Card("chosen", rank: 1)
    try context.assign(chosen, to: container.stores[1])
    context.insert(Card("other", rank: 3))
    let deck = Deck("second")
    try context.assign(deck, to: container.stores[1])
    deck.cards = [Card("of the deck", rank: 5)]
    try context.save()
    #expect(try names(in: "user") == ["other"])
    #expect(try names(in: "pack") == ["chosen", "p2", "p4", "of the deck", "p6", "p8"])
    #expect(throws: PersistenceError.self) {
      try context.assign(chosen, to: container.stores[0])
    }
  }

  @Test func aStoreThatCannotBeSavedIsNotChosen() throws {
    let container = try container()
    let context = ModelContext(container)
    let card = Card("u1", rank: 1)
    let error = #expect(throws: PersistenceError.self) {
      try context.assign(card, to: container.stores[1])
    }
    #expect(error?.code == .readOnly)
    try context.save()
    #expect(try names(in: "user") == ["u1"])
  }

  @Test func aNewRecordFollowsTheRecordThatItBelongsTo() throws {
    let container = try container(packAllowsSave: true)
    let context = ModelContext(container)
    let deck = try #require(try context.fetch(FetchDescriptor<Deck>()).first)
    context.insert(Card("in the pack", rank: 9, deck: deck))
    try context.save()
    #expect(try names(in: "pack").last == "in the pack" && names(in: "user") == [])
    #expect(deck.cards.count == 5)
  }

  @Test func aLinkToTheOtherStoreIsRefusedByName() throws {
    let context = ModelContext(try container())
    let deck = try #require(try context.fetch(FetchDescriptor<Deck>()).first)
    let card = Card("u1", rank: 1)
    context.insert(card)
    try context.save()
    card.deck = deck
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.message.contains("Card.deck") ?? false, "\(String(describing: error))")
    #expect(error?.message.contains("\"pack\"") ?? false)
    card.deck = nil
    try context.save()
  }

  @Test func uniqueValuesAreThoseOfOneStore() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Card("p2", rank: 20))
    context.insert(Card("u1", rank: 1))
    try context.save()
    context.insert(Card("u1", rank: 11))
    try context.save()
    #expect(try names(in: "pack") == ["p2", "p4", "p6", "p8"])
    #expect(try names(in: "user") == ["u1", "p2"])
    #expect(try names(container).count == 6)
  }

  @Test func anotherContextSeesTheSavesOfBothStores() throws {
    let container = try container(packAllowsSave: true)
    let (mine, other) = (ModelContext(container), ModelContext(container))
    let cards = try other.fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.rank)]))
    for card in try mine.fetch(FetchDescriptor<Card>()) { card.remark = "seen" }
    mine.insert(Card("u9", rank: 9))
    try mine.save()
    #expect(try other.fetch(FetchDescriptor<Card>()).count == 5)
    #expect(cards.map(\.remark) == ["seen", "seen", "seen", "seen"])
  }

  @Test func aCopyOfAStoreBesideItIsRefusedByName() throws {
    _ = try container()
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "pack.store"),
      to: folder.url.appending(path: "copy.store")
    )
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Card.self,
        configurations: configuration("pack"),
        configuration("copy")
      )
    }
    #expect(String(describing: error).contains("\"copy\""), "\(String(describing: error))")
  }
}
