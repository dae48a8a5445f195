import OpenSwiftData
import Testing

@testable import CatalogApp

/// What the line under the records tells about matches, long filters and changed views.
@Suite struct FoundTextTests {
  private static func wide(_ count: Int = 40) throws -> ScreenFixture {
    let names = ["name"] + (1...9).map { "column\($0)" } + ["remark"]
    let entity = Schema.Entity("Item", attributes: names.map { Schema.Attribute($0, .text) })
    let fixture = try ScriptFixture(Schema(entity))
    let lines = (1...count).map { "insert name=n\($0) column1=x remark=\"note \($0 % 20)\"" }
    try fixture.run(lines.joined(separator: "\n") + "\nsave")
    return ScreenFixture(fixture, size: Size(columns: 80, rows: 12))
  }

  @Test func aMatchThatIsNotOnTheScreenIsNamed() throws {
    let screen = try Self.wide()
    try screen.press("/ \"note 7\"")
    #expect(screen.chips == "search note 7 in remark", "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.chips == "search note 7 (1 of 2) in remark", "\(screen.text)")
    try screen.press("$")
    #expect(screen.chips == "search note 7 (1 of 2)", "\(screen.text)")
    try screen.press("0 / n7 Enter")
    #expect(screen.chips == "search n7 (1 of 1)", "\(screen.text)")
  }

  @Test func anExpressionMayEndWithASlash() throws {
    let screen = try Self.wide()
    try screen.press("/")
    #expect(screen.text.contains("text or /regex/"), "\(screen.text)")
    try screen.press("\"/^note 7$/\"")
    #expect(!screen.text.contains("text or /regex/"), "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.chips.contains("(1 of 2)"), "\(screen.chips)")
    try screen.press("/ \"/a[/\" Enter")
    #expect(screen.message.contains("[") && !screen.message.contains("no match"), "\(screen.text)")
  }

  /// A search that is canceled leaves the table as it was, also its first row.
  @Test func aCanceledSearchScrollsBack() throws {
    let screen = try Self.wide()
    try screen.press("G 3k")
    let before = screen.text
    for keys in ["/ n2", "/ nothing", "/ n2 BSpace BSpace"] {
      try screen.press(keys + " Escape")
      #expect(screen.text == before, "\(keys)\n\(screen.text)")
    }
  }

  /// Keys after a search, and the count of its matches.
  @Test(arguments: [
    ("f zzz Escape", "(1 of 2)"), ("f n Escape", "(1 of 2)"), ("f n7 Enter", "(1 of 1)"),
    ("f Escape", "(1 of 2)"), ("s", "(2 of 2)"), ("f n BSpace Enter", "(1 of 2)"),
  ])
  func theNumberOfMatchesIsKept(keys: String, count: String) throws {
    let screen = try Self.wide()
    try screen.press("/ \"note 7\" Enter " + keys)
    #expect(screen.chips.contains("search note 7 \(count)"), "\(keys)\n\(screen.text)")
  }

  /// Keys after a search on the first of two matches, and the count of the matches then.
  @Test(arguments: [
    ("l c y Enter", "(1 of 2)"), ("$ c other Enter", "(1 match)"),
    ("$ c other Enter u", "(1 of 2)"),
    ("j $ c \"a note 7\" Enter", "(2 of 3)"), (": count Enter", "(1 of 2)"),
    (": \"set where name = 'n27' remark=x\" Enter", "(1 of 1)"), ("l c y Enter w", "(1 of 2)"),
  ])
  func theMatchesAreCountedAgainAfterAChange(keys: String, count: String) throws {
    let screen = try Self.wide()
    try screen.press("/ \"note 7\" Enter " + keys)
    #expect(screen.chips.contains("search note 7 \(count)"), "\(keys)\n\(screen.text)")
  }

  @Test func aLongFilterIsShownInFull() throws {
    let screen = try Self.wide()
    let terms = (1...9).map { "column\($0) != \"\($0)\"" }.joined(separator: " and ")
    try screen.press("f")
    screen.runner.handle(.paste(terms))
    try screen.press("Enter")
    let line = screen.runner.canvas.plainLines().first { $0.hasPrefix(" ▽") } ?? ""
    #expect(line.contains("…") && line.hasSuffix("^G shows all"), "\(screen.text)")
    try screen.press("C-g")
    let text = screen.lines.joined(separator: " ")
    #expect(text.contains("column9 != \"9\"") && text.contains("column5 != "), "\(screen.text)")
  }

  /// Words with a `not`, and what the prompt says about them.
  @Test(arguments: [
    ("not german", "\"not\" is a word here; type -german to exclude a word"),
    ("old NOT german", "\"NOT\" is a word here; type -german to exclude a word"),
    ("not", ""), ("not name = \"x\"", ""),
  ])
  func notBeforeAWordIsExplained(text: String, hint: String) throws {
    let screen = try Self.wide()
    try screen.press("f")
    screen.runner.handle(.paste(text))
    let said = screen.lines.dropLast().last ?? ""
    #expect(hint.isEmpty ? !said.contains("is a word here") : said.contains(hint), "\(screen.text)")
    try screen.press("Enter")
    #expect(hint.isEmpty || screen.message == hint, "\(screen.text)")
  }

  /// Keys in a view, and how the view is named then.
  @Test(arguments: [
    ("j l", "view mine"), ("s", "view mine*"), ("s Escape", "view mine"), ("- l", "view mine*"),
    ("f n1 Enter", "view mine*"), ("]", "view mine*"), ("b", "view mine*"), ("b b", "view mine"),
    ("s : \"view save mine\" Enter", "view mine"), ("s : \"view mine\" Enter", "view mine"),
    ("s : \"field add Item more:text\" Enter", "view mine*"),
    (": \"field add Item more:text\" Enter", "view mine"),
  ])
  func aChangedViewIsMarked(keys: String, name: String) throws {
    let screen = try Self.wide()
    try screen.press(": \"view save mine\" Enter " + keys)
    let first = screen.chips.split(separator: " · ").first.map(String.init)
    #expect(first == name, "\(keys)\n\(screen.text)")
  }

  /// Keys in the history of a record, the hint, and the message after Enter.
  @Test(arguments: [
    ("H Down", "Enter restore name as before save 3", "restored name as before save 3: b"),
    ("H", "Enter restore the record as after save 3", "the record has this state; nothing differs"),
    ("H Down Down", "Enter restore the record as after save 2", "(b) as after save 2"),
    ("H Down Down Down", "Enter restore name as before save 2", "before save 2: n1"),
    ("H G", "Enter restore the record as after save 1", "(n1) as after save 1"),
  ])
  func theHistorySaysWhatEnterDoes(keys: String, hint: String, message: String) throws {
    let screen = try Self.wide(1)
    try screen.press("c b Enter w c c Enter w " + keys)
    #expect((screen.lines.dropLast().last ?? "").contains(hint), "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.message.contains(message), "\(screen.text)")
  }

  @Test func theHistoryOffersNothingForUnsavedChanges() throws {
    let screen = try Self.wide(1)
    try screen.press("c b Enter H")
    #expect((screen.lines.dropLast().last ?? "").hasPrefix(" Esc close"), "\(screen.text)")
  }
}
