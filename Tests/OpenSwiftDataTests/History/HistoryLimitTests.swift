import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData

/// The bounds of a history that is kept in memory.
@Suite struct HistoryLimitTests {
  private static let entity = Schema.Entity("Note", attributes: [.init("text", .text)])

  private static func note(_ number: Int, _ text: String = "") -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: "s", entity: "Note").identifier(number: number),
      layout: entity.layout,
      orderedValues: [.text(text)]
    )
  }

  private static func add(_ changes: ChangeSet, to history: inout SessionHistory) {
    _ = history.append(changes, author: nil, id: UUID(), at: Date())
  }

  private static func tokens(_ history: SessionHistory) throws -> [Int64] {
    try history.transactions(after: nil, touching: nil).map(\.token)
  }

  @Test func theOldestTransactionsAreDiscardedByNumber() throws {
    var history = SessionHistory(HistoryLimit(transactionCount: 40))
    for number in 1...200 {
      Self.add(ChangeSet(inserted: [Self.note(number)]), to: &history)
      history.checkInvariants()
    }
    #expect(try Self.tokens(history) == Array(161...200))
    #expect(try history.transactions(after: 160, touching: nil).count == 40)
    #expect(try history.transactions(after: 198, touching: nil).map(\.token) == [199, 200])
    let first = Self.note(161).persistentIdentifier
    #expect(try history.transactions(after: nil, touching: first).map(\.token) == [161])
    let error = #expect(throws: PersistenceError.self) {
      try history.transactions(after: 159, touching: nil)
    }
    #expect(error?.code == .historyExpired)
    #expect(error?.message == "history starts after transaction 160; 159 is too old")
    history.delete([170, 180])
    history.checkInvariants()
    #expect(try Self.tokens(history).count == 38)
    Self.add(ChangeSet(inserted: [Self.note(201)]), to: &history)
    #expect(try Self.tokens(history).suffix(2) == [200, 201])
  }

  @Test func theOldestTransactionsAreDiscardedBySize() throws {
    var history = SessionHistory(HistoryLimit(sizeBytes: 10_000))
    let text = String(repeating: "x", count: 3000)
    let (before, after) = (Self.note(1), Self.note(1, text))
    Self.add(ChangeSet(inserted: [before]), to: &history)
    Self.add(ChangeSet(updated: [RecordUpdate(before: before, after: after)]), to: &history)
    for number in 2...3 { Self.add(ChangeSet(inserted: [Self.note(number, text)]), to: &history) }
    #expect(try Self.tokens(history) == [1, 2, 3, 4])
    Self.add(ChangeSet(deleted: [after]), to: &history)
    #expect(try Self.tokens(history) == [3, 4, 5])
    // The last transaction is kept, whatever its size.
    let many = (10...20).map { Self.note($0, text) }
    Self.add(ChangeSet(inserted: many), to: &history)
    #expect(try history.transactions(after: 5, touching: nil).map(\.changes.inserted) == [many])
    Self.add(ChangeSet(deleted: [Self.note(2, text)]), to: &history)
    #expect(try Self.tokens(history) == [7])
    history.checkInvariants()
  }

  @Test func withoutALimitEverythingIsKept() throws {
    var history = SessionHistory(.unlimited)
    for number in 1...100 { Self.add(ChangeSet(inserted: [Self.note(number)]), to: &history) }
    #expect(try Self.tokens(history).count == 100)
    #expect(HistoryLimit().transactionCount == 10_000 && HistoryLimit().sizeBytes == 16 << 20)
  }

  @Test(arguments: ["reference", "server"])
  func aConfigurationLimitsTheHistory(_ kind: String) throws {
    var reference = ReferenceStoreConfiguration()
    reference.historyLimit.transactionCount = 3
    var server = RevisionConfiguration()
    server.historyLimit.transactionCount = 3
    let container = try ModelContainer(
      for: Schema([Journey.self]),
      configurations: kind == "server" ? [server] : [reference]
    )
    let context = ModelContext(container)
    let journey = Journey("Alps", days: 1)
    context.insert(journey)
    try context.save()
    for days in 2...8 {
      journey.days = days
      try context.save()
    }
    #expect(try context.transactions().map(\.token) == [6, 7, 8])
    #expect(throws: SwiftDataError.historyTokenExpired) {
      let old = DefaultHistoryToken([container.stores[0].identifier: 4])
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > old })
      )
    }
    #expect(throws: PersistenceError.self) { try context.revert(journey.persistentModelID, to: 2) }
    #expect(journey.days == 8)
  }
}
