import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

/// The first steps of a new user: empty stores, several entities, hints, search and how to clear
/// it.
@Suite struct FirstMinutesTests {
  private func hints(_ screen: ScreenFixture) -> String { screen.lines.dropLast().last ?? "" }

  @Test func readOnlyStoresHintAtNothingThatCannotBeDone() throws {
    let screen = try ScreenFixture.films(isReadOnly: true)
    for hint in ["e edit", "w save", "a add", "d delete", "u undo"] {
      #expect(!hints(screen).contains(hint), "\(hint)")
    }
    #expect(hints(screen).contains("/ search"))
  }

  @Test func anEmptyTableSaysHowToFillIt() throws {
    let screen = try ScreenFixture.numbered(0)
    #expect(screen.text.contains("no records; press a to add one, or :import FILE"))
    #expect(hints(screen).contains("a add") && !hints(screen).contains("e edit"))
    let empty = ScreenFixture(try ScriptFixture(Schema()))
    #expect(empty.text.contains("no entities; use :entity create"))
    #expect(!hints(empty).contains("e edit"))
  }

  @Test func severalEntitiesAreSeenAndReached() throws {
    let screen = ScreenFixture(try ScriptFixture(ScriptFixture.linked))
    #expect(screen.status.contains("Studio 1/2"))
    #expect(hints(screen).contains("Tab next entity"))
    try screen.press("Tab")
    #expect(screen.status.contains("Film 2/2"))
    try screen.press(#"":entity studio" Enter"#)
    #expect(screen.status.contains("Studio 1/2"))
    try screen.press(#"":entity Flim" Enter"#)
    #expect(screen.message.contains("unknown entity \"Flim\""))
    try screen.press(#"":entity " Tab Enter"#)
    #expect(screen.status.contains("Studio 1/2"))
    try screen.press(#"":entity create Other name:text" Enter"#)
    #expect(screen.status.contains("/3"))
  }

  @Test func theSearchIsShownWithItsPlace() throws {
    let screen = try ScreenFixture.numbered(40)
    try screen.press("/ item Space 3 Enter")
    #expect(screen.status.contains("search item 3 (1 of 11)"), "\(screen.status)")
    try screen.press("n n")
    #expect(screen.status.contains("search item 3 (3 of 11)"), "\(screen.status)")
    try screen.press("N")
    #expect(screen.status.contains("search item 3 (2 of 11)"))
    try screen.press("j")
    #expect(screen.status.contains("search item 3 (11 matches)"))
    try screen.press("l e x Enter")
    #expect(screen.status.contains("search item 3"))
    try screen.press("n")
    #expect(screen.status.contains(" of "))
  }

  @Test func manyMatchesAreNotAllCounted() throws {
    let screen = try ScreenFixture.numbered(1200)
    try screen.press("/ item Enter n")
    #expect(screen.status.contains("search item (2 of 999+)"), "\(screen.status)")
    try screen.press("G n N")
    #expect(screen.status.contains("search item (999+ matches)"), "\(screen.status)")
  }

  @Test func escapeSaysWhatItClearedAndWhatComesNext() throws {
    let screen = try ScreenFixture.numbered(20)
    try screen.press(#"s f "number > 3" Enter / item Enter Space"#)
    #expect(hints(screen).contains("Esc clear marks"))
    let steps = [
      ("cleared the marks; press Esc again to clear the search", "Esc clear search"),
      ("cleared the search; press Esc again to clear the filter", "Esc clear filter"),
      ("cleared the filter; press Esc again to clear the sort", "Esc clear sort"),
      ("cleared the sort", ""),
    ]
    for (message, hint) in steps {
      try screen.press("Escape")
      #expect(screen.message == message)
      #expect(hints(screen).contains(hint))
    }
    try screen.press("Escape")
    #expect(screen.message == "nothing to clear; press q to quit")
  }

  @Test func theHistoryBeginsWithWhatIsNotSaved() throws {
    let screen = try ScreenFixture.films()
    try screen.press("c Dawn Enter H")
    #expect(screen.text.contains("> not saved yet"))
    #expect(screen.text.contains("title: Up → Dawn"))
    try screen.press("Enter")
    #expect(screen.message.contains("press u to undo"))
    let new = try ScreenFixture.films()
    try new.press("a Coco Enter H")
    #expect(new.text.contains("not saved yet") && new.text.contains("added with title: Coco"))
    #expect(!new.text.contains("never saved"))
  }

  @Test func anUntouchedSampleIsLeftWithoutAQuestion() throws {
    for (keys, asks) in [("q", false), ("d q", true), ("d u q", false), (":q Enter", false)] {
      let fixture = try ScriptFixture(Schema(ScriptFixture.film))
      let context = fixture.session.context
      for title in ["Up", "Soul"] {
        let record = Record(entity: ScriptFixture.film)
        try record.set(.text(title), for: "title")
        context.insert(record)
      }
      fixture.session.store.sample = context.pendingChanges
      let screen = ScreenFixture(fixture)
      #expect(screen.status.contains("sample, not saved"))
      try screen.press(keys)
      #expect(screen.runner.shouldQuit != asks, "\(keys)")
      #expect(screen.text.contains("quit with unsaved changes?") == asks, "\(keys)")
    }
  }

  @Test func linesOfThePromptsComeBackEachInItsOwn() throws {
    let fixture = try ScriptFixture.withFilms()
    var history = PromptHistory()
    let typed: [(String, PromptHistory.Prompt)] = [
      ("count", .command), ("up", .filter), ("a\\b\nc", .search),
    ]
    for (line, prompt) in typed { history.add(line, to: prompt) }
    let read = PromptHistory(parsing: history.text + "nonsense\n\n: \n")
    #expect(read[.search] == ["a\\b\nc"])
    #expect(read[.filter] == ["up"])
    let size = Size(columns: 80, rows: 24)
    let runner = AppRunner(session: fixture.session, size: size, history: read)
    for event in try KeyFile.parse(": Up") { runner.handle(event) }
    #expect(runner.canvas.plainText().contains(":count"))
    for event in try KeyFile.parse("Escape f Up") { runner.handle(event) }
    #expect(runner.canvas.plainText().contains("filter: up"))
    #expect(!runner.state.history.hasNews)
    for event in try KeyFile.parse("Enter") { runner.handle(event) }
    #expect(runner.state.history.hasNews)
    var other = PromptHistory()
    other.add("pete", to: .filter)
    #expect(runner.state.history.following(other)[.filter] == ["pete", "up"])
    for number in 0..<500 { other.add("\(number)", to: .command) }
    #expect(other[.command].count == PromptHistory.limit && other[.command].last == "499")
  }
}
