import Foundation
import Testing

/// Links given and compared by values of the linked records.
@Suite struct LinkValueTests {
  private static let library = [
    "-e", "entity create Author name:text born:integer",
    "-e", "entity create Book title:text author:link:Author",
    "-e", #"insert Author name="Italo Calvino" born=1923"#, "-e",
    "insert Author name=Eco born=1932",
    "-e", #"insert Book title=Palomar author=name:"Italo Calvino""#,
    "-e", "insert Book title=Baudolino author=name:Eco",
  ]

  private func run(_ commands: [String], _ options: [String] = []) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    try folder.write("title,author.name\nZobeide,Eco\n", to: "new.csv")
    return try folder.run(
      ["memory:"] + options + Self.library + commands.flatMap { ["-e", $0] } + ["-e", "quit!"]
    )
  }

  private static let found: [(predicate: String, titles: String)] = [
    (#"author = name:"Italo Calvino""#, "Palomar"), ("author = name:'Italo Calvino'", "Palomar"),
    ("author != name:Eco and true", "Palomar"), ("author = born:1932", "Baudolino"),
    ("author in (name:Eco, born:1923)", "Palomar Baudolino"),
    (#"author = "name:Eco""#, "Baudolino"), ("author = name:$WHO", "Baudolino"),
    ("author=`name`:Eco or title = 'x'", "Baudolino"),
  ]

  @Test(arguments: found)
  func predicatesCompareLinksByValue(predicate: String, titles: String) throws {
    let run = try run(
      ["list Book where \(predicate) fields title"],
      ["--arg", "WHO", "Eco", "--no-header"]
    )
    #expect(
      run.output.split(separator: "\n").dropFirst(4).joined(separator: " ") == titles,
      "\(run)"
    )
  }

  @Test(arguments: [
    ("author = name:Ecco", "author: Author with name \"Ecco\" not found"),
    ("author = nam:Eco", "author: Author has no field \"nam\"; did you mean \"name\"?"),
    ("title = name:Eco", "unexpected \":\""),
  ])
  func unknownValuesAreErrors(predicate: String, message: String) throws {
    let run = try run(["list Book where \(predicate)"])
    #expect(run.status == 1 && run.errors.contains(message), "\(run)")
  }

  @Test func keysCanBeFieldsOfLinkedRecords() throws {
    let run = try run(
      [
        "import new.csv into Book by author.name",
        "upsert Book by author.name author=name:Eco title=Numero",
        #"insert Book {"title": "Marcovaldo", "author.name": "Italo Calvino"}"#,
        "list Book fields title,author.name",
      ]
    )
    #expect(
      run.output.hasSuffix(
        """
        imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted
        imported: 0 inserted, 1 updated, 0 unchanged, 0 deleted
        t5
        title\tauthor.name
        Palomar\tItalo Calvino
        Numero\tEco
        Marcovaldo\tItalo Calvino

        """
      ),
      "\(run)"
    )
  }

  @Test func storesAreComparedByTheRecordsThatLinksReferTo() throws {
    let folder = try TemporaryFolder()
    for name in ["a.json", "b.json"] {
      let made = try folder.run([name] + Self.library + ["-e", "save"])
      #expect(made.status == 0, "\(made)")
    }
    for keys in ["title", "author.name", "author.name,title"] {
      let same = try folder.run(["a.json", "-e", "diff b.json Book by \(keys)"])
      #expect(same.status == 0 && same.output == "", "\(keys): \(same)")
    }
    let changed = try folder.run(
      ["b.json", "-e", "set Book where title = 'Palomar' author=name:Eco", "-e", "save"]
    )
    #expect(changed.status == 0)
    let run = try folder.run(["a.json", "-e", "diff b.json Book by title"])
    #expect(run.status == 1 && run.errors.contains("1 difference: 0 added, 1 changed"), "\(run)")
    #expect(run.output.contains("Italo Calvino") && run.output.contains("Eco"))
  }

  @Test func aSchemaFileCanDescribeAPart() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"entities": [{"name": "Book", "attributes": [{"name": "title", "type": "text"},
        {"name": "author", "type": "link:Author"}, {"name": "year", "type": "integer"}]}]}
      """,
      to: "part.json"
    )
    let applied = try folder.run(
      ["memory:"] + Self.library + ["-e", "schema apply part.json", "-e", "quit!"]
    )
    #expect(applied.errors == "" && applied.output.contains("year"), "\(applied)")
    let checked = try folder.run(["memory:"] + Self.library + ["-e", "schema check part.json"])
    #expect(checked.output.contains("Book.year: missing field"), "\(checked)")
    let alone = try folder.run(["memory:", "-e", "schema apply part.json"])
    #expect(alone.errors.contains("Book.author: unknown entity \"Author\""), "\(alone)")
  }

  private func importing(_ text: String, _ name: String, _ commands: [String]) throws -> ProgramRun
  {
    let folder = try TemporaryFolder()
    try folder.write(text, to: name)
    return try folder.run(
      ["memory:", "--quiet", "--no-header"] + Self.library + commands.flatMap { ["-e", $0] }
        + ["-e", "list Book sort title fields title,author.name", "-e", "quit!"]
    )
  }

  private static let nested: [(text: String, name: String, command: String)] = [
    (
      #"[{"title": "Zobeide", "author": {"name": "Eco"}}]"#, "new.json", "import new.json into Book"
    ),
    (
      #"{"title": "Zobeide", "author": { "name" : "Eco", "born": 1932 }}"#, "new.jsonl",
      "import new.jsonl into Book by title"
    ),
    (
      #"{"title": "Zobeide", "author": {"born": 1932}}"#, "new.jsonl",
      "import new.jsonl into Book by title,author"
    ),
    (
      #"{"title": "Zobeide", "author": {"name": "Eco"}}"#, "new.jsonl",
      "each new.jsonl insert Book title=$title author=$author"
    ),
    ("", "new.jsonl", #"insert Book {"title": "Zobeide", "author": {"name": "Eco"}}"#),
    ("", "new.jsonl", #"upsert Book by title {"title": "Zobeide", "author": {"name": "Eco"}}"#),
    ("", "new.jsonl", #"insert Book title=Zobeide author='{"name": "Eco"}'"#),
  ]

  @Test(arguments: nested)
  func objectsNameLinkedRecords(text: String, name: String, command: String) throws {
    let run = try importing(text, name, [command])
    #expect(
      run.output == "Baudolino\tEco\nPalomar\tItalo Calvino\nZobeide\tEco\n",
      "\(run)"
    )
  }

  @Test func anObjectWithNullIsNoLink() throws {
    let run = try importing(
      #"{"title": "Zobeide", "author": {"name": null}}"#,
      "new.jsonl",
      ["import new.jsonl into Book"]
    )
    #expect(run.output.hasSuffix("Zobeide\t\n"), "\(run)")
  }

  @Test(arguments: [
    (#"{"name": "Kafka"}"#, #"author: Author with name "Kafka" not found"#),
    (#"{"name": "Eco", "born": 1}"#, #"author: Author with name "Eco", born "1" not found"#),
    (#"{"nam": "Eco"}"#, #"author: Author has no field "nam"; did you mean "name"?"#),
    (#"{"born": "x"}"#, "author: born: "), ("{}", "author: expected a value"),
    (#"{"name": "Twin"}"#, #"author: Author with name "Twin" is ambiguous ("#),
    (#"{"id": "zzzz", "name": "Eco"}"#, "author: expected the identifier alone"),
  ])
  func objectsThatNameNoOneRecordAreErrors(object: String, message: String) throws {
    for (command, place) in [
      ("import new.jsonl into Book", "new.jsonl:1:"),
      ("import new.jsonl into Book by title", "new.jsonl:1:"),
      ("insert Book {\"title\": \"Zobeide\", \"author\": \(object)}", "column "),
    ] {
      let run = try importing(
        "{\"title\": \"Zobeide\", \"author\": \(object)}\n",
        "new.jsonl",
        ["insert Author name=Twin", "insert Author name=Twin", command]
      )
      let line = run.errors.split(separator: "\n").first ?? ""
      #expect(run.status == 1 && line.contains(place) && line.contains(message), "\(run)")
    }
  }
}
