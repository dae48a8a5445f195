import DataStoreTesting
import OpenSwiftData
import Testing

/// `fetchOrInsert` by a unique attribute.
@Suite struct UniqueKeyTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Ware.self,
      Seat.self,
      configurations: ReferenceStoreConfiguration()
    )
    context = ModelContext(container)
  }

  @Test func aModelIsInsertedOnceAndFoundAfterwards() throws {
    let first = try context.fetchOrInsert(\Ware.code, "A") { Ware(code: "A", price: 1) }
    let unsaved = try context.fetchOrInsert(\Ware.code, "A") { Ware(code: "A", price: 2) }
    #expect(unsaved === first)
    try context.save()
    let saved = try context.fetchOrInsert(\Ware.code, "A") { Ware(code: "A", price: 3) }
    #expect(saved === first && first.price == 1)
    let elsewhere = try ModelContext(container).fetchOrInsert(\Ware.code, "A") { Ware(code: "A") }
    #expect(elsewhere.persistentModelID == first.persistentModelID)
    #expect(try context.fetchCount(FetchDescriptor<Ware>()) == 1)
  }

  @Test func aDeletedModelIsInsertedAgain() throws {
    let first = try context.fetchOrInsert(\Ware.code, "A") { Ware(code: "A") }
    try context.save()
    context.delete(first)
    let second = try context.fetchOrInsert(\Ware.code, "A") { Ware(code: "A", title: "new") }
    #expect(second !== first)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Ware>()).map(\.title) == ["new"])
  }

  @Test func aNewModelWithAnotherValueIsRefused() throws {
    let error = #expect(throws: PersistenceError.self) {
      try context.fetchOrInsert(\Ware.code, "A") { Ware(code: "B") }
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.message == "Ware.code: the new model must have the value A, not B")
    #expect(!context.hasChanges)
  }

  @Test func anAttributeThatIsNotUniqueIsRefused() throws {
    for attempt in [
      { _ = try context.fetchOrInsert(\Ware.title, "A") { Ware(code: "A", title: "A") } },
      { _ = try context.fetchOrInsert(\Seat.number, 1) { Seat(row: "A", number: 1) } },
    ] {
      let error = #expect(throws: PersistenceError.self) { try attempt() }
      #expect(error?.code == .invalidSchema)
    }
    #expect(!context.hasChanges)
  }
}
