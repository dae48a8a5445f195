import CatalogApp
import OpenSwiftData
import Testing

/// A script and its output on a store with three saved films.
struct ScriptCase: CustomTestStringConvertible, Sendable {
  let script: String
  let output: String
  let errors: String
  let status: Int32
  let format: OutputFormat

  init(
    _ script: String,
    _ output: String,
    errors: String = "",
    status: Int32 = 0,
    format: OutputFormat = .tsv
  ) {
    self.script = script
    self.output = output
    self.errors = errors
    self.status = status
    self.format = format
  }

  var testDescription: String { script }
}

@Suite struct CommandTableTests {
  static let reading: [ScriptCase] = [
    ScriptCase("count", "3\n"),
    ScriptCase("count Film where releaseYear > 2005 and title contains[c] \"UP\"", "1\n"),
    ScriptCase(
      "list sort releaseYear fields title,releaseYear limit 2",
      "title\treleaseYear\nFinding Nemo\t2003\nUp\t2009\n"
    ),
    ScriptCase("list fields title sort -title offset 1 limit 1", "title\nSoul\n"),
    ScriptCase("list where title = 'Nobody' fields title", "title\n"),
    ScriptCase(
      "list sort title fields title,boxOffice,seen limit 1",
      "[\n  {\"title\": \"Finding Nemo\", \"boxOffice\": 871.01, \"seen\": false}\n]\n",
      format: .json
    ),
    ScriptCase("list where title = \"~\"", "[]\n", format: .json),
    ScriptCase("list where title = 'Up' fields title,id", "title\tid\nUp\tID\n"),
    ScriptCase("export - where title = 'Up' fields id", "id\r\nID\r\n", format: .csv),
    ScriptCase(
      "list where title = 'Soul' fields title,boxOffice,rating",
      "{\"title\": \"Soul\", \"boxOffice\": null, \"rating\": 8}\n",
      format: .jsonl
    ),
    ScriptCase(
      "list where title = 'Soul' fields director,title",
      "director,title\r\nPete Docter,Soul\r\n",
      format: .csv
    ),
    ScriptCase(
      "list sort title fields id,title,releaseYear",
      "id                title         releaseYear\n────────────────  ────────────  ───────────\nID  Finding Nemo         2003\nID  Soul                 2020\nID  Up                   2009\n",
      format: .table
    ),
    ScriptCase(
      "stats releaseYear",
      "statistic\tvalue\ncount\t3\nmissing\t0\ndistinct\t3\nmin\t2003\nmax\t2020\nmean\t2010.666667\nsum\t6032\n"
    ),
    ScriptCase(
      "stats boxOffice",
      "statistic\tvalue\ncount\t2\nmissing\t1\ndistinct\t2\nmin\t735.1\nmax\t871.01\nmean\t803.055\nsum\t1606.11\n"
    ),
    ScriptCase(
      "stats Film rating where releaseYear > 2005",
      "statistic\tvalue\ncount\t2\nmissing\t0\ndistinct\t2\nmin\t8\nmax\t8.3\nmean\t8.15\nsum\t16.3\n"
    ),
    ScriptCase(
      "stats director",
      "statistic\tvalue\ncount\t3\nmissing\t0\ndistinct\t2\nmin\tAndrew Stanton\nmax\tPete Docter\nmean\t\nsum\t\n"
    ),
    ScriptCase(
      "stats released",
      "statistic\tvalue\ncount\t0\nmissing\t3\ndistinct\t0\nmin\t\nmax\t\nmean\t\nsum\t\n"
    ),
    ScriptCase("freq director", "value\tcount\nPete Docter\t2\nAndrew Stanton\t1\n"),
    ScriptCase("freq rating", "value\tcount\n\t1\n8\t1\n8.3\t1\n"),
    ScriptCase(
      "freq director",
      "value           count  bar\n──────────────  ─────  ──────────────────────────────\nPete Docter         2  ██████████████████████████████\nAndrew Stanton      1  ███████████████\n",
      format: .table
    ),
    ScriptCase(
      "freq director where title = 'Up'",
      "[\n  {\"value\": \"Pete Docter\", \"count\": 1}\n]\n",
      format: .json
    ),
    ScriptCase(
      "entities",
      "name\trecords\tfields\nFilm\t3\ttitle, releaseYear, director, boxOffice, rating, seen, released\n"
    ),
    ScriptCase(
      "schema",
      "field\ttype\trequired\tunique\tdefault\ntitle\ttext\ttrue\tfalse\t\nreleaseYear\tinteger\tfalse\tfalse\t\ndirector\ttext\tfalse\tfalse\t\nboxOffice\tdecimal\tfalse\tfalse\t\nrating\tnumber\tfalse\tfalse\t\nseen\tboolean\tfalse\tfalse\tfalse\nreleased\tdate\tfalse\tfalse\t\n"
    ),
    ScriptCase(
      "status",
      "store: films\nFilm: 3\nunsaved: 0\ninserted: 0\nupdated: 0\ndeleted: 0\n"
    ),
    ScriptCase("check", "ok\n"),
    ScriptCase("# a comment\n\n  \ncount # and another", "3\n"),
    ScriptCase(
      "show t1",
      "id\tID\ntitle\tUp\nreleaseYear\t2009\ndirector\tPete Docter\nboxOffice\t735.1\nrating\t8.3\nseen\ttrue\nreleased\t\n"
    ),
    ScriptCase(
      "show t3",
      "{\"id\": \"ID\", \"title\": \"Soul\", \"releaseYear\": 2020, \"director\": \"Pete Docter\", \"boxOffice\": null, \"rating\": 8, \"seen\": false, \"released\": null}\n",
      format: .json
    ),
    ScriptCase("export - where title = 'Up' fields title", "title\r\nUp\r\n", format: .csv),
    ScriptCase("quit\ncount", ""),
    ScriptCase(
      "history",
      "token\ttime\tauthor\tchange\n1\t1970-01-01T00:00:00Z\tada\t+ ID Up\n1\t1970-01-01T00:00:00Z\tada\t+ ID Finding Nemo\n1\t1970-01-01T00:00:00Z\tada\t+ ID Soul\n"
    ),
  ]

