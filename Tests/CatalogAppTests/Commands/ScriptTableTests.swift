import CatalogApp
import OpenSwiftData
import Testing

/// The commands of the table in scripts and with `--plain`.
@Suite struct ScriptTableTests {
  @Test(arguments: [
    ("filter year>=2009\nlist sort title", "title\treleaseYear\nSoul\t2020\nUp\t2009\n"),
    ("filter releaseYear:2005-15\nlist", "title\treleaseYear\nUp\t2009\n"),
    ("filter docter\nsort -title\nlist", "title\treleaseYear\nUp\t2009\nSoul\t2020\n"),
    (
      "group director\nsort -title\nlist",
      "value\tcount\nPete Docter\t2\nAndrew Stanton\t1\n"
        + "title\treleaseYear\nFinding Nemo\t2003\nUp\t2009\nSoul\t2020\n"
    ),
    ("sort title\nlist limit 1", "title\treleaseYear\nFinding Nemo\t2003\n"),
    ("filter soul\nlist where title = 'Up' fields title", "title\nUp\n"),
    ("column hide releaseYear\nfilter up\nlist", "title\nUp\n"),
    ("column move releaseYear first\nfilter up\nlist", "releaseYear\ttitle\n2009\tUp\n"),
    ("filter up\nview save u\nview reset\ncount\nview u\ncount", "3\n1\n"),
    (
      "filter docter\ncount\nstats releaseYear",
      "2\nstatistic\tvalue\ncount\t2\nmissing\t0\ndistinct\t2\nmin\t2009\nmax\t2020\nmean\t2014.5\nsum\t4029\n"
    ),
    ("filter docter\nfilter\ncount", "3\n"),
    ("filter docter\ncount Film", "3\n"),
    (
      "filter up\nsort -title\nview save u\nviews",
      "view\tcolumns\tfilter\tsort\tgroup\tplace\nu\ttitle,releaseYear\tany field contains[cd] \"up\"\t-title\t\tsettings\n"
    ),
  ])
  func listFollowsTheTable(script: String, output: String) throws {
    let fixture = try ScriptFixture.withFilms()
    try fixture.run(
      "column hide id\ncolumn hide director\ncolumn hide boxOffice\ncolumn hide rating\ncolumn hide seen\ncolumn hide released"
    )
    let result = try fixture.run(script.replacing("year>=", with: "releaseYear >= "))
    #expect(result.output == output && result.status == 0, "\(result)")
  }

  @Test func columnsListsAllColumns() throws {
    let fixture = try ScriptFixture.withFilms()
    try fixture.run("column format boxOffice thousands\ncolumn width title 12\ncolumn hide seen")
    let lines = try fixture.run("columns").output.split(separator: "\n")
    #expect(lines[0] == "column\ttype\tshown\tfrozen\twidth\tformat")
    #expect(lines.contains("boxOffice\tdecimal\ttrue\tfalse\t\tthousands"))
    #expect(lines.contains("seen\tboolean\tfalse\tfalse\t\t"))
    #expect(lines.contains("title\ttext\ttrue\ttrue\t12\t"))
  }

  @Test func aPromptTellsWhatTheTableShows() throws {
    let result = try ScriptFixture.withFilms().run(
      "filter docter\nsort -title\ncolumn hide id\nview save old\nview reset",
      echoesNotes: true
    )
    #expect(
      result.output
        == "2 of 3 records\nsorted by -title\ncolumns: title, releaseYear, director, boxOffice, rating, seen, released\n"
        + "saved the view old\nall columns, no filter, no sort, no groups\n"
    )
  }

  @Test(arguments: [
    (
      "column hide",
      "1: missing column; available: title, releaseYear, director, boxOffice, rating, seen, released"
    ),
    ("column hide titel", "1: no column \"titel\"; did you mean \"title\"?"),
    (
      "column expand title",
      "1: column expand: works only on the screen; use \"column show PATH\", such as user.login"
    ),
    ("column width", "1: missing width; expected fit, auto or a number from 2 to 400"),
    ("column move", "1: missing place; expected left, right, first, last or a number"),
    ("view old", "1: no view \"old\"; run \"view save old\" to save this one"),
    (
      "column format boxOffice relative",
      "1: boxOffice: a decimal column cannot be shown as \"relative\"; expected plain, thousands, percent, bytes, money, decimals=N, left, right, center"
    ),
    (
      "column format title decimals=2",
      "1: title: a text column cannot be shown as \"decimals=2\"; expected plain, left, right, center"
    ),
    (
      "column format seen thousands",
      "1: seen: a boolean column cannot be shown as \"thousands\"; expected plain, yesno, left, right, center"
    ),
    (
      "filter year >",
      "1: column 8: Film has no field \"year\"; available: title, releaseYear, director, boxOffice, rating, seen, released"
    ),
    ("column", nil as String?),
  ])
  func aWrongRequestIsOneLine(script: String, message: String?) throws {
    let result = try ScriptFixture.withFilms().run(script)
    #expect(result.errors == (message.map { $0 + "\n" } ?? ""), "\(result)")
  }

  @Test func theScreenRefusesAFormatThatDoesNotFit() throws {
    let fixture = try ScreenFixture.films()
    try fixture.press(": \"column format title decimals=2\" Enter")
    #expect(fixture.text.contains("title: a text column cannot be shown as \"decimals=2\""))
    #expect(fixture.runner.state.viewBook.isEmpty)
  }
}
