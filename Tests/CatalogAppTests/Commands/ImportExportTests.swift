import CatalogApp
import DataStoreTesting
import OpenSwiftData
import Testing

@Suite struct ImportExportTests {
  private static let titles = "list fields id,title,releaseYear,director,seen"

  static let files: [(path: String, content: String)] = [
    (
      "a.csv",
      "\u{FEFF}id,title,releaseYear,director\r\nx1,Up,2009,\r\ny,\"Say \"\"hi\"\",\nyou\",,\"\"\r\n"
    ),
    ("a.tsv", "title\treleaseYear\tdirector\nUp\t2009\t\nSay \"hi\",\\nyou\t\t\"\"\n"),
    (
      "a.json",
      "[{\"title\": \"Up\", \"releaseYear\": 2009},\n {\"id\": 7, \"director\": \"\", \"title\": \"Say \\\"hi\\\",\\nyou\"}]"
    ),
    (
      "a.jsonl",
      "{\"title\": \"Up\", \"releaseYear\": 2009}\n\n{\"director\": \"\", \"title\": \"Say \\\"hi\\\",\\u000ayou\"}\n"
    ),
    (
      "b.json",
      "{\"Film\": [{\"title\": \"Up\", \"releaseYear\": 2009, \"director\": null}, {\"title\": \"Say \\\"hi\\\",\\nyou\", \"director\": \"\"}]}"
    ),
  ]

