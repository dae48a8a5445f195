import CatalogApp
import OpenSwiftData
import Testing

/// A record whose unsaved deletion is undone after another program has deleted it, too.
@Suite struct RestoredConflictTests {
  private let first: Session
  private let second: Session

  init() throws {
    let services = try StoppedWorkTests.services(count: 3)
    first = try StoppedWorkTests.session(services, "items.catlog")
    let opened = try services.open("items.catlog", schema: nil, isReadOnly: false)
    second = Session(
      container: opened.container,
      storeName: "items.catlog",
      entityName: "Item",
      services: services,
      format: .tsv
    )
    _ = try first.perform("delete where number = 2")
    _ = try second.perform("delete where number = 2")
    _ = try second.perform("save")
    _ = try first.perform("undo")
  }

  /// The output of a command of the first session.
  private func output(_ line: String) throws -> String {
    var text = ""
    try ResultPrinter(first.settings.format, isTerminal: false) { text += $0 }
      .print(try first.perform(line), context: first.context)
    return text
  }

  private func requireConflict() throws {
    #expect(throws: SaveFailure.self) { try first.perform("save") }
    #expect(try first.context.conflicts().map(\.kind) == [.deletedElsewhere])
  }

  @Test func changesShowsTheRestoredRecord() throws {
    #expect(try output("changes").contains("\n+\tItem\t"))
    first.settings.format = .json
    let changes = try output("changes")
    #expect(changes.contains("\"insert\"") && changes.contains("item 2"), "\(changes)")
    try requireConflict()
  }

  @Test(arguments: [[], ["save"], ["set where number = 1 name=x"]])
  func aRollbackDiscardsItAndCanBeUndone(lines: [String]) throws {
    for line in lines { _ = try? first.perform(line) }
    _ = try first.perform("rollback")
    #expect(!first.context.hasChanges)
    #expect(try first.context.conflicts().isEmpty)
    #expect(try output("count") == "2\n")
    _ = try first.perform("save")
    _ = try first.perform("undo")
    try requireConflict()
    _ = try first.perform("save keep mine")
    #expect(try output("count") == "3\n")
  }

  @Test func aRollbackOfTheContextDiscardsIt() throws {
    first.context.rollback()
    #expect(!first.context.hasChanges)
    #expect(try first.context.conflicts().isEmpty)
    #expect(try output("count") == "2\n")
  }

  @Test(arguments: [("theirs", "2\n"), ("mine", "3\n")])
  func aSideCanBeKept(side: String, count: String) throws {
    _ = try first.perform("save keep \(side)")
    #expect(!first.context.hasChanges)
    #expect(try output("count") == count)
  }

  /// Undoing the choice of the other version makes the own one an unsaved change again.
  @Test func undoTellsThatTheNextSaveOverwritesTheirs() throws {
    _ = try first.perform("rollback")
    _ = try first.perform("set where number = 1 name=ours")
    _ = try second.perform("set where number = 1 name=others")
    _ = try second.perform("save")
    #expect(throws: SaveFailure.self) { try first.perform("save") }
    _ = try first.perform("resolve all theirs")
    guard case .done(let undone) = try first.perform("undo"),
      case .done(let redone) = try first.perform("redo")
    else {
      Issue.record("another outcome")
      return
    }
    #expect(undone == "undone: resolve theirs; the next save writes your version over theirs")
    #expect(redone == "redone: resolve theirs")
    _ = try first.perform("undo")
    guard case .done(let edit) = try first.perform("undo") else {
      Issue.record("another outcome")
      return
    }
    #expect(edit.hasPrefix("undone: set name") && !edit.contains("theirs"))
    #expect(!first.context.hasChanges)
  }
}
