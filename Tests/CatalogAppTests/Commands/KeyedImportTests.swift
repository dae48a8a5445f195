import CatalogApp
import OpenSwiftData
import Testing

/// Files and values that update the records with the same key.
@Suite struct KeyedImportTests {
  private func films(_ files: [String: String] = [:]) throws -> ScriptFixture {
    let fixture = try ScriptFixture.withFilms()
    for (name, text) in files { fixture.services.files[name] = Array(text.utf8) }
    return fixture
  }

  private static let titles = "list sort title fields title,releaseYear,director"
  private static let heading = "title\treleaseYear\tdirector\n"

  @Test func rowsUpdateInsertAndLeaveRecords() throws {
    let fixture = try films([
      "a.csv": "title,releaseYear\nUp,2010\nSoul,2020\nElio,2025\n",
      "b.jsonl": "{\"releaseYear\": 2003, \"title\": \"Finding Nemo\"}\n{\"title\": \"New\"}\n",
    ])
    let result = try fixture.run(
      "import a.csv by title\nimport b.jsonl into Film by title\n\(Self.titles)\nsave\n"
        + "import a.csv by title\nstatus"
    )
    #expect(result.errors == "")
    #expect(
      result.output.hasPrefix(
        "imported: 1 inserted, 1 updated, 1 unchanged, 0 deleted\n"
          + "imported: 1 inserted, 0 updated, 1 unchanged, 0 deleted\n" + Self.heading
          + "Elio\t2025\t\nFinding Nemo\t2003\tAndrew Stanton\nNew\t\t\nSoul\t2020\tPete Docter\n"
          + "Up\t2010\tPete Docter\nsaved: 2 inserted, 1 updated, 0 deleted\n"
          + "imported: 0 inserted, 0 updated, 3 unchanged, 0 deleted\n"
      ),
      "\(result)"
    )
    #expect(result.output.contains("unsaved: 0\n"))
  }

  /// With so many keys, all records are read once instead.
  @Test func aFileOfMostRecordsFindsThem() throws {
    func text(_ range: Range<Int>, _ value: (Int) -> Int) -> String {
      "k,v\n" + range.map { "\($0),\(value($0))\n" }.joined()
    }
    let fixture = try films([
      "a.csv": text(0..<10_100) { $0 },
      "b.csv": text(50..<10_110) { $0 == 60 ? 1 : $0 },
    ])
    let result = try fixture.run(
      "import a.csv into N\nsave\nimport b.csv into N by k\ncount N where v = 1\ncount N"
    )
    #expect(result.errors == "")
    #expect(
      result.output.hasSuffix(
        "imported: 10 inserted, 1 updated, 10049 unchanged, 0 deleted\n2\n10110\n"
      ),
      "\(result)"
    )
  }

  @Test func aMirrorDeletesWhatTheFileLacksAndCanBeUndone() throws {
    let fixture = try films(["a.csv": "title\nUp\nNew\n", "empty.jsonl": "", "head.csv": "title\n"])
    let result = try fixture.run(
      """
      import a.csv by title mirror
      list sort title fields title
      undo
      count
      import empty.jsonl by title mirror
      import head.csv by title mirror
      count
      """,
      keepsGoing: true
    )
    #expect(
      result.output
        == "imported: 1 inserted, 0 updated, 1 unchanged, 2 deleted\ntitle\nNew\nUp\n3\n3\n"
    )
    let message =
      "mirror: the file has no records; to delete all, use \"delete Film where true\"\n"
    #expect(result.errors == "5: \(message)6: \(message)", "\(result)")
  }

  @Test func severalFieldsAreOneKeyInWhichSomeMayBeMissing() throws {
    let fixture = try films([
      "a.csv": "director,releaseYear,rating\nPete Docter,2009,1\nPete Docter,,2\n,2003,3\n"
    ])
    let result = try fixture.run(
      """
      import a.csv into Film by director,releaseYear
      list sort rating fields director,releaseYear,rating where rating < 4
      """
    )
    // A new film needs a title, which the file does not have.
    #expect(
      result.errors == "1: a.csv:3:1: title: a value is required\n",
      "\(result)"
    )
    #expect(try fixture.run("count where rating < 4").output == "0\n")
  }

  @Test(arguments: [
    (
      "a.csv", "title,releaseYear\nUp,1\nA,x\n",
      "a.csv:3:3: releaseYear: \"x\" is not a whole number"
    ),
    (
      "a.csv", "title,releaseYear\n\"A,\nB\",1\n\"é\",x\n", "a.csv:4:5: releaseYear: \"x\" is not a"
    ),
    ("a.tsv", "title\treleaseYear\nA\tx\n", "a.tsv:2:3: releaseYear: \"x\" is not a whole number"),
    (
      "a.jsonl", "{\"title\": \"A\",  \"seen\": 3}\n",
      "a.jsonl:1:25: seen: 3 is not a valid boolean"
    ),
    (
      "a.json", "[{\"title\": \"A\",\n  \"seen\": 3}]",
      "a.json:2:11: seen: 3 is not a valid boolean"
    ),
    ("a.csv", "title\nA\nB\nA\n", "a.csv:4:1: duplicate key title \"A\"; line 2 has it, too"),
    ("a.csv", "releaseYear,title\n1,A\n2,\n", "a.csv:3:3: title: missing key"),
    ("a.csv", "releaseYear\n1\n", "a.csv:1:1: missing key column \"title\""),
    ("a.csv", "title,yaer\nA,1\n", "a.csv:1:7: Film has no field \"yaer\""),
    ("a.csv", "title,yaer\n", "a.csv:1:7: Film has no field \"yaer\""),
    ("a.csv", "Up,2009\n", "a.csv:1:1: missing key column \"title\""),
    ("a.csv", "\n\ntitle,yaer\nA,1\n", "a.csv:3:7: Film has no field \"yaer\""),
    ("a.tsv", "title\tyaer\nA\t1\n", "a.tsv:1:7: Film has no field \"yaer\""),
    (
      "a.csv", "title;yaer\nA;1\n",
      "a.csv:1:7: Film has no field \"yaer\""
    ), ("a.jsonl", "{\"title\": \"A\", \"yaer\": 1}", "a.jsonl:1:24: Film has no field \"yaer\""),
    ("a.csv", "title,seen\nA,true,1\n", "a.csv:2: Film has no field \"column3\""),
  ])
  func aWrongRowIsNamedWithItsPlaceAndChangesNothing(
    name: String,
    text: String,
    message: String
  ) throws {
    let fixture = try films([name: text])
    let result = try fixture.run("import \(name) by title\nstatus", keepsGoing: true)
    #expect(result.errors.hasPrefix("1: \(message)"), "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.output.contains("unsaved: 0\n"), "\(result)")
  }

  @Test func recordsWithTheSameKeyAreNotGuessedBetween() throws {
    let fixture = try films(["a.csv": "director,rating\nPete Docter,1\n", "b.csv": "title\nUp\n"])
    let result = try fixture.run(
      "import a.csv by director\nimport b.csv by title,director\nimport b.csv by x",
      keepsGoing: true
    )
    let lines = result.errors.normalized.split(separator: "\n")
    #expect(
      lines.first
        == "1: a.csv:2:1: duplicate key director \"Pete Docter\" in the store: records ID and ID",
      "\(result)"
    )
    #expect(lines.dropFirst().first == "2: b.csv:1:1: missing key column \"director\"", "\(result)")
    #expect(lines.last?.hasPrefix("3: Film has no field \"x\"") == true, "\(result)")
  }

  @Test func oneRecordIsUpdatedOrAdded() throws {
    let fixture = try films()
    let result = try fixture.run(
      """
      upsert by title title=Up releaseYear=1
      upsert Film by title {"title": "Up", "releaseYear": 1}
      upsert by title,releaseYear title=Up releaseYear=2
      upsert by director director="Pete Docter" rating=1
      upsert by title releaseYear=2
      upsert title=Up
      upsert by title title=
      """,
      keepsGoing: true
    )
    #expect(
      result.output == """
        imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted
        imported: 0 inserted, 0 updated, 1 unchanged, 0 deleted
        imported: 1 inserted, 0 updated, 0 unchanged, 0 deleted

        """,
      "\(result)"
    )
    #expect(
      result.errors.normalized == """
        4: duplicate key director "Pete Docter" in the store: records ID and ID
        5: missing value of the key field "title"
        6: missing key; use "upsert by FIELD FIELD=VALUE …"
        7: title: missing key

        """,
      "\(result)"
    )
  }

  @Test func identifiersAndLinksSurviveARoundTrip() throws {
    let source = try ScriptFixture(ScriptFixture.linked)
    let made = try source.run(
      """
      insert Studio name=Pixar
      insert Film title=A studio=t1
      insert Film title=B sequels=t2 notes={}
      set t2 sequels=t3
      save
      export film.json Film
      export studio.csv Studio
      """
    )
    #expect(made.errors == "")
    let copy = try ScriptFixture(ScriptFixture.linked)
    copy.services.files = source.services.files
    let result = try copy.run(
      """
      import studio.csv into Studio by id
      import film.json into Film by id
      save
      import film.json into Film by id mirror
      export again.json Film
      """
    )
    #expect(result.errors == "")
    #expect(result.output.contains("imported: 2 inserted, 0 updated, 0 unchanged, 0 deleted\n"))
    #expect(result.output.contains("imported: 0 inserted, 0 updated, 2 unchanged, 0 deleted\n"))
    #expect(copy.services.text("again.json") == source.services.text("film.json"))
  }

  @Test func anIdentifierBringsADeletedRecordBack() throws {
    let fixture = try films()
    let result = try fixture.run(
      """
      export all.json
      delete where title = "Up"
      set where title = "Soul" releaseYear=1
      import all.json by id
      status
      delete where title = "Up"
      save
      import all.json by id
      upsert by id id=t1 title=X
      export after.json
      """
    )
    #expect(result.output.contains("imported: 1 inserted, 1 updated, 1 unchanged, 0 deleted\n"))
    #expect(result.output.contains("unsaved: 0\n"), "\(result)")
    #expect(result.errors == "", "\(result)")
  }

  @Test func aCatalogKeepsItsLinksByIdentifierOnly() throws {
    let catalog = """
      {"catalog": {"format": 1, "schema": {"entities": [
        {"name": "Author", "attributes": [{"name": "name", "type": "text"}]},
        {"name": "Book", "attributes": [{"name": "author", "type": "link:Author"}]}]}},
       "Book": [{"id": "m6a5ag71vmbranj1", "author": "k6a5ag71vmbranj1"}],
       "Author": [{"id": "k6a5ag71vmbranj1", "name": "Calvino"}]}
      """
    for (command, type) in [("import a.json by id", "link:Author"), ("import a.json", "text")] {
      let fixture = try ScriptFixture(Schema())
      fixture.services.files["a.json"] = Array(catalog.utf8)
      let result = try fixture.run("\(command)\nschema Book\nsave")
      #expect(result.errors == "", "\(result)")
      #expect(result.output.contains("author\t\(type)\t"), "\(result)")
      #expect(result.output.contains("saved: 2 inserted"), "\(result)")
      let note =
        "\nBook.author: links kept as text; use \"by id\" to keep identifiers and links\n"
      #expect(result.output.contains(note) == (type == "text"), "\(result)")
    }
  }
}