  @Test(arguments: files.indices)
  func everyFormatIsImported(index: Int) throws {
    let fixture = try ScriptFixture(format: .jsonl)
    let (path, content) = Self.files[index]
    fixture.services.files[path] = Array(content.utf8)
    let result = try fixture.run("import \(path)\n\(Self.titles)\nundo\ncount")
    let left = index == 0 || index == 2 ? " (column \"id\" ignored)" : ""
    #expect(
      result.output == """
        imported 2 records into Film\(left)
        {"id": "t1", "title": "Up", "releaseYear": 2009, "director": null, "seen": false}
        {"id": "t2", "title": "Say \\"hi\\",\\nyou", "releaseYear": null, "director": "", "seen": false}
        0

        """
    )
    #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("note: ") })
  }

  static let wrong: [(path: String, content: [UInt8], message: String)] = [
    (
      "a.csv", Array("title,releaseYear\nUp,2009\n\"a\nb\",2010\nSoul,abc\n".utf8),
      "a.csv:5:6: releaseYear: \"abc\" is not a whole number"
    ),
    (
      "a.csv", Array("titel,year\nUp,2009\n".utf8),
      "a.csv:1:1: Film has no fields \"titel\", \"year\""
    ),
    (
      "a.csv", Array("titel\nUp\n".utf8),
      "a.csv:1:1: Film has no field \"titel\"; did you mean \"title\"?"
    ),
    (
      "a.csv", Array("title,releaseYear\nUp".utf8),
      "a.csv:2:1: 1 value, but the header has 2 fields"
    ),
    ("a.csv", Array("title\n\"Up\n".utf8), "a.csv:2:1: unclosed quote"),
    (
      "a.csv", Array("title,releaseYear\n\"Up\"x,1\n".utf8),
      "a.csv:2:5: text after the closing quote"
    ),
    ("a.csv", Array("title,title\n".utf8), "a.csv:1:7: duplicate column \"title\""),
    ("a.csv", Array("title,\n".utf8), "a.csv:1:7: column 2 has no name"),
    ("a.csv", [], "a.csv:1: empty file; the first line must name the fields"),
    ("a.csv", Array("title\né\n".utf8) + [0xFF], "a.csv:3:1: invalid UTF-8, but other characters"),
    ("a.csv", Array("director\nx\n".utf8), "a.csv:2: title: a value is required"),
    ("a.json", Array("[{\"title\": 3}]".utf8), "a.json:1:12: title: 3 is not a valid text"),
    (
      "a.json", Array("[{\"title\": \"x\",\n\"title\": \"y\"}]".utf8),
      "a.json:2:1: invalid JSON: duplicate key \"title\""
    ),
    (
      "a.json", Array("[\n{\"title\": }]".utf8),
      "a.json:2:11: invalid JSON: expected a value"
    ),
    (
      "a.json", Array("42".utf8),
      "a.json:1:1: expected an array of objects, or an object of such arrays"
    ),
    ("a.json", Array("[1]".utf8), "a.json:1:2: expected an object for each record"),
    ("a.json", Array("[] []".utf8), "a.json:1:4: invalid JSON: unexpected text after the end"),
    ("a.json", Array("[{\"title\": \"\\ud800\"}]".utf8), "unpaired surrogate"),
    (
      "a.jsonl", Array("{\"title\": \"a\"}\n{\"seen\": 1}\n".utf8),
      "a.jsonl:2:10: seen: 1 is not a valid boolean"
    ),
  ]

  @Test(arguments: wrong.indices)
  func oneBadRowIsNamedAndNothingIsAdded(index: Int) throws {
    let fixture = try ScriptFixture()
    let (path, content, message) = Self.wrong[index]
    fixture.services.files[path] = content
    let result = try fixture.run("import \(path)")
    #expect(result.errors.hasPrefix("1: "))
    #expect(result.errors.contains(message), "\(result)")
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
    #expect(result.status == 1)
    #expect(fixture.session.context.hasChanges == false)
  }

  @Test func aMissingEntityIsMadeFromTheFile() throws {
    let fixture = try ScriptFixture(Schema())
    fixture.services.files["parts/bolts.csv"] = Array(
      "id,code,count,price,size,ok,since,at,note\n1,007,3,1.50,1e3,true,2009-05-29,2009-05-29T10:00:00Z,\n2,8,-4,2,2.5,false,,,\n"
        .utf8
    )
    let result = try fixture.run(
      "import parts/bolts.csv\nschema\nlist fields id,code,price,size"
    )
    #expect(
      result.output == """
        imported 2 records into bolts (column "id" ignored)
        field\ttype\trequired\tunique\tdefault
        code\ttext\tfalse\tfalse\t
        count\tinteger\tfalse\tfalse\t
        price\tdecimal\tfalse\tfalse\t
        size\tdecimal\tfalse\tfalse\t
        ok\tboolean\tfalse\tfalse\t
        since\tdate\tfalse\tfalse\t
        at\tdatetime\tfalse\tfalse\t
        note\ttext\tfalse\tfalse\t
        id\tcode\tprice\tsize
        t1\t007\t1.5\t1000
        t2\t8\t2\t2.5

        """
    )
  }

  @Test(arguments: [
    ("id,name\n7,Ann\n8,Bob\n", "id,name", "imported 2 records into p"),
    (
      "id,name\n1,Ann\n2,Bob\n", "name",
      "imported 2 records into p (column \"id\" ignored)"
    ),
    ("id,name\ncasxppw2v6nzamj1,Ann\n0rwc7553wcj3bmj1,Bob\n", "name", "imported 2 records into p"),
    (
      "_id,id,name\n1,7,Ann\n2,8,Bob\n", "id,name",
      "imported 2 records into p (column \"_id\" ignored)"
    ),
  ])
  func aColumnOfIdentifiersIsLeftOutAndAnyOtherIsAField(text: String, fields: String, said: String)
    throws
  {
    let fixture = try ScriptFixture(Schema())
    fixture.services.files["p.csv"] = Array(text.utf8)
    let result = try fixture.run("import p.csv")
    #expect(result.output == said + "\n")
    let entity = try fixture.session.context.schema.entity(named: "p")
    #expect(entity.layout.names.joined(separator: ",") == fields)
    fixture.services.files["q.csv"] = Array("id,name\n99,Cid\n".utf8)
    let more = try fixture.run("import q.csv into p")
    #expect(more.output.contains("(column \"id\" ignored)") == !fields.contains("id"), "\(more)")
  }

  @Test func aNewEntityIsUnsavedLikeItsRecords() throws {
    let fixture = try ScriptFixture.withFilms()
    fixture.services.files["a.json"] = Array("[{\"name\": \"Pixar\", \"tags\": [1, 2]}]".utf8)
    let result = try fixture.run("set t1 seen=false\nimport a.json into Studio\nlist Studio")
    #expect(result.output == "imported 1 record into Studio\nid\tname\ttags\nt4\tPixar\t[1,2]\n")
    let undone = try fixture.run("undo\nentities\nredo\ncount Studio\nrollback\nentities")
    #expect(
      undone.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == [
        "name", "Film", "1", "name", "Film",
      ]
    )
  }

  // Covers G14, H10.
  @Test(arguments: ["x.csv", "x.tsv", "x.json", "x.jsonl"])
  func nastyTextSurvivesExportAndImport(path: String) throws {
    let seed = SeededGenerator.testSeed
    print("seed", seed)
    var generator = SeededGenerator(seed: seed)
    let schema = Schema(
      Schema.Entity(
        "Note",
        attributes: [
          Schema.Attribute("text, \"quoted\"", .text), Schema.Attribute("other", .text),
          Schema.Attribute("number", .number),
        ]
      )
    )
    let fixture = try ScriptFixture(schema)
    let entity = try fixture.session.entity()
    // Without quotes, a NUL character would make the file one that is no text.
    let refused: Set<Unicode.Scalar> = path == "x.tsv" ? ["\0"] : []
    func text() -> Value {
      var scalars = NastyText.random(&generator).unicodeScalars
      scalars.removeAll { refused.contains($0) }
      return .text(String(scalars))
    }
    for _ in 0..<200 {
      let record = Record(entity: entity)
      try record.set(text(), for: "text, \"quoted\"")
      try record.set(generator.chance(30) ? .null : text(), for: "other")
      try record.set(.number(Double.random(in: -1e9...1e9, using: &generator)), for: "number")
      fixture.session.context.insert(record)
    }
    let before = try fixture.session.context.fetchSnapshots(matching: Query("Note"))
    let result = try fixture.run("export \(path)\ndelete where other != \"~\"\nimport \(path)")
    #expect(
      result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("note: ") },
      "seed \(seed): \(result.errors)"
    )
    let after = try fixture.session.context.fetchSnapshots(matching: Query("Note"))
    #expect(after.map(\.orderedValues) == before.map(\.orderedValues), "seed \(seed)")
  }

  /// A quote at the beginning of a value encloses it, and the lines up to the next quote.
  @Test func quotesAtTheBeginningOfTabSeparatedValuesAreReadBack() throws {
    let schema = Schema(
      Schema.Entity(
        "Note",
        attributes: [Schema.Attribute("\"q\"", .text), Schema.Attribute("data", .json)]
      )
    )
    let fixture = try ScriptFixture(schema)
    let entity = try fixture.session.entity()
    for (text, json) in [
      ("\"open", "\"1\""), ("mid", "\"[1]\""), ("close\"", "\"null\""), ("\"quoted\"", "1"),
      ("\"", "[1]"), ("\"\"", "\"\""), ("", "{}"), ("\\\"", "true"), (" \"\"", "1"), ("  \"a", "2"),
    ] {
      let record = Record(entity: entity)
      try record.set(.text(text), for: "\"q\"")
      try record.set(Value(parsing: json, as: .json), for: "data")
      fixture.session.context.insert(record)
    }
    let before = try fixture.session.context.fetchSnapshots(matching: Query("Note"))
    let result = try fixture.run("export x.tsv\ndelete where true\nimport x.tsv")
    #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("note: ") })
    let after = try fixture.session.context.fetchSnapshots(matching: Query("Note"))
    #expect(after.map(\.orderedValues) == before.map(\.orderedValues))
  }

  @Test func exportWritesWhatWasAskedFor() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run(
      "export out.csv Film where releaseYear > 2005 sort -title fields title,boxOffice",
      echoesNotes: true
    )
    #expect(result.output == "exported 2 records to out.csv\n")
    #expect(
      fixture.services.text("out.csv")?.normalized
        == "title,boxOffice\r\nUp,735.1\r\nSoul,\r\n"
    )
  }

  @Test func saveAsCopiesEverythingWithItsLinks() throws {
    let fixture = try ScriptFixture(ScriptFixture.linked, entityName: "Film")
    try fixture.run(
      """
      insert Studio name=Pixar
      insert title="Toy Story" studio=t1 notes='{"a": [1, 2.50]}'
      save
      insert title="Toy Story 2" studio=t1 sequels="t2 t2"
      """
    )
    let result = try fixture.run("saveas other:place\nstatus")
    #expect(result.output.hasPrefix("saved 3 records to other:place\nstore: films\n"))
    #expect(result.output.contains("unsaved: 1"))
    let container = try #require(fixture.services.stores["other:place"])
    let copy = ModelContext(container)
    let films = try copy.fetchSnapshots(matching: Query("Film"))
    let studios = try copy.fetchIdentifiers(matching: Query("Studio"))
    #expect(films.map { $0["title"] } == [.text("Toy Story"), .text("Toy Story 2")])
    #expect(films.map { $0["studio"] } == [.link(studios[0]), .link(studios[0])])
    let first = films[0].persistentIdentifier
    #expect(films[1]["sequels"] == .links([first, first]))
    #expect(films[0]["notes"] == .json("{\"a\":[1,2.50]}"))
    #expect(
      try fixture.run("saveas other:place").errors
        == "1: \"other:place\" already has Studio records; choose another name, or use --replace, "
        + "or the word replace after the name\n"
    )
  }
}