  @Test(arguments: reading)
  func readingCommandsPrint(test: ScriptCase) throws { try check(test) }

  static let changing: [ScriptCase] = [
    ScriptCase(
      "insert title=Coco\ncount\nsave\nshow t4",
      "t4\n4\nsaved: 1 inserted, 0 updated, 0 deleted\nt4 -> ID\nid\tID\ntitle\tCoco\nreleaseYear\t\ndirector\t\nboxOffice\t\nrating\t\nseen\tfalse\nreleased\t\n"
    ),
    ScriptCase(
      "set t1 title=\"Up!\" releaseYear= director=\"\"\nlist where title = 'Up!' fields id,releaseYear,director",
      "[\n  {\"id\": \"ID\", \"releaseYear\": null, \"director\": \"\"}\n]\n",
      format: .json
    ),
    ScriptCase(
      "set where releaseYear > 2005 seen=yes\nfreq seen\nstatus",
      "value\tcount\ntrue\t2\nfalse\t1\nstore: films\nFilm: 3\nunsaved: 1\ninserted: 0\nupdated: 1\ndeleted: 0\n"
    ),
    ScriptCase(
      "set Film where title = \"Up\" title=Down seen=no\nlist where title = 'Down' fields id,title,seen",
      "id\ttitle\tseen\nID\tDown\tfalse\n"
    ),
    ScriptCase(
      "delete t1 t2\ncount\nundo\ncount\nredo\ncount\nsave",
      "1\n3\n1\nsaved: 0 inserted, 0 updated, 2 deleted\n"
    ),
    ScriptCase(
      "delete Film where director = 'Pete Docter'\ncount\nrollback\ncount\nundo\ncount",
      "1\n3\n1\n"
    ),
    ScriptCase(
      "set t1 seen=false\ninsert title=X\ndelete t2\nrollback\nstatus",
      "t4\nstore: films\nFilm: 3\nunsaved: 0\ninserted: 0\nupdated: 0\ndeleted: 0\n"
    ),
    ScriptCase("save", "saved: 0 inserted, 0 updated, 0 deleted\n"),
    ScriptCase(
      "set t1 title=\"Up!\"\nsave\nundo\nlist where title = 'Up' fields id,title",
      "saved: 0 inserted, 1 updated, 0 deleted\nid\ttitle\nID\tUp\n"
    ),
    ScriptCase(
      "set t1 title=\"Up!\" releaseYear=2010\nsave\nhistory t1",
      "saved: 0 inserted, 1 updated, 0 deleted\ntoken\ttime\tauthor\tchange\n1\t1970-01-01T00:00:00Z\tada\t+ ID Up\n2\t1970-01-01T00:00:00Z\tada\t~ ID title: \"Up\" → \"Up!\", releaseYear: 2009 → 2010\n"
    ),
    ScriptCase(
      "set t1 title=\"Up!\"\nsave\nset t1 title=Down\nrevert t1 to 1\nlist where title = 'Up' fields id,title\nsave",
      "saved: 0 inserted, 1 updated, 0 deleted\nid\ttitle\nID\tUp\nsaved: 0 inserted, 1 updated, 0 deleted\n"
    ),
    ScriptCase(
      "field add studio:text=Pixar\nlist where title = 'Up' fields id,studio\nfield rename studio maker\nlist where maker = 'Pixar' fields id,maker limit 1\nfield drop maker\nentities",
      "id\tstudio\nID\tPixar\nid\tmaker\nID\tPixar\nname\trecords\tfields\nFilm\t3\ttitle, releaseYear, director, boxOffice, rating, seen, released\n"
    ),
    ScriptCase(
      "entity create Studio name:text!=\"No name\" film:link:Film founded:integer\nschema Studio\ninsert Studio film=t1\nlist Studio fields id,name,film",
      "field\ttype\trequired\tunique\tdefault\nname\ttext\ttrue\tfalse\tNo name\nfilm\tlink:Film\tfalse\tfalse\t\nfounded\tinteger\tfalse\tfalse\t\nt4\nid\tname\tfilm\nt4\tNo name\tID\n"
    ),
    ScriptCase(
      "delete where title != \"~\"\nsave\nhistory t1",
      "saved: 0 inserted, 0 updated, 3 deleted\ntoken\ttime\tauthor\tchange\n1\t1970-01-01T00:00:00Z\tada\t+ ID Up\n2\t1970-01-01T00:00:00Z\tada\t- ID Up\n"
    ),
    ScriptCase(
      "delete t1\nsave\nrevert t1 to 1\ncount where title = 'Up'\nsave",
      "saved: 0 inserted, 0 updated, 1 deleted\n1\nsaved: 1 inserted, 0 updated, 0 deleted\n"
    ),
  ]

