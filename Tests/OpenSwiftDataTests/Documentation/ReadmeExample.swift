import Foundation
import SwiftData
import Testing

// The code of the README. `DocumentedCodeTests` compares the two.

@Model
final class Novel {
  var title: String
  var pages: Int
  init(_ title: String, pages: Int) { (self.title, self.pages) = (title, pages) }
}

@Suite struct ReadmeExampleTests {
  @Test func theExampleOfTheReadmeRuns() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Novel.self, configurations: memory)
    let context = ModelContext(container)
    context.insert(Novel("Invisible Cities", pages: 165))
    try context.save()
    let short = #Predicate<Novel> { $0.pages < 200 }
    let novels = try context.fetch(FetchDescriptor(predicate: short))
    #expect(novels.map(\.title) == ["Invisible Cities"])
  }
}
