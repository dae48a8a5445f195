import CatalogApp
import OpenSwiftData
import Testing

/// The columns of the table, as keys, commands and the mouse change them.
@Suite struct ColumnKeysTests {
  /// The keys, and the beginning of the header after the identifier.
  static let headers: [(keys: String, header: String)] = [
    ("-", "releaseYear  director"), ("l -", "title         director"),
    (">", "releaseYear  title         director"), ("2>", "releaseYear  director        title"),
    ("l <", "releaseYear  title"), ("l 9<", "releaseYear  title"),
    ("2l |", "title         director        releaseYear"),
    ("2l | |", "title         releaseYear  director"),
    ("2l | <", "director        title         releaseYear"),
    ("2l | 2>", "title         director        releaseYear"),
    ("3]", "title               releaseYear"), ("_", "title         releaseYear"),
    (": \"column width 4\" Enter", "tit…  releaseYear"),
    (": \"column width 4\" Enter _", "title         releaseYear"),
    (": \"column hide director\" Enter", "title         releaseYear  boxOffice"),
    (": \"column hide rel\" Enter", "title         releaseYear"),
    (": \"column hide releaseY\" Enter", "title         director"),
    (": \"column move last\" Enter", "director        boxOffice"),
    (": \"column move director 1\" Enter", "director        title"),
    ("- l - : \"column show\" Enter", "title         releaseYear"),
    ("- : \"column reset\" Enter", "title         releaseYear"),
    ("- : \"column show title\" Enter", "title         releaseYear"),
    ("C j Space Escape", "title         director"),
    ("C j > Escape", "title         director        releaseYear"),
    ("C j Space R Escape", "title         releaseYear"),
  ]

  @Test(arguments: headers)
  func keysArrangeTheColumns(keys: String, header: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    let line = screen.lines[0].dropFirst(11)
    #expect(line.hasPrefix(header), "\(screen.text)")
  }

  /// The keys, and the beginning of the name to which they move the cursor.
  @Test(arguments: [("dev", "dev:"), ("DEV", "dev:"), ("deps", "devDeps:"), ("devd", "devDeps:")])
  func anExactNameIsTheBestOne(typed: String, column: String) throws {
    let names = ["id2", "devDeps", "developer", "dev"]
    let entity = Schema.Entity("Item", attributes: names.map { .init($0, .text) })
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert dev=1\nsave")
    let screen = ScreenFixture(script)
    try screen.press("' \(typed) Enter c")
    #expect(screen.message.hasPrefix(column), "\(screen.text)")
  }

