import CatalogApp
import OpenSwiftData
import Testing

/// Fields of linked records in columns, predicates and orders, and links that are given by a value.
@Suite struct LinkPathTests {
  private static let schema = Schema(
    Schema.Entity("Country", attributes: [Schema.Attribute("name", .text)]),
    Schema.Entity(
      "Author",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("born", .integer),
        Schema.Attribute("country", .link("Country")),
      ]
    ),
    Schema.Entity(
      "Book",
      attributes: [
        Schema.Attribute("title", .text), Schema.Attribute("author", .link("Author")),
        Schema.Attribute("readers", .links("Author")), Schema.Attribute("x.y", .text),
      ]
    )
  )

  private static let records = """
    insert Country name=Italy
    insert Country name=Poland
    insert Author name=Calvino born=1923 country=t1
    insert Author name=Lem born=1921 country=t2
    insert Author name=Homer
    insert Book title=Cosmicomics author=t3 readers=t4,t5
    insert Book title=Solaris author=t4 x.y=z
    insert Book title=Iliad author=t5
    insert Book title=Beowulf

    """

  private func fixture(isSaved: Bool = true) throws -> ScriptFixture {
    let fixture = try ScriptFixture(Self.schema, entityName: "Book")
    try fixture.run(Self.records + (isSaved ? "save" : ""))
    return fixture
  }

  private static let predicates: [(predicate: String, titles: [String])] = [
    ("author.name = 'Lem'", ["Solaris"]),
    ("author.name != 'Lem'", ["Beowulf", "Cosmicomics", "Iliad"]),
    ("author.born < 1922", ["Solaris"]), ("author.born is null", ["Beowulf", "Iliad"]),
    ("author.born is not null", ["Cosmicomics", "Solaris"]),
    ("author.name contains[c] 'L' and title != 'x'", ["Cosmicomics", "Solaris"]),
    ("not author.name beginswith 'C'", ["Beowulf", "Iliad", "Solaris"]),
    ("author.born between 1920 and 1922", ["Solaris"]),
    ("author.name in ('Lem', 'Homer')", ["Iliad", "Solaris"]),
    ("author.country.name = 'Italy'", ["Cosmicomics"]),
    ("author.country.name != 'Italy'", ["Beowulf", "Iliad", "Solaris"]),
    ("`author.name` = 'Lem' or x.y = 'z'", ["Solaris"]), ("title = 'author.name'", []),
    ("author.country is null", ["Beowulf", "Iliad"]),
    ("author = 'name:Lem'", ["Solaris"]),
    ("author.country = 'name:Poland'", ["Solaris"]),
  ]

  @Test(arguments: [true, false], predicates)
  func predicatesFollowLinks(isSaved: Bool, example: (predicate: String, titles: [String])) throws {
    let fixture = try fixture(isSaved: isSaved)
    let result = try fixture.run(
      "list where \(example.predicate) sort title fields title\ncount where \(example.predicate)"
    )
    let expected = ["title"] + example.titles + ["\(example.titles.count)", ""]
    #expect(result.output == expected.joined(separator: "\n"), "\(result)")
  }

  @Test func columnsAndOrdersFollowLinks() throws {
    let result = try fixture().run(
      """
      list sort -author.born,title fields title,author.born,author.country.name
      list sort author.name limit 2 offset 1 fields title,author.name
      export books.csv sort author.name fields author.name,title
      freq author.country.name
      stats author.born
      """
    )
    #expect(
      result.output == """
        title\tauthor.born\tauthor.country.name
        Cosmicomics\t1923\tItaly
        Solaris\t1921\tPoland
        Beowulf\t\t
        Iliad\t\t
        title\tauthor.name
        Iliad\tHomer
        Solaris\tLem
        value\tcount
        \t2
        Italy\t1
        Poland\t1
        statistic\tvalue
        count\t2
        missing\t2
        distinct\t2
        min\t1921
        max\t1923
        mean\t1922
        sum\t3844

        """,
      "\(result)"
    )
  }

  @Test func changesAreSeenThroughLinks() throws {
    let fixture = try fixture()
    let result = try fixture.run(
      """
      set Author where name = 'Lem' name=L
      set where author.name = 'L' title=New
      delete Author where name = 'Homer'
      list where author.name = 'L' or author.name is null sort title fields title,author.name
      """
    )
    #expect(
      result.output.hasSuffix("\ntitle\tauthor.name\nBeowulf\t\nIliad\t\nNew\tL\n"),
      "\(result)"
    )
  }

  @Test(arguments: [
    (
      "list where author.nmae = 'x'",
      "column 12: Author has no field \"nmae\"; did you mean \"name\"?"
    ),
    ("list fields title,author.nmae", "column 19: Author has no field \"nmae\""),
    ("list sort author.country.x", "column 11: Country has no field \"x\""),
    ("list where title.x = 'a'", "column 12: Book has no field \"title.x\""),
    (
      "list where readers.name = 'a'",
      "column 12: Book.readers links to several records; a path needs links to one record"
    ),
    (
      "list where author.name = title",
      "author.name: a field of a linked record can only be compared with a value"
    ), ("list where author.born = 'a'", "column 26: field \"author.born\" has type integer"),
    ("insert title=x author=name:Bob", "column 23: author: Author with name \"Bob\" not found"),
    ("insert author=born:x", "column 15: author: born: \"x\" is not a whole number"),
    (
      "insert Author country=name:Italy",
      "column 23: country: Country with name \"Italy\" is ambiguous ("
    ),
  ])
  func wrongPathsAndValuesAreOneLine(line: String, message: String) throws {
    let fixture = try fixture()
    let result = try fixture.run("insert Country name=Italy\n\(line)")
    #expect(result.errors.hasPrefix("2: \(message)"), "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func linksAreGivenByValue() throws {
    let fixture = try fixture()
    fixture.services.files["books.csv"] = Array(
      "book,who\nThe Cyberiad,Lem\n\"Odyssey\",Homer\nEdda,\n".utf8
    )
    fixture.services.files["more.csv"] = Array("title,author\nFiasco,name:Lem\n".utf8)
    let result = try fixture.run(
      """
      each books.csv insert title=$book author=name:$who
      import more.csv
      set where title = 'Beowulf' author=name:"Lem" readers="name:Lem, born:1923"
      list where title in ('The Cyberiad', 'Odyssey', 'Edda', 'Fiasco', 'Beowulf') sort title fields title,author.name
      list where readers is not null sort title fields title
      """
    )
    #expect(
      result.output.hasSuffix(
        """
        title\tauthor.name
        Beowulf\tLem
        Edda\t
        Fiasco\tLem
        Odyssey\tHomer
        The Cyberiad\tLem
        title
        Beowulf
        Cosmicomics

        """
      ),
      "\(result)"
    )
  }

  @Test func exportedPathsAreImported() throws {
    let fixture = try fixture()
    fixture.services.files["wrong.csv"] = Array("title,author.nmae\nA,Lem\n".utf8)
    fixture.services.files["twice.csv"] = Array("author,author.name\n,Lem\n".utf8)
    fixture.services.files["none.csv"] = Array("title,author.name\nA,Lem\nB,Bob\n".utf8)
    let result = try fixture.run(
      """
      export books.jsonl sort title fields title,author.name
      export books.csv sort title fields title,author.name
      delete where true
      import books.csv
      import books.jsonl by title
      set where true author=
      import books.jsonl by title
      list sort title fields title,author.name
      import wrong.csv
      import wrong.csv by title
      import twice.csv
      import none.csv by title
      import none.csv
      """,
      keepsGoing: true
    )
    #expect(
      result.output == """
        imported 4 records into Book
        imported: 0 inserted, 0 updated, 4 unchanged, 0 deleted
        imported: 0 inserted, 3 updated, 1 unchanged, 0 deleted
        title\tauthor.name
        Beowulf\t
        Cosmicomics\tCalvino
        Iliad\tHomer
        Solaris\tLem

        """,
      "\(result)"
    )
    #expect(
      result.errors == """
        9: wrong.csv:1:7: Author has no field "nmae"; did you mean "name"?
        10: wrong.csv:1:7: Author has no field "nmae"; did you mean "name"?
        11: twice.csv:1:8: author.name: duplicate field "author"
        12: none.csv:3:3: author: Author with name "Bob" not found
        13: none.csv:3:3: author: Author with name "Bob" not found

        """,
      "\(result)"
    )
  }

  /// Many links are looked up in an index, which must not miss what the same command has changed.
  @Test func manyLinksSeeTheChangesOfTheirCommand() throws {
    let fixture = try fixture()
    let names = (0..<30).map { "A\($0)" }
    fixture.services.files["authors.csv"] = Array(
      (["name"] + names).joined(separator: "\n").utf8
    )
    fixture.services.files["books.csv"] = Array(
      (["title,author"] + (0..<200).map { "B\($0),name:A\($0 % 30)" }).joined(separator: "\n").utf8
    )
    fixture.services.files["chain.csv"] = Array(
      (["name,next"] + (1..<20).map { "C\($0 - 1),C\($0)" }).joined(separator: "\n").utf8
    )
    let result = try fixture.run(
      """
      import authors.csv into Author
      import books.csv into Book
      count where author.name = 'A29'
      entity create Link name:text next:link:Link
      insert Link name=C0
      each chain.csv insert Link name=$next next=name:$name
      count Link where next is not null
      list Link where next.next.name = 'C0' fields name
      """
    )
    #expect(result.output.hasSuffix("19\nname\nC2\n"), "\(result)")
    #expect(result.output.contains("imported 200 records into Book\n6\n"), "\(result)")
  }
}
