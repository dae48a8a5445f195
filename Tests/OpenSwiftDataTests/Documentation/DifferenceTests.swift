import SwiftData
import Testing

/// Differences on the page "From SwiftData" that no other suite tests.
@Suite struct DifferenceTests {
  @Test func aModelKeepsItsContextAlive() throws {
    let container = try ModelContainer(for: Hike.self, configurations: NotebookConfiguration())
    func makeHike() throws -> Hike {
      let context = ModelContext(container)
      let hike = Hike("High Route", days: 12)
      hike.huts = [Hut("Trient")]
      context.insert(hike)
      try context.save()
      return hike
    }
    let hike = try makeHike()
    #expect(hike.huts.map(\.place) == ["Trient"])
    hike.days = 13
    try hike.modelContext?.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Hike>()).map(\.days) == [13])
  }
}
