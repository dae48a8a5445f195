import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// What screens are handed, and what they get from each other.
@Suite struct ScreenHostTests {
  /// A screen that uses each operation of its host; it needs nothing else.
  private struct Probe: Screen {
    var place: KeyPlace { PromptAction.place }

    mutating func handle(_ event: InputEvent, _ host: inout ScreenHost) -> Transition {
      host.keep("up", in: .search)
      host.setSearch("up")
      host.searchAgain(isForward: true)
      host.move(toRow: 2)
      host.move(toColumn: 1)
      host.refilter(by: FilterInput())
      host.filter(by: FilterInput())
      host.perform(RecordAction.delete, on: [])
      host.perform(Save())
      host.say("done")
      return .close
    }

    func draw(on canvas: inout Canvas, _ host: ScreenHost) {}
  }

  private let problem = FilterInput.Problem(column: 3, message: "unknown record \"k9\"")

  private func state(_ keys: String = "") throws -> AppState {
    let fixture = try ScreenFixture.films()
    try fixture.press(keys)
    return fixture.runner.state
  }

  private func press(_ keys: String, _ state: inout AppState) throws -> [Effect] {
    var effects: [Effect] = []
    for event in try KeyFile.parse(keys) { effects += state.update(.input(event)) }
    return effects
  }

