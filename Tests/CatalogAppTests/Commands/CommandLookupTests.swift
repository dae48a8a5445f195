import OpenSwiftData
import Testing

@testable import CatalogApp

/// What is written beside the list of all commands, so that scripts need not make it, agrees with it.
@Suite struct CommandLookupTests {
  @Test func frequentCommandsAreThoseOfTheList() throws {
    let names = ["count", "delete", "insert", "list", "save", "set", "show", "upsert"]
    for name in names {
      let command = try #require(Command.frequent(name))
      #expect(command.name == name)
      #expect(Command.all(in: .scripts).contains { $0 === command })
      #expect(!Command.all.contains { $0.names.contains { $0.hasPrefix(name + " ") } })
      #expect(try Command.find([name, "x"], in: .scripts)?.command === command)
    }
    #expect(Command.all.filter { Command.frequent($0.name) != nil }.count == names.count)
  }

  @Test func firstLettersOfTextCommandsAreKnown() {
    let letters = Command.textCommands.flatMap(\.names).compactMap(\.utf8.first)
    #expect(Set(letters) == Set(Command.textInitials))
  }

  /// A command that was found by the line before does not hide one of two words.
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
