import CatalogApp
import OpenSwiftData
import Testing

/// Columns with values inside JSON fields and fields of linked records.
@Suite struct PathColumnsTests {
  private func screen(width: Int = 100) throws -> ScreenFixture {
    let schema = Schema(
      Schema.Entity(
        "Book",
        attributes: [
          Schema.Attribute("title", .text), Schema.Attribute("info", .json),
          Schema.Attribute("author", .link("Author")), Schema.Attribute("fans", .links("Author")),
        ]
      ),
      Schema.Entity(
        "Author",
        attributes: [Schema.Attribute("name", .text), Schema.Attribute("born", .integer)]
      )
    )
    let fixture = try ScriptFixture(schema, entityName: "Book")
    try fixture.run(
      #"""
      insert Author name=Calvino born=1923
      insert Author name=Lem born=1921
      insert Book title=Cosmicomics info='{"pages":185,"tags":["a"]}' author=t1 fans=t1,t2
      insert Book title=Solaris info='{"pages":204,"lang":"pl"}' author=t2
      insert Book title=Beowulf
      save
      """#
    )
    return ScreenFixture(fixture, size: Size(columns: width, rows: 12))
  }

  @Test func linksShowTheTitlesOfTheirRecords() throws {
    let screen = try screen()
    #expect(screen.lines[1].contains("Calvino"), "\(screen.text)")
    #expect(screen.lines[1].hasSuffix("Calvino, Lem"))
    #expect(screen.lines[3].hasSuffix("∅        ∅") || screen.lines[3].contains("∅"))
  }

  @Test func aColumnOfLinksIsSortedByItsTitles() throws {
    let screen = try screen()
    try screen.press("2l s s")
    #expect(
      screen.lines[1].contains("Solaris") && screen.lines[2].contains("Cosmicomics"),
      "\(screen.text)"
    )
    try screen.press("s")
    #expect(screen.lines[1].contains("Cosmicomics"), "\(screen.text)")
  }

  @Test(arguments: [
    ("calv", 1, "Cosmicomics"), ("author:calv", 1, "Cosmicomics"), ("author:Lem", 1, "Solaris"),
    ("fans:lem", 1, "Cosmicomics"), ("-author:calv", 2, "Solaris"), ("sol lem", 1, "Solaris"),
    ("author.name:calv", 1, "Cosmicomics"), ("author contains[c] \"calv\"", 1, "Cosmicomics"),
    ("info.pages:190-300", 1, "Solaris"), ("info.pages>190 sol", 1, "Solaris"),
  ])
  func theFilterKnowsTitlesOfLinks(filter: String, count: Int, first: String) throws {
    let screen = try screen()
    try screen.press("f")
    for character in filter { screen.runner.handle(.key(.character(character))) }
    #expect(screen.message.contains("\(count) of 3"), "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.lines[1].contains(first), "\(screen.text)")
  }

  @Test func theLineOfPartsNamesTheEntity() throws {
    let screen = try screen()
    try screen.press("s")
    #expect(screen.text.contains(" ▽ Book 1/2 · sort title"), "\(screen.text)")
  }

  @Test func theEndOfAShownPathIsEnoughInTheFilter() throws {
    let screen = try screen()
    try screen.press("l ( f pages:190-300 Enter")
    #expect(screen.status.contains("filter info.pages between 190 and 300"), "\(screen.text)")
    #expect(screen.status.contains("1 of 3"))
  }

  /// What is typed after the columns of a field were shown, and what the table shows then.
  @Test(arguments: [
    ("group INFO.pages", "group info.pages (3)"), ("group Info.PAGES", "group info.pages (3)"),
    ("sort -Info.PAGES", "sort -info.pages"), ("group AUTHOR.name", "group author.name (3)"),
    ("group DIRECTOR", ""),
  ])
  func pathsAreTypedInAnyCase(line: String, chips: String) throws {
    let screen = try screen()
    try screen.press("l ( : \"\(line)\" Enter")
    #expect(screen.chips == chips, "\(screen.text)")
  }

  @Test func theLastWordOfAPathComesBeforeBeginnings() throws {
    let screen = try screen()
    _ = try screen.script.run(
      #"set Book where title="Solaris" info='{"mag":5,"magType":"ml"}'"#
    )
    try screen.press("l ( f mag:5-6 Enter")
    #expect(screen.status.contains("filter info.mag between 5 and 6"), "\(screen.text)")
  }

  @Test(arguments: [
    ("author:", "author:Calvino"), ("author:l", "author:Lem"), ("author:alv", "author:Calvino"),
    ("fans:lem", "fans:Lem"),
  ])
  func titlesOfLinksAreCompleted(typed: String, completed: String) throws {
    let screen = try screen()
    try screen.press("f \(typed) Tab")
    #expect(screen.message.hasPrefix("filter: \(completed) "), "\(screen.text)")
  }

  @Test func theSearchFindsTitlesOfLinks() throws {
    let screen = try screen()
    try screen.press("/lem Enter")
    #expect(screen.status.contains("(1 of 2)"), "\(screen.text)")
    try screen.press("n")
    #expect(screen.status.contains("row 2"), "\(screen.text)")
  }

  @Test func theCountsOfLinksAreListedByTitle() throws {
    let screen = try screen()
    try screen.press("2l F")
    #expect(screen.text.contains("   Calvino  "), "\(screen.text)")
    try screen.press("/lem Enter Enter")
    #expect(screen.status.contains("filter author.name = \"Lem\""), "\(screen.text)")
    #expect(screen.status.contains("1 of 3"), "\(screen.text)")
  }

  @Test func scriptsTestTheTitlesOfLinks() throws {
    let screen = try screen()
    let output = try screen.script.run(
      "count Book where author contains[c] \"calv\"\ncount Book where any field contains \"Lem\""
    )
    #expect(output.output.hasPrefix("1\n2"), "\(output)")
  }

  @Test func objectsAreExpandedAndCollapsed() throws {
    let screen = try screen()
    try screen.press("l (")
    #expect(
      screen.lines[0].contains("title        info.pages  info.tags  info.lang  author"),
      "\(screen.text)"
    )
    #expect(screen.lines[1].contains("185"))
    #expect(screen.lines[2].contains("pl"))
    try screen.press(")")
    #expect(screen.lines[0].contains("title        info "), "\(screen.text)")
    #expect(!screen.lines[0].contains("info.pages"))
  }

  @Test func linksAreExpandedToTheFieldsOfTheirRecords() throws {
    let screen = try screen()
    try screen.press("2l (")
    #expect(screen.lines[0].contains("author.name  author.born"), "\(screen.text)")
    #expect(screen.lines[2].contains("1921"))
    try screen.press("e")
    #expect(screen.message.contains("open that record to change it"), "\(screen.text)")
  }

  @Test func theTableIsSortedByAPath() throws {
    let screen = try screen()
    try screen.press(": \"sort author.born\" Enter")
    #expect(screen.lines[1].contains("Solaris"), "\(screen.text)")
    try screen.press("l ( s s")
    #expect(
      screen.lines[1].contains("Solaris") && screen.lines[2].contains("Cosmicomics"),
      "\(screen.text)"
    )
    #expect(screen.status.contains("sort -info.pages"))
  }

  @Test(arguments: [
    ("info.pages > 190", 1, "Solaris"), ("info.lang = \"pl\"", 1, "Solaris"),
    ("info.tags[0] = \"a\"", 1, "Cosmicomics"), ("author.name = \"Lem\"", 1, "Solaris"),
    ("author.born < 1922 or info.pages < 190", 2, "Cosmicomics"),
    ("info.pages is null", 1, "Beowulf"),
  ])
  func theFilterKnowsPaths(filter: String, count: Int, first: String) throws {
    let screen = try screen()
    try screen.press("f")
    for character in filter { screen.runner.handle(.key(.character(character))) }
    try screen.press("Enter")
    #expect(screen.status.contains("\(count) of 3"), "\(screen.text)")
    #expect(screen.lines.contains { $0.contains(first) })
  }

  @Test func aWrongPathIsReportedWhereItIs() throws {
    let screen = try screen()
    try screen.press("f")
    for character in "author.nme = \"x\"" { screen.runner.handle(.key(.character(character))) }
    #expect(screen.message.contains("incomplete"), "\(screen.text)")
    #expect(screen.lines.joined().contains("author.nme"))
  }

  @Test func valuesInsideJSONAreEditedInTheirColumn() throws {
    let screen = try screen()
    try screen.press("l ( c 186 Enter")
    let result = try screen.script.run("list fields info limit 1")
    #expect(result.output.contains(#"{"pages":186,"tags":["a"]}"#), "\(result)\(screen.text)")
    try screen.press("u")
    #expect(try screen.script.run("list fields info limit 1").output.contains(#""pages":185"#))
  }

  @Test func theValuesOfAPathAreCountedAndBecomeTheFilter() throws {
    let screen = try screen()
    try screen.press("l ( F")
    #expect(screen.text.contains("info.pages: 3 values in 3 records"), "\(screen.text)")
    try screen.press("/ 204 Enter Enter")
    #expect(screen.status.contains("1 of 3"), "\(screen.text)")
    #expect(screen.lines[1].contains("Solaris"))
  }
}