  /// On the screen the beginning of a field name is enough, in any case; scripts need all of it.
  @Test func fieldNamesAreAbbreviated() throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"sort -RELEASEY,ti\" Enter")
    #expect(
      screen.chips.contains("releaseYear") && screen.chips.contains("title"),
      "\(screen.text)"
    )
    try screen.press(": \"freq dir\" Enter")
    #expect(screen.text.contains("Pete Docter"), "\(screen.text)")
    try screen.press("Escape : \"stats RELEASEYEAR\" Enter")
    #expect(screen.text.contains("2003"), "\(screen.text)")
    #expect(try screen.script.run("freq dir").status == 1)
    #expect(try screen.script.run("sort releasey").status == 1)
  }

  /// A column is as wide as its values are now.
  @Test func aColumnGetsNarrower() throws {
    let screen = try ScreenFixture.films()
    let former = screen.lines[0]
    try screen.press("e C-u \"A much longer title than all\" Enter")
    #expect(screen.lines[0] != former)
    try screen.press("u")
    #expect(screen.lines[0] == former, "\(screen.text)")
  }

  @Test func theTitleStaysWhenTheColumnsScroll() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 50, rows: 10))
    try screen.press("$")
    #expect(screen.lines[0].hasPrefix("   id      title"), "\(screen.text)")
    #expect(screen.lines[0].contains("released"))
    #expect(screen.lines[0].contains("‹"))
    try screen.press(": \"column freeze title off\" Enter")
    #expect(!screen.lines[0].contains("title"), "\(screen.text)")
    #expect(screen.lines[0].contains("released"))
  }

  /// A column that was frozen at the right once left the screen when the others scrolled back.
  @Test func aFrozenColumnIsAlwaysOnTheScreen() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 70, rows: 10))
    try screen.press("$ |")
    for keys in ["", "0", "l", "$", "h h", "0 l l"] {
      try screen.press(keys)
      #expect(screen.lines[0].contains("title         released"), "\(keys)\n\(screen.text)")
    }
  }

  /// The first column is frozen, and was on the screen all the time.
  @Test func theKeyForTheFirstColumnScrollsToIt() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 50, rows: 10))
    let header = screen.lines[0]
    try screen.press("$ 0")
    #expect(screen.lines[0] == header, "\(screen.text)")
  }

  @Test(arguments: [
    ("2l | >", "director is frozen and comes before the others; let it scroll first, with |"),
    ("2l | l <", "the frozen columns come first"), ("<", ""), ("$ >", ""),
  ])
  func aFrozenColumnStaysBeforeTheOthers(keys: String, message: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.message == message, "\(screen.text)")
  }

  /// A title wider than half of the screen once scrolled away, and records were edited without their names.
  @Test func aWideTitleIsNarrowedWhenTheColumnsScroll() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 50, rows: 10))
    try screen.press(": \"column width title 40\" Enter $")
    #expect(screen.lines[0].hasPrefix("   id      title"), "\(screen.text)")
    #expect(screen.lines[0].contains("released"))
    #expect(screen.lines[1].contains("Up "))
  }

  @Test func aWiderTerminalShowsTheColumnsOnTheLeftAgain() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 50, rows: 10))
    try screen.press(": \"column freeze off\" Enter $")
    #expect(!screen.lines[0].contains("title"), "\(screen.text)")
    screen.runner.handle(.resize(Size(columns: 119, rows: 10)))
    #expect(screen.lines[0].contains("title         releaseYear"), "\(screen.text)")
  }

  @Test func onlyNewRecordsShowTheirIdentifiersAtFirst() throws {
    let screen = try ScreenFixture(ScriptFixture.withFilms(), showsIdentifiers: false)
    #expect(screen.lines[0].hasPrefix("    title  "), "\(screen.text)")
    #expect(screen.lines[1].hasPrefix(">   Up  "), "\(screen.text)")
    try screen.press("a Coco Enter")
    #expect(
      screen.lines.contains { $0.hasPrefix("> +t") && $0.contains("  Coco  ") },
      "\(screen.text)"
    )
    #expect(screen.lines[1].hasPrefix("       Up  "), "\(screen.text)")
    try screen.press("w")
    #expect(screen.lines.contains { $0.hasPrefix(">   Coco  ") }, "\(screen.text)")
    screen.runner.handle(.key(.character("#")))
    #expect(screen.lines[0].hasPrefix("   id      title  "), "\(screen.text)")
    screen.runner.handle(.key(.character("#")))
    #expect(screen.lines[0].hasPrefix("    title  "), "\(screen.text)")
  }

  @Test func theIdentifierCanBeHidden() throws {
    let screen = try ScreenFixture.films()
    try screen.press(": \"column hide id\" Enter")
    #expect(screen.lines[0].hasPrefix("    title         releaseYear"))
    #expect(screen.lines[1].hasPrefix(">   Up            "))
    try screen.press("C g Space Escape")
    #expect(screen.lines[0].hasPrefix("   id      title"), "\(screen.text)")
  }

  @Test func theLastColumnStays() throws {
    let screen = try ScreenFixture.films()
    try screen.press("- - - - - - -")
    #expect(screen.message == "the last column cannot be hidden")
    #expect(screen.lines[0].contains("released"))
  }

  @Test(arguments: [
    ("' rating Enter y", "copied \"8.3\""), ("' DIR Enter y", "copied \"Pete Docter\""),
    ("' rating Escape y", "copied \"Up\""), ("' rel Tab Enter y", "copied \"\""),
    ("l - h ' year Enter y", "copied \"2009\""),
    (": \"column dir\" Enter y", "copied \"Pete Docter\""),
    (": \"column sean\" Enter", "no column \"sean\"; did you mean \"seen\"?"),
    ("' xyz Enter", "column: xyz"),
  ])
  func aColumnIsFoundByItsName(keys: String, message: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect(screen.message.hasPrefix(message), "\(screen.text)")
  }

  @Test func editingUsesTheFieldUnderTheCursorWhereverItIs() throws {
    let screen = try ScreenFixture.films()
    try screen.press("- l < c \"Ada\" Enter")
    #expect(screen.status.contains("1 changed"), "\(screen.text)")
    #expect(
      try screen.script.run("list fields title,releaseYear,director limit 1").output.contains(
        "Up\t2009\tAda"
      )
    )
    try screen.press("u l c 1999 Tab Enter")
    #expect(try screen.script.run("list fields releaseYear limit 1").output.contains("1999"))
  }

  @Test func theListDescribesTheColumns() throws {
    let screen = try ScreenFixture.films(size: Size(columns: 100, rows: 24))
    try screen.press("l - C")
    #expect(screen.text.contains("columns · 6 of 7 shown"), "\(screen.text)")
    let year = try #require(screen.lines.first { $0.contains("releaseYear integer") })
    #expect(
      year.split(separator: " ").map(String.init).prefix(5) == [
        "releaseYear", "integer", "0", "3", "2009,",
      ]
    )
    #expect(screen.lines.contains { $0.contains("boxOffice") && $0.contains("decimal") })
  }

  static let formats: [(keys: String, cell: String)] = [
    (": \"column format boxOffice money=$\" Enter", "$735.10"),
    (": \"column format rating decimals=2\" Enter", "8.30"),
    (": \"column format seen yesno\" Enter", "yes"),
    ("3l : \"column format percent\" Enter", "73,510 %"),
  ]

  @Test(arguments: formats)
  func formatsChangeWhatIsShownAndNothingElse(keys: String, cell: String) throws {
    let screen = try ScreenFixture.films(size: Size(columns: 120, rows: 10))
    let before = try screen.script.run("list").output
    try screen.press(keys)
    #expect(screen.lines[1].contains(cell), "\(screen.text)")
    #expect(try screen.script.run("list").output == before)
    #expect(!screen.status.contains("unsaved"))
  }

  // MARK: The mouse

  private func click(_ screen: ScreenFixture, _ kind: MouseEvent.Kind, _ x: Int, _ y: Int) {
    screen.runner.handle(.mouse(MouseEvent(kind: kind, point: Point(x: x, y: y))))
  }

  @Test func aBorderIsDraggedAndTheHeaderSorts() throws {
    let screen = try ScreenFixture.films()
    // The title is at 11 to 22, its border behind it.
    click(screen, .press, 23, 0)
    click(screen, .drag, 28, 0)
    click(screen, .release, 28, 0)
    #expect(
      screen.lines[0].dropFirst(11).hasPrefix("title              releaseYear"),
      "\(screen.text)"
    )
    #expect(!screen.status.contains("sort"))
    click(screen, .drag, 60, 0)
    #expect(screen.lines[0].dropFirst(11).hasPrefix("title              releaseYear"))
    click(screen, .press, 12, 0)
    #expect(screen.status.contains("sort title"))
  }

  @Test func theRightButtonOpensTheMenuOfAColumn() throws {
    let screen = try ScreenFixture.films()
    click(screen, .menu, 30, 2)
    #expect(
      screen.text.contains("releaseYear ─") && screen.text.contains(">sort"),
      "\(screen.text)"
    )
    try screen.press("j j j j Enter")
    #expect(screen.lines[0].dropFirst(11).hasPrefix("title         director"), "\(screen.text)")
    click(screen, .menu, 12, 1)
    click(screen, .press, 70, 20)
    #expect(!screen.text.contains(">sort"))
  }
}
