import CatalogApp
import Foundation
import OpenSwiftData
import Testing

/// Numbers before the keys of undo and redo.
@Suite struct CountedUndoTests {
  @Test func aCountUndoesSeveralChangesAndTellsHowMany() throws {
    let fixture = try ScreenFixture.numbered(3)
    try fixture.press("l e C-u x Enter j e C-u y Enter j e C-u z Enter 2u")
    #expect(try fixture.names == ["x", "item 2", "item 3"])
    #expect(fixture.message.hasPrefix("undone 2 changes; the last: set name of "))
    try fixture.press("2 C-r")
    #expect(try fixture.names == ["x", "y", "z"])
    #expect(fixture.message.hasPrefix("redone 2 changes; the last: set name of "))
  }

  /// A number that is meant for the changes of this run must not empty the store.
  @Test func aCountTakesBackNoSavesOfEarlierRuns() throws {
    let services = try StoppedWorkTests.services(count: 3)
    _ = try StoppedWorkTests.session(services, "items.catlog")
    let opened = try services.open("items.catlog", schema: nil, isReadOnly: false)
    let session = Session(
      container: opened.container,
      storeName: "items.catlog",
      entityName: "Item",
      services: services
    )
    let runner = AppRunner(session: session, size: Size(columns: 120, rows: 24))
    func press(_ keys: String) throws -> String {
      for event in try KeyFile.parse(keys) { runner.handle(event) }
      return runner.canvas.plainLines().last ?? ""
    }
    let answer = try press("l e C-u x Enter j e C-u y Enter 5u")
    #expect(answer.hasPrefix("undone 2 changes; the last: set name of "), "\(answer)")
    #expect(answer.hasSuffix("; nothing more to undo"), "\(answer)")
    #expect(!session.context.hasChanges)
    let repeated = try press("5 C-r")
    #expect(repeated.hasPrefix("redone 2 changes; "), "\(repeated)")
    #expect(repeated.hasSuffix("; nothing more to redo"), "\(repeated)")
    #expect(session.context.pendingChanges.updated.count == 2)
    let refusal = try press("2u 2u")
    #expect(
      refusal
        == "nothing to undo since the start; \"undo\" without a number undoes earlier saves"
    )
    #expect(!session.context.hasChanges)
    let none = "nothing to undo since the start; \"undo\" without a number undoes earlier saves"
    #expect(try press("1u") == none)
    #expect(try press("v 2u") == none, "in the details pane, too")
    #expect(try press("2j") == "down takes no count here; press j without the 2")
    #expect(try press("2") == "2", "the number is shown")
    #expect(!session.context.hasChanges)
    _ = try press("Escape Escape u")
    #expect(session.context.pendingChanges.deleted.count == 3)
  }
}
