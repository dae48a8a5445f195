import PublicModels
import SwiftData
import Testing

/// Classes that compile with warnings behave as the warnings say.
@Suite struct PublicModelTests {
  @Test func constantsAreNotPersistedAndObserversAreNotCalled() throws {
    let container = try ModelContainer(
      for: Gadget.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let gadget = Gadget(name: "a")
    context.insert(gadget)
    gadget.name = "b"
    gadget.weight = 2
    try context.save()
    #expect(gadget.changes == 0)
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Gadget>()).first)
    #expect(found.name == "b" && found.weight == 2 && found.kind == "gadget")
    #expect(
      container.schema.entities.flatMap(\.attributes).map(\.name).sorted() == ["name", "weight"]
    )
  }
}