  @Test func aScreenRunsAgainstItsHostAlone() throws {
    let shared = try state().shared
    var host = TableHost(status: shared.status, size: shared.size)
    let spec = try #require(host.table.spec)
    host.table.take(ListExtent(count: 3, total: 3), of: spec, cursor: 0)
    let query = Effect.ask(AnyQuestion(QueryList(spec: spec, kept: nil)))
    var probe = Probe()
    guard case .close = probe.handle(.interrupt, &host.screen) else {
      Issue.record("the probe stays open")
      return
    }
    #expect(
      host.takeEffects() == [
        .ask(AnyQuestion(SearchRows(text: "up", start: 1, isForward: true))), query,
        .perform(Request(DeleteRecords(target: .records([])))), .perform(Request(Save())),
      ]
    )
    #expect(host.takeEffects().isEmpty)
    #expect(host.screen.past.change == .delete)
    #expect(host.screen.past.lines[.search] == ["up"])
    #expect(host.table.row == 2)
    #expect(host.table.column == 1)
    #expect(host.messages.notice == Notice(kind: .information, text: "done"))
  }

  private var refused: AppMessage {
    let question = QueryList(spec: QuerySpec(entityName: "Film"), kept: nil)
    return .answer(AnyAnswer(.refused(problem), to: question))
  }

  private let counting = Effect.ask(AnyQuestion(CountMatches(text: "o", row: 2)))

  private func found(_ row: Int?, _ text: String) -> AppMessage {
    let question = SearchRows(text: text, start: 0, isForward: true)
    let extent = ListExtent(count: 3, total: 3)
    return .answer(AnyAnswer(.init(row: row, extent: extent, folded: nil), to: question))
  }

  @Test func aRefusedFilterIsReportedByItsPromptAlone() throws {
    var typed = try state("f \"title = 1\"")
    _ = typed.update(refused)
    #expect(typed.shared.messages.failures.isEmpty)
    #expect(typed.shared.messages.notice == nil)
    #expect(typed.draw().plainText().contains(problem.message))

    var listed = try state()
    _ = listed.update(refused)
    #expect(listed.shared.messages.failures == [problem.sentence])
    #expect(listed.draw().plainText().contains(problem.sentence))
  }

  /// The table leaves a refused filter first; its prompt then returns to the one that is left.
  @Test func aRefusedFilterIsNotAppliedAgain() throws {
    var state = try state("f \"title = 'Up'\" Enter")
    _ = try press("f \" and title = 'k9'\"", &state)
    let former = state.shared.table.filter
    _ = state.update(refused)
    #expect(state.shared.table.filter.text == "title = 'Up'")
    _ = try press("x", &state)
    #expect(state.shared.table.filter != former)
    #expect(state.shared.table.filter.text == "title = 'Up'")
  }

  @Test func aSearchIsReportedByItsPromptAlone() throws {
    var typed = try state("/ o")
    #expect(!typed.update(found(2, "o")).contains(counting))
    #expect(typed.shared.table.row == 2)
    _ = typed.update(found(nil, "o"))
    #expect(typed.shared.messages.notice == nil)
    #expect(typed.draw().plainText().contains("no match"))

    var listed = try state("/ o Enter")
    #expect(listed.update(found(2, "o")).contains(counting))
    _ = listed.update(found(nil, "o"))
    #expect(listed.shared.messages.notice?.text == "no match for \"o\"")
    // The search was left before its result arrived.
    #expect(listed.update(found(0, "other")).isEmpty)
    #expect(listed.shared.table.row == 2)
  }

  /// While the palette was open, another record moved under the cursor.
  @Test func anActionOfThePaletteKeepsTheRecordItWasOpenedFor() throws {
    var state = try state("C-p s o r t")
    let edited = try #require(state.shared.table.currentRow?.identifier)
    let listed = try #require(state.shared.table.spec)
    let extent = ListExtent(count: 2, total: 2)
    let question = QueryList(spec: listed, kept: nil)
    _ = state.update(.answer(AnyAnswer(.listed(extent, cursor: nil), to: question)))
    #expect(state.shared.table.currentRow == nil)
    let effects = try press("Enter", &state)
    let spec = try #require(state.shared.table.spec)
    #expect(effects == [.ask(AnyQuestion(QueryList(spec: spec, kept: edited)))])
    #expect(state.screens.isEmpty)
  }

  /// Counting groups can wait until another entity is listed, which has no such field.
  @Test func groupsOfAnotherEntityAreNotCounted() throws {
    let entities = ["A", "B"].map { name in
      Schema.Entity(name, attributes: [Schema.Attribute("in\(name)", .integer)])
    }
    let fixture = try ScriptFixture(Schema(entities), entityName: "A")
    try fixture.run("insert A inA=1\ninsert B inB=2\nsave")
    let performer = EffectPerformer(fixture.session)
    var facts = ScreenFacts()
    facts.entityName = "B"
    let list = QueryList(spec: QuerySpec(entityName: "B"), kept: nil)
    _ = performer.perform(.ask(AnyQuestion(list)), seeing: facts)
    let late = CountGroups(field: "inA", entity: "A")
    #expect(performer.perform(.ask(AnyQuestion(late)), seeing: facts) == nil)
    let current = CountGroups(field: "inB", entity: "B")
    #expect(
      performer.perform(.ask(AnyQuestion(current)), seeing: facts)
        == .answer(AnyAnswer([.integer(2): 1], to: current))
    )
  }

  /// What could not be read is over when it can be read; another message is not.
  @Test(arguments: [true, false]) func aFailureToReadEndsWithIt(isOfReading: Bool) throws {
    var state = try state()
    let failure = "films.json: is a directory, not a regular file"
    if isOfReading {
      _ = state.update(.outdated(state.status, failure))
    } else {
      _ = state.update(.failed(failure))
    }
    #expect(state.shared.messages.notice?.text == failure)
    _ = state.update(
      .refreshed(state.status, note: "reloaded", warning: nil, gone: [], conflicts: nil)
    )
    #expect(state.shared.messages.notice?.text == (isOfReading ? "reloaded" : failure))
  }

  @Test func anAnswerThatNeedsALineReplacesTheQuestion() throws {
    var state = try state("d")
    var status = state.status
    status.losses.recordsOnlyHere = 3
    status.traits.isLasting = false
    _ = state.update(.outdated(status, "changed"))
    _ = try press("q s", &state)
    #expect(state.screens.count == 1)
    #expect(state.draw().plainLines().last?.hasPrefix(":saveas") == true)
  }

  /// Only the table is handed what changes the table, and no screen is handed the state.
  @Test func onlyTheTableIsHandedTheTableHost() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/CatalogApp/Screens").standardized
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: folder.path(percentEncoded: false)
    ).filter { $0.hasSuffix(".swift") }
    func files(naming type: String) throws -> [String] {
      try names.filter { name in
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        let lines = text.split(separator: "\n").filter {
          !$0.drop { $0 == " " }.hasPrefix("//")
        }
        return lines.contains { $0.contains(type) }
      }.map { ($0 as NSString).lastPathComponent }
    }
    #expect(
      try files(naming: "AppState").sorted() == [
        "AppState+Drawing.swift", "AppState+Macros.swift", "AppState+Tour.swift", "AppState.swift",
      ]
    )
    let hosted = try files(naming: "TableHost").filter { !$0.hasPrefix("TableScreen") }
    #expect(hosted.sorted() == ["AppState.swift", "ScreenHost.swift"])
  }

  /// The pages of the changes have different columns, and both are read again when another program saves.
  @Test func theChangesAreReadAgainWhileTheStatementsAreShown() throws {
    let shared = try state().shared
    var host = TableHost(status: shared.status, size: shared.size)
    var screen = ChangesScreen(&host.screen)
    let reply = ReadChanges.Reply(count: 9, entries: [], statements: ["UPDATE b;", "UPDATE a;"])
    let answer = AppMessage.answer(AnyAnswer(reply, to: ReadChanges()))
    _ = screen.receive(answer, &host.screen)
    for key in ["s", "s", "s"] { _ = screen.handle(.key(.character(Character(key))), &host.screen) }
    for _ in 1...2 {
      _ = screen.handle(.key(.tab), &host.screen)
      _ = screen.handle(.key(.character("s")), &host.screen)
      _ = screen.receive(answer, &host.screen)
    }
    _ = screen.handle(.key(.tab), &host.screen)
    #expect(
      (0..<screen.frame.shownCount).map { screen.frame[$0].id.text } == reply.statements?.sorted()
    )
  }
}
