import OpenSwiftData
import Testing

@testable import CatalogApp

/// A line finds its command by the first word, or the first two.
@Suite struct CommandLookupTests {
  @Test func linesWithTheSameFirstWordFindTheirCommands() throws {
    let services = try StoppedWorkTests.services(count: 3)
    let session = try StoppedWorkTests.session(services, "items.catlog")
    for _ in 1...2 {
      #expect(throws: Never.self) { try session.perform("schema") }
      #expect(throws: Never.self) { try session.perform("schema export -") }
      #expect(throws: Never.self) { try session.perform("count") }
      #expect(throws: CommandError.self) { try session.perform("counts") }
    }
  }
}
