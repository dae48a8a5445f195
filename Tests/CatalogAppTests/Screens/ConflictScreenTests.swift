import CatalogApp
import OpenSwiftData
import Testing

/// The screen while other programs save to the same store.
///
/// Covers D02.
@Suite struct ConflictScreenTests {
  private let screen: ScreenFixture
  private let others: ModelContext

  init() throws {
    screen = try .films()
    others = ModelContext(screen.script.session.context.container)
  }

  /// Another program changes the first film, or deletes it.
  private func change(_ values: [String: Value]?) throws {
    let first = try #require(try others.fetchIdentifiers(matching: Query("Film")).first)
    let record = try others.records(for: [first])[0]
    if let values {
      for (name, value) in values { try record.set(value, for: name) }
    } else {
      others.delete(record)
    }
    try others.save()
  }

  private func saved() throws -> [String: Value] {
    let context = ModelContext(screen.script.session.context.container)
    let first = try #require(try context.fetchIdentifiers(matching: Query("Film")).first)
    let record = try context.records(for: [first])[0]
    return ["title": record[attribute: "title"], "year": record[attribute: "releaseYear"]]
  }

  private func edit() throws {
    try screen.press(#": "set where title='Up' title=mine releaseYear=1" Enter"#)
  }

  @Test func aConflictIsShownAndNothingIsWritten() throws {
    try edit()
    try change(["title": .text("theirs"), "releaseYear": .integer(2)])
    try screen.press("w")
    #expect(screen.lines[0].contains("m  keep mine   t  take theirs"))
    #expect(screen.text.contains("mine mine"), "\(screen.text)")
    #expect(screen.text.contains("theirs theirs"))
    #expect(screen.message.contains("to decide") || screen.text.contains("not saved"))
    #expect(try saved()["title"] == .text("theirs"))
  }

  @Test func markedConflictsAreDecidedTogether() throws {
    try edit()
    try change(["title": .text("theirs"), "releaseYear": .integer(2)])
    try screen.press("w Space Space t")
    #expect(screen.message == "all conflicts resolved; nothing to save")
    #expect(screen.script.session.context.pendingCounts.updated == 0)
  }

  @Test func fieldByFieldAndSaved() throws {
    try edit()
    try change(["title": .text("theirs"), "releaseYear": .integer(2)])
    try screen.press("w m")
    #expect(screen.text.contains("1 record still in conflict"), "\(screen.text)")
    #expect(!screen.text.contains("mine mine"), "the title is resolved")
    try screen.press("t")
    #expect(screen.message == "all conflicts resolved; press w to write the result")
    #expect(!screen.lines[0].contains("keep mine"))
    try screen.press("w")
    #expect(try saved() == ["title": .text("mine"), "year": .integer(2)])
  }

  @Test(arguments: [("M", "mine", 1), ("T", "theirs", 2)])
  func allAtOnce(key: String, title: String, year: Int64) throws {
    try edit()
    try change(["title": .text("theirs"), "releaseYear": .integer(2)])
    try screen.press("w \(key) w")
    #expect(try saved() == ["title": .text(title), "year": .integer(year)])
  }

  @Test func leavingKeepsTheEditsAndTheCommandComesBack() throws {
    try edit()
    try change(["title": .text("theirs")])
    try screen.press("w Escape")
    #expect(screen.message.contains("your changes are kept"))
    #expect(screen.status.contains("unsaved: 1 changed"))
    try screen.press(":conflicts Enter")
    #expect(screen.lines[0].contains("keep mine"))
    try screen.press("Enter")
    #expect(screen.message.contains("press m to keep mine, t to take theirs"))
  }

  @Test func aRecordThatOthersDeletedCanBeKept() throws {
    try edit()
    try change(nil)
    try screen.press("w")
    #expect(screen.text.contains("the record is deleted"), "\(screen.text)")
    try screen.press("m w")
    let context = ModelContext(screen.script.session.context.container)
    let found = try context.fetchCount(
      matching: Query("Film", filter: .compare("title", .equal, .text("mine")))
    )
    #expect(found == 1)
  }

  @Test func withoutConflictsTheCommandSaysSo() throws {
    try screen.press(":conflicts Enter")
    #expect(screen.message == "no conflicts")
  }
}

/// The message of the screen during long work.
@Suite struct LongWorkTests {
  // Covers C18.
  @Test(arguments: [
    (#": "set where seen = true director=x" Enter w"#, "saving …"),
    (": compact Enter", "compact …"), (#": "export - Film" Enter"#, "export …"),
    (": check Enter", "check …"),
  ]) func isAnnouncedBeforeItBegins(keys: String, said: String) throws {
    let screen = try ScreenFixture.films()
    var announced: [String] = []
    let runner = screen.runner
    runner.willWork = { [unowned runner] in
      announced.append(runner.canvas.plainLines().last ?? "")
    }
    try screen.press(keys)
    #expect(announced == [said])
    #expect(screen.message != said, "the outcome stands there")
    try screen.press("j")
    #expect(announced.count == 1)
  }
}