  @Test(arguments: changing)
  func changingCommandsPrintWhatTheContractSays(test: ScriptCase) throws { try check(test) }

  private func check(_ test: ScriptCase) throws {
    let fixture = try ScriptFixture.withFilms(format: test.format)
    let result = try fixture.run(test.script)
    #expect(result.output.normalized == test.output)
    #expect(result.errors == test.errors)
    #expect(result.status == test.status)
  }

  @Test func notesSayWhatWasTakenBack() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run(
      """
      set t1 title="Up!"
      undo
      redo
      set where seen = false seen=true
      undo
      insert title=Coco
      undo
      """,
      echoesNotes: true
    )
    let short = try fixture.run("list where title = 'Up!' fields id").output
      .split(separator: "\n")[1].prefix(4)
    #expect(
      result.output == """
        set title of \(short) (Up)
        undone: set title of \(short) (Up)
        redone: set title of \(short) (Up)
        set seen of 2 records
        undone: set seen of 2 records
        t4
        undone: insert t4 (Coco)

        """
    )
  }

  @Test func discardedChangesAreCounted() throws {
    let fixture = try ScriptFixture.withFilms()
    #expect(fixture.session.store.discardedNote == nil)
    try fixture.run("insert title=Coco\nset t1 title=Down")
    #expect(
      fixture.session.store.discardedNote
        == "discarded 2 unsaved changes (1 inserted, 1 updated, 0 deleted)"
    )
    try fixture.run("undo")
    #expect(
      fixture.session.store.discardedNote
        == "discarded 1 unsaved change (1 inserted, 0 updated, 0 deleted)"
    )
  }

  @Test func everyCommandHasASummaryAndHelp() throws {
    let fixture = try ScriptFixture()
    let overview = try fixture.run("help").output
    var names: Set<String> = []
    for command in Command.all {
      let isInScripts = Command.all(in: .scripts).contains { $0.name == command.name }
      #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."))
      for name in [command.name] + command.aliases { #expect(names.insert(name).inserted) }
      if isInScripts {
        #expect(overview.contains("\n\(command.name) ") || overview.hasPrefix(command.name))
      }
      let help = try fixture.run("help \(command.name)")
      #expect(help.status == 0 && help.output.hasPrefix(command.synopsis + "\n"))
    }
    #expect(try fixture.run("help field").output.contains("field rename [ENTITY] OLD NEW"))
  }
}
