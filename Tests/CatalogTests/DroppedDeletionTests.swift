import CatalogApp
import OpenSwiftData
import Stores
import Testing

@testable import CatalogProgram

/// A deletion that is dropped in favor of their version of the record is dropped with all that it has done.
@Suite struct DroppedDeletionTests {
  private let folder: TemporaryFolder
  private static let names = ["t.json", "t.catlog", "t.sqlite", "foreign.db"]
  private static let ways = [["resolve all theirs", "save"], ["save keep theirs"]]

  init() throws { folder = try TemporaryFolder() }

  private func session(_ name: String) throws -> Session {
    let services = CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: 0,
      recoveryFolder: folder.file("recovery"),
      kinds: StoreKind.standard
    )
    return try services.session(on: folder.file(name))
  }

  /// Teams with persons that are deleted with them, and with persons that only refer to them.
  private func sessions(_ name: String) throws -> (mine: Session, theirs: Session) {
    if name == "foreign.db" {
      try folder.database(
        name,
        "CREATE TABLE Team (id INTEGER PRIMARY KEY, name TEXT)",
        """
        CREATE TABLE Person (id INTEGER PRIMARY KEY, name TEXT,
          team INTEGER REFERENCES Team(id) ON DELETE CASCADE,
          other INTEGER REFERENCES Team(id) ON DELETE SET NULL)
        """,
        "INSERT INTO Team VALUES (1, 'A'), (2, 'B')",
        "INSERT INTO Person VALUES (1, 'Ann', 2, NULL), (2, 'Bob', 1, 2), (3, 'Cy', 2, 1)"
      )
    } else {
      let session = try session(name)
      for line in [
        "entity create Team name:text",
        "entity create Person name:text team:link:Team:cascade other:link:Team",
        "insert Team name=A", "insert Team name=B", "insert Person name=Ann team=t2",
        "insert Person name=Bob team=t1 other=t2", "insert Person name=Cy team=t2 other=t1", "save",
      ] { _ = try session.perform(line) }
      session.close()
    }
    return (try session(name), try session(name))
  }

  private func output(_ line: String, _ session: Session) throws -> String {
    var text = ""
    try ResultPrinter(.tsv, isTerminal: false) { text += String(decoding: $0, as: UTF8.self) }
      .print(try session.perform(line), context: session.context)
    return text
  }

  /// Each person with the names of the teams.
  private func people(_ name: String) throws -> String {
    let session = try session(name)
    defer { session.close() }
    return try output("list Person sort name fields name,team.name,other.name", session)
      .split(separator: "\n").dropFirst().joined(separator: "; ")
  }

  @Test(arguments: names, ways)
  func clearedLinksAndDeletedRecordsComeBack(name: String, way: [String]) throws {
    let (mine, theirs) = try sessions(name)
    let before = try people(name)
    _ = try mine.perform("delete Team where name = 'B'")
    _ = try theirs.perform("set Team where name = 'B' name=C")
    _ = try theirs.perform("save")
    if way.count > 1 { #expect(throws: SaveFailure.self) { try mine.perform("save") } }
    for line in way { _ = try mine.perform(line) }
    #expect(!mine.context.hasChanges)
    #expect(try people(name) == before.replacing("B", with: "C").replacing("Cob", with: "Bob"))
  }

  /// What the user has changed besides stays; what another deletion has done, too.
  @Test(arguments: names) func whatTheDeletionHasNotDoneStays(name: String) throws {
    let (mine, theirs) = try sessions(name)
    for line in [
      "delete Person where name = 'Ann'", "set Person where name = 'Cy' name=Cyd",
      "delete Team where name = 'B'", "delete Team where name = 'A'",
    ] { _ = try mine.perform(line) }
    _ = try theirs.perform("set Team where name = 'B' name=C")
    _ = try theirs.perform("save")
    #expect(throws: SaveFailure.self) { try mine.perform("save") }
    _ = try mine.perform("resolve all theirs")
    _ = try mine.perform("save")
    #expect(try people(name) == "Cyd\tC\t")
  }

  @Test(arguments: names) func droppingADeletionIsOneStepBack(name: String) throws {
    let (mine, theirs) = try sessions(name)
    let before = try people(name)
    _ = try mine.perform("delete Team where name = 'B'")
    let changes = try output("changes", mine)
    _ = try theirs.perform("set Team where name = 'B' name=C")
    _ = try theirs.perform("save")
    #expect(throws: SaveFailure.self) { try mine.perform("save") }
    _ = try mine.perform("resolve all theirs")
    #expect(!mine.context.hasChanges)
    _ = try mine.perform("undo")
    #expect(try output("changes", mine) == changes.replacing("\tB\n", with: "\tC\n"))
    _ = try mine.perform("redo")
    #expect(!mine.context.hasChanges)
    #expect(try people(name).contains("C"), "\(before)")
  }

  /// A deletion that was undone and repeated has done what it does the last time.
  @Test(arguments: names) func aLinkThatTheUserClearedStaysEmpty(name: String) throws {
    let (mine, theirs) = try sessions(name)
    for line in [
      "delete Team where name = 'B'", "undo", "set Person where name = 'Bob' other=",
      "delete Team where name = 'B'",
    ] { _ = try mine.perform(line) }
    _ = try theirs.perform("set Team where name = 'B' name=C")
    _ = try theirs.perform("save")
    _ = try mine.perform("save keep theirs")
    #expect(try people(name) == "Ann\tC\t; Bob\tA\t; Cy\tC\tA")
  }

  /// A save that fails after all leaves the deletion and what it has done as they were.
  @Test(arguments: names) func aFailedSaveRestoresTheDeletion(name: String) throws {
    let (mine, theirs) = try sessions(name)
    _ = try mine.perform("delete Team where name = 'B'")
    _ = try theirs.perform("set Team where name = 'B' name=C")
    _ = try theirs.perform("save")
    #expect(throws: SaveFailure.self) { try mine.perform("save") }
    let changes = try output("changes", mine)
    let context = mine.context
    #expect(throws: Stop.self) {
      try context.restoringConflicts { resolveAll in
        try resolveAll(.theirs)
        #expect(!context.hasChanges)
        throw Stop()
      }
    }
    #expect(try output("changes", mine) == changes)
    #expect(try context.conflicts().count == 1)
  }

  private struct Stop: Error {}
}
