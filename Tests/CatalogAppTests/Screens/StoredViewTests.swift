import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Views that are records of the store.
@Suite struct StoredViewTests {
  @Test func aViewInTheStoreIsShownByOthers() throws {
    let script = try ScriptFixture.withFilms()
    let first = ScreenFixture(script)
    try first.press(": \"sort -releaseYear\" Enter f pete Enter : \"view write mine\" Enter")
    #expect(first.message == "wrote the view mine into the store; not saved yet", "\(first.text)")
    try first.press("w")
    let second = ScreenFixture(script)
    try second.press(": views Enter")
    #expect(second.text.contains("in the store · 7 columns · filter pete"), "\(second.text)")
    try second.press("Enter")
    #expect(second.status.contains("2 of 3") && second.lines[2].contains("Soul"))
  }

  @Test func writingAgainReplacesTheView() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run(
      """
      filter up
      view write a
      filter soul
      view write a
      save
      view reset
      view a
      list fields title
      views
      count CatalogView
      """
    )
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("Soul") && result.output.contains("\tstore\n"))
    #expect(result.output.hasSuffix("\n1\n"))
  }

  /// A file without a schema gives a field another type for one value that is no text.
  @Test func aBadRecordHidesNoOther() throws {
    let services = try FolderServices()
    try Data(
      #"""
      {"Film": [{"title": "Up"}],
       "CatalogView": [{"entity": "Film", "name": "good", "view": "filter up\n"},
                       {"entity": "Film", "name": 5, "view": "filter up\n"},
                       {"entity": "Film", "name": "bad", "view": 7}, {"entity": "Film"}]}
      """#.utf8
    ).write(to: URL(fileURLWithPath: services.file("f.json")))
    let opened = try services.open("f.json", schema: nil, isReadOnly: false)
    let session = Session(
      container: opened.container,
      storeName: "f.json",
      entityName: "Film",
      services: services
    )
    let texts = try StoredViews(session).texts(of: "Film")
    #expect(texts["good"] == "filter up\n" && texts["5"] == "filter up\n")
    #expect(texts["bad"] == "7")
    #expect(texts.count == 4 && texts.keys.contains { $0.hasPrefix("CatalogView ") }, "\(texts)")
    #expect(throws: CommandError.self) { try TableView(parsing: "7") }
  }

  /// Others are listed, and the bad one is named.
  @Test func aBadViewIsNamedWhenViewsAreListed() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run(
      """
      filter up
      view write good
      insert CatalogView entity=Film name=bad view="garbage q"
      views
      """
    )
    #expect(result.status == 0 && result.output.contains("good\t"), "\(result)")
    #expect(result.errors.contains("view bad cannot be read: "), "\(result)")
  }

  @Test func itIsOneStepToUndo() throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"view write a\" Enter u")
    #expect(screen.message == "undone: write view a", "\(screen.text)")
    #expect(screen.runner.state.status.unsaved == 0)
  }

  @Test(arguments: [
    (": \"view write\" Enter", "missing name of the view"),
    (
      ": \"view write a\" Enter : \"view delete a\" Enter",
      "view a is in the store; delete its record in CatalogView"
    ),
    (": \"view write a\" Enter : \"view b\" Enter", "no view \"b\"; did you mean \"a\"?"),
  ])
  func eachRequestIsReported(keys: String, message: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.message == message, "\(screen.text)")
  }

  /// The typed line, and the line after Tab.
  static let completions: [(typed: String, line: String)] = [
    ("view th", ":view theirs"), ("view o", ":view own"), ("view \\\"two", ":view \"two words\""),
    ("view write th", ":view write theirs"), ("view write o", ":view write own"),
    ("view delete o", ":view delete own"), ("view delete th", ":view delete th"),
    ("view d", ":view delete"), ("view x", ":view x"),
  ]

  @Test(arguments: completions)
  func bothKindsOfViewsAreCompleted(typed: String, line: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"view write theirs\" Enter : \"view write \\\"two words\\\"\" Enter")
    try screen.press(": \"view save own\" Enter : \"\(typed)\" Tab")
    #expect(screen.message == line, "\(screen.text)")
  }

  @Test func anUnreadableViewSaysWhy() throws {
    let script = try ScriptFixture.withFilms()
    try script.run(
      "entity create CatalogView entity:text! name:text! view:text!\ninsert CatalogView entity=Film name=x view=\"sort title\\nnonsense\""
    )
    let screen = ScreenFixture(script)
    try screen.press(": \"entity Film\" Enter : \"view x\" Enter")
    #expect(
      screen.text.contains("view x in the store: line 2: expected a column"),
      "\(screen.text)"
    )
  }
}
