import CatalogApp
import OpenSwiftData
import Testing

/// Keys, and the expected first rows, status line and last line.
struct ScreenCase: Sendable, CustomTestStringConvertible {
  let keys: String
  let rows: [String]
  var status: String?
  var message: String?

  var testDescription: String { keys }
}

@Suite struct TableScreenTests {
  @Test func firstScreenAt80Columns() throws {
    let fixture = try ScreenFixture.films()
    #expect(
      fixture.lines.prefix(4) == [
        "   id      title         releaseYear  director        boxOffice  rating  seen  ›",
        ">  a00000  Up                   2009  Pete Docter        735.1      8.3  ✓",
        "   b00000  Finding Nemo         2003  Andrew Stanton     871.01       ∅  ✗",
        "   c00000  Soul                 2020  Pete Docter             ∅     8    ✗",
      ]
    )
    #expect(
      fixture.lines.suffix(3) == [
        " films · Film · 3 of 3 · row 1                                        title 1/7",
        " ? help  / search  f filter  e edit  : command  q quit  u undo  s sort", "",
      ]
    )
  }

  @Test func wideScreenShowsDetailsBesideTheTable() throws {
    let fixture = try ScreenFixture.films(size: Size(columns: 200, rows: 60))
    #expect(fixture.lines[0].contains("released"))
    #expect(fixture.lines[0].contains("│ a000000800000000"))
    #expect(fixture.lines[1].hasSuffix("│>title        Up"))
    #expect(fixture.lines[4].hasSuffix("│ boxOffice    735.1"))
  }

  static let cases: [ScreenCase] = [
    ScreenCase(keys: "j", rows: ["   Up", ">  Finding Nemo", "   Soul"]),
    ScreenCase(keys: "G k k", rows: [">  Up", "   Finding Nemo", "   Soul"]),
    ScreenCase(keys: "End Home Down", rows: ["   Up", ">  Finding Nemo", "   Soul"]),
    ScreenCase(keys: "2j", rows: ["   Up", "   Finding Nemo", ">  Soul"]),
    ScreenCase(keys: "G gg", rows: [">  Up", "   Finding Nemo", "   Soul"]),
    ScreenCase(keys: "2G", rows: ["   Up", ">  Finding Nemo", "   Soul"]),
    ScreenCase(keys: "42G", rows: ["   Up", "   Finding Nemo", ">  Soul"]),
    ScreenCase(keys: ": 2 Enter", rows: ["   Up", ">  Finding Nemo", "   Soul"]),
    ScreenCase(
      keys: "l s",
      rows: [">  Finding Nemo", "   Up", "   Soul"],
      status: "films · Film · 3 of 3 · row 1 · sort releaseYear"
    ),
    // From another row than the first, the cursor stays on its record.
    ScreenCase(
      keys: "j l s",
      rows: [">  Finding Nemo", "   Up", "   Soul"],
      status: "films · Film · 3 of 3 · row 1 · sort releaseYear"
    ),
    ScreenCase(
      keys: "2j l s s",
      rows: [">  Soul", "   Up", "   Finding Nemo"],
      status: "films · Film · 3 of 3 · row 1 · sort -releaseYear"
    ),
    ScreenCase(
      keys: "2j l s",
      rows: ["   Finding Nemo", "   Up", ">  Soul"],
      status: "films · Film · 3 of 3 · row 3 · sort releaseYear"
    ),
    ScreenCase(
      keys: "l s s",
      rows: [">  Soul", "   Up", "   Finding Nemo"],
      status: "films · Film · 3 of 3 · row 1 · sort -releaseYear"
    ),
    ScreenCase(
      keys: "2l s h S",
      rows: [">  Finding Nemo", "   Up", "   Soul"],
      status: "films · Film · 3 of 3 · row 1 · sort director,releaseYear"
    ),
    ScreenCase(keys: "Space", rows: [" * Up", ">  Finding Nemo", "   Soul"]),
    ScreenCase(
      keys: "V G V",
      rows: [" * Up", " * Finding Nemo", ">* Soul"],
      status: "films · Film · 3 of 3 · row 3 · 3 marked",
      message: "3 marked"
    ),
    ScreenCase(keys: "* *", rows: [">  Up", "   Finding Nemo", "   Soul"], message: "0 marked"),
    ScreenCase(
      keys: "d",
      rows: ["> -Up", "   Finding Nemo", "   Soul"],
      status: "films · Film · 3 of 3 · row 1 · unsaved: 1 deleted"
    ),
    ScreenCase(
      keys: "d w",
      rows: [">  Finding Nemo", "   Soul"],
      status: "films · Film · 2 of 2 · row 1",
      message: "saved: 0 inserted, 0 updated, 1 deleted"
    ),
    ScreenCase(
      keys: "d u",
      rows: [">  Up", "   Finding Nemo", "   Soul"],
      status: "films · Film · 3 of 3 · row 1",
      message: "undone: delete a000 (Up)"
    ),
    ScreenCase(keys: "d w u", rows: ["   Finding Nemo", "   Soul", "> +Up"]),
    ScreenCase(
      keys: "Y",
      rows: ["   Up", "   Finding Nemo", "   Soul", "> +Up"],
      status: "films · Film · 4 of 4 · row 4 · unsaved: 1 new",
      message: "added t4"
    ),
    ScreenCase(keys: "Y u", rows: [">  Up", "   Finding Nemo", "   Soul"]),
    ScreenCase(
      keys: "Y C-s",
      rows: ["   Up", "   Finding Nemo", "   Soul", ">  Up"],
      status: "films · Film · 4 of 4 · row 4",
      message: "saved: 1 inserted, 0 updated, 0 deleted"
    ),
    ScreenCase(
      keys: "* d y",
      rows: ["> -Up", "  -Finding Nemo", "  -Soul"],
      message: "deleted 3 records"
    ),
    ScreenCase(keys: "* d c", rows: [">* Up", " * Finding Nemo", " * Soul"]),
    ScreenCase(
      keys: "c Amour Enter j .",
      rows: ["  ~Amour", "> ~Amour", "   Soul"],
      status: "films · Film · 3 of 3 · row 2 · unsaved: 2 changed"
    ),
    ScreenCase(
      keys: "c Amour Enter u C-r",
      rows: ["> ~Amour", "   Finding Nemo", "   Soul"],
      message: "redone: set title of a000 (Up)"
    ),
    ScreenCase(keys: "/ so Enter", rows: ["   Up", "   Finding Nemo", ">  Soul"]),
    ScreenCase(keys: "/ pete Enter n", rows: ["   Up", "   Finding Nemo", ">  Soul"]),
    ScreenCase(keys: "/ pete Enter N", rows: ["   Up", "   Finding Nemo", ">  Soul"]),
    ScreenCase(keys: "/ so Escape", rows: [">  Up", "   Finding Nemo", "   Soul"]),
    ScreenCase(
      keys: "/ xyz",
      rows: [">  Up", "   Finding Nemo", "   Soul"],
      message: "/xyz" + String(repeating: " ", count: 68) + "no match"
    ),
    ScreenCase(
      keys: "f \"releaseYear > 2005\" Enter",
      rows: [">  Up", "   Soul"],
      status: "films · Film · 2 of 3 · row 1 · filter releaseYear > 2005"
    ),
    ScreenCase(
      keys: "& pete",
      rows: [">  Up", "   Soul"],
      message: "filter: pete" + String(repeating: " ", count: 44) + "2 of 3 · words, any case"
    ),
    ScreenCase(keys: "f pete Escape", rows: [">  Up", "   Finding Nemo", "   Soul"]),
    ScreenCase(keys: "f pete Enter Escape", rows: [">  Up", "   Finding Nemo", "   Soul"]),
    ScreenCase(
      keys: "2l F Enter",
      rows: [">  Up", "   Soul"],
      status: "films · Film · 2 of 3 · row 1 · filter director = \"Pete Docter\""
    ),
    ScreenCase(
      keys: "y",
      rows: [">  Up", "   Finding Nemo", "   Soul"],
      message: "copied \"Up\""
    ),
    ScreenCase(
      keys: ".",
      rows: [">  Up", "   Finding Nemo", "   Soul"],
      message: "repeat: nothing to repeat"
    ),
    ScreenCase(
      keys: "Tab",
      rows: [">  Up", "   Finding Nemo", "   Soul"],
      message: "next entity: no other entity"
    ),
    ScreenCase(
      keys: ": \"count where releaseYear > 2005\" Enter",
      rows: [">  Up", "   Finding Nemo", "   Soul"],
      message: "2"
    ),
    ScreenCase(
      keys: ": \"sort -releaseYear\" Enter",
      rows: [">  Soul", "   Up", "   Finding Nemo"]
    ),
    ScreenCase(
      keys: ": \"filter director beginswith 'Andrew'\" Enter",
      rows: [">  Finding Nemo"]
    ),
    ScreenCase(
      keys: "C-p delete Enter",
      rows: ["> -Up", "   Finding Nemo", "   Soul"]
    ),
  ]

  @Test(arguments: cases) func keysGiveTheScreen(_ example: ScreenCase) throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(example.keys)
    let rows = fixture.cells(example.rows.count).map { row in
      let title = row.dropFirst(3).split(separator: "  ").first.map(String.init) ?? ""
      return row.prefix(3) + title.trimmingPrefix { $0 == " " }
    }
    #expect(rows.map(String.init) == example.rows, "\(fixture.text)")
    if let status = example.status { #expect(fixture.status == " " + status) }
    if let message = example.message { #expect(fixture.message == message) }
  }

  @Test func messageGoesWithTheNextKey() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("y")
    #expect(fixture.message == "copied \"Up\"")
    #expect(fixture.runner.takeRequests() == [.copy("Up")])
    try fixture.press("j")
    #expect(fixture.message == "")
  }

  @Test func nothingIsChangedInAReadOnlyStore() throws {
    let fixture = try ScreenFixture.films(isReadOnly: true)
    for keys in ["e", "c", "a", "d", "Y", "u"] {
      try fixture.press(keys)
      #expect(fixture.message.hasSuffix("read-only store (opened with --read-only)"), "\(keys)")
    }
    try fixture.press("Enter x")
    #expect(fixture.message.hasSuffix("read-only store (opened with --read-only)"))
    #expect(fixture.runner.state.status.unsaved == 0)
  }

  @Test func quittingWithUnsavedChangesAsks() throws {
    for (keys, ends, isSaved) in [
      ("d q", false, false), ("d q s", true, true), ("d q d", true, false),
      ("d q Escape", false, false), ("q", true, false), ("d : q! Enter", true, false),
      ("d : wq Enter", true, true), ("d : q Enter", false, false),
    ] {
      let fixture = try ScreenFixture.films()
      try fixture.press(keys)
      #expect(fixture.runner.shouldQuit == ends, "\(keys)")
      let count = try ModelContext(fixture.script.session.context.container)
        .fetchCount(matching: Query("Film"))
      #expect(count == (isSaved ? 2 : 3), "\(keys)")
    }
  }

  @Test func columnsScrollBesideTheIdentifier() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("$")
    #expect(fixture.lines[0].hasPrefix("   id      title       ‹ "))
    #expect(fixture.lines[0].contains("released"))
    #expect(fixture.lines[1].hasPrefix(">  a00000  Up  "))
    try fixture.press("0")
    #expect(fixture.lines[0].hasPrefix("   id      title"))
  }

  @Test func deletedRecordStaysWhenTheListIsSorted() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press("d l s")
    #expect(fixture.cells(3).contains { $0.contains("-Up") || $0.hasPrefix("> -") })
    #expect(fixture.status.contains("3 of 3"))
  }

  // Covers H03, H04, H08.
  @Test func wideAndCombiningTextKeepsTheColumns() throws {
    let fixture = try ScriptFixture.withFilms()
    try fixture.run(
      """
      insert title="東京物語" releaseYear=1953
      insert title="e\u{301}te\u{301} 👨‍👩‍👧" releaseYear=1900
      insert title="a\u{202E}b\u{1B}[31m" releaseYear=1901
      insert title="a\\nb\\rc\\td" releaseYear=1902
      insert title="\\r\\n\\u{b}\\u{c}\\u{8}\\u{0}" releaseYear=1903
      save
      """
    )
    let screen = ScreenFixture(fixture)
    let canvas = screen.runner.canvas
    for (row, year) in ["2009", "2003", "2020", "1953", "1900", "1901", "1902", "1903"].enumerated()
    {
      let start = try #require(
        (0..<77).first { x in
          (0..<4).map { canvas.text(at: Point(x: x + $0, y: row + 1)) }.joined() == year
        }
      )
      #expect(start == 36, "\(year)\n\(screen.text)")
    }
    #expect(screen.text.contains("a↵b␍c→d") && screen.text.contains("␍↵^K^L^H^@"))
    #expect(!screen.text.unicodeScalars.contains("\u{1B}"))
    #expect(!screen.text.unicodeScalars.contains("\u{202E}"))
  }

  @Test func mouseSelectsScrollsAndSorts() throws {
    let fixture = try ScreenFixture.films()
    fixture.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: 30, y: 3))))
    #expect(fixture.status.contains("row 3"))
    fixture.runner.handle(.mouse(MouseEvent(kind: .press, point: Point(x: 30, y: 0))))
    #expect(fixture.status.hasSuffix("sort releaseYear"))
    fixture.runner.handle(.mouse(MouseEvent(kind: .double, point: Point(x: 30, y: 1))))
    #expect(fixture.text.contains("── Film b00000"))
  }

  @Test func pasteNeverRunsCommands() throws {
    let fixture = try ScreenFixture.films()
    fixture.runner.handle(.paste("dddd\n:q!\n"))
    #expect(fixture.runner.state.status.unsaved == 0)
    #expect(!fixture.runner.shouldQuit)
    try fixture.press(":")
    fixture.runner.handle(.paste("delete where true\nq!"))
    #expect(fixture.runner.state.status.unsaved == 0)
    #expect(fixture.message == ":delete where true↵q!")
  }
}
