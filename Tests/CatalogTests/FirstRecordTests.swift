import Testing

/// The first record of a file without fields, and what leads to it.
@Suite struct FirstRecordTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("[]\n", to: "x.json")
    try folder.write("", to: "x.jsonl")
    try folder.write("", to: "x.csv")
    try folder.write("{\"films\": []}\n", to: "films.json")
    try folder.write("{}\n", to: "none.json")
    try folder.write("[{\"title\": \"Up\"}]\n", to: "up.json")
    try folder.write("", to: "x.db")
    try folder.write("", to: "x.catlog")
  }

  /// The file, the command, and the file after the save.
  static let inserted: [(file: String, line: String, text: String)] = [
    ("x.json", "insert title=Up year=2009", "[\n  {\"title\": \"Up\", \"year\": 2009}\n]\n"),
    ("x.json", "insert x title=Up seen=true", "[\n  {\"title\": \"Up\", \"seen\": true}\n]\n"),
    ("x.json", "insert year=\"2009\"", "[\n  {\"year\": \"2009\"}\n]\n"),
    ("x.json", "insert id=1 title=Up", "[\n  {\"id\": 1, \"title\": \"Up\"}\n]\n"),
    (
      "x.json", "insert {\"title\": \"Up\", \"tags\": [1, 2], \"n\": \"7\"}",
      "[\n  {\"title\": \"Up\", \"tags\": [1,2], \"n\": \"7\"}\n]\n"
    ),
    (
      "x.json", "upsert by title title=Up year=2009",
      "[\n  {\"title\": \"Up\", \"year\": 2009}\n]\n"
    ),
    ("x.jsonl", "insert title=Up", "{\"title\": \"Up\"}\n"),
    ("x.csv", "insert title=\"Up, up\" year=2009", "title,year\n\"Up, up\",2009\n"),
    ("new.csv", "insert title=Up year=2009", "title,year\nUp,2009\n"),
    ("new.jsonl", "insert {\"title\": \"Up\"}", "{\"title\": \"Up\"}\n"),
    ("new.csv", "insert new title=Up", "title\nUp\n"),
    ("new.csv", "upsert by title title=Up year=2009", "title,year\nUp,2009\n"),
    ("new.tsv", "upsert new by title year=2009 title=Up", "year\ttitle\n2009\tUp\n"),
    ("new.jsonl", "upsert by title {\"title\": \"Up\"}", "{\"title\": \"Up\"}\n"),
    ("films.json", "insert films title=Up", "{\"films\": [\n    {\"title\": \"Up\"}\n  ]}\n"),
  ]

  @Test(arguments: inserted)
  func theFirstRecordBringsItsFields(file: String, line: String, text: String) throws {
    let run = try folder.run([file, "-e", line, "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read(file) == text, "\(run)")
  }

  @Test func oneUndoRemovesTheRecordAndItsFields() throws {
    let run = try folder.run(["x.json", "-e", "insert title=Up", "-e", "undo", "-e", "schema"])
    #expect(run.status == 0 && !run.output.contains("title:"), "\(run)")
    let keys = try folder.run(
      ["x.json", "--keys", "-"],
      input: "\":insert title=Up\" Enter w : \"insert titel=Soul\" Enter"
    )
    #expect(keys.output.contains("x has no field \"titel\"; did you mean \"title\"?"), "\(keys)")
    #expect(try folder.read("x.json") == "[\n  {\"title\": \"Up\"}\n]\n")
  }

  @Test func rowsWithKeysBringTheirFields() throws {
    try folder.write("title,year\nUp,2009\nSoul,2020\nUp,2010\n", to: "rows.csv")
    let run = try folder.run(
      ["n.csv", "-e", "each rows.csv upsert by title title=$title year=$year", "-e", "save"]
    )
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("n.csv") == "title,year\nUp,2010\nSoul,2020\n")
  }

  @Test func rowsBringTheirFields() throws {
    try folder.write("title,year\nUp,2009\nSoul,2020\n", to: "rows.csv")
    let run = try folder.run(
      ["x.json", "-e", "each rows.csv insert title=$title year=$year", "-e", "save"]
    )
    #expect(run.status == 0, "\(run)")
    #expect(
      try folder.read("x.json")
        == "[\n  {\"title\": \"Up\", \"year\": 2009},\n  {\"title\": \"Soul\", \"year\": 2020}\n]\n"
    )
  }

  /// A field that is misspelled later is an error, as before.
  @Test(arguments: [
    ("up.json", "insert titel=Soul", "up has no field \"titel\"; did you mean \"title\"?"),
    ("x.json", "insert Film title=Up", "unknown entity \"Film\"; available: x"),
    ("x.json", "insert title=Up title=Soul", "duplicate field \"title\""),
    ("x.json", "upsert by year title=Up", "missing value of the key field \"year\""),
    (
      "none.json", "insert Film title=Up",
      "unknown entity \"Film\"; no entities yet; create it with \"entity create Film FIELD:TYPE …\""
    ),
    (
      "nope.db", "insert Film title=Up",
      "unknown entity \"Film\"; no entities yet: nope.db does not exist; create it with \"entity"
    ),
    (
      "new.db", "insert title=Up",
      "no entities yet: new.db does not exist; create one with \"entity create NAME FIELD:TYPE …\""
    ),
    ("x.db", "upsert Film by title title=Up", "create it with \"entity create Film FIELD:TYPE …\""),
    ("x.catlog", "status", "empty file, not a log; to create one, use a name that does not exist"),
    ("memory:", "insert title=Up", "or \"import FILE into NAME\""),
    ("new.csv", "upsert other by title title=Up", "unknown entity \"other\""),
    ("new.csv", "upsert by year title=Up", "missing value of the key field \"year\""),
  ])
  func theMessageLeadsOn(file: String, line: String, message: String) throws {
    let run = try folder.run([file, "-e", line])
    #expect(run.status != 0 && run.errors.contains(message), "\(run)")
  }

  /// The commands that create the entity of a new file; the file keeps no other name.
  @Test(arguments: [
    "import people.csv into Item", "import people.csv into Item by name",
    "entity create Item name:text", "schema apply item.schema", "import items.json",
  ])
  func theEntityOfANewFileOfOneEntityHasItsName(line: String) throws {
    try folder.write("name,age\nAda,1\n", to: "people.csv")
    try folder.write("{\"Item\": [{\"name\": \"Ada\"}]}", to: "items.json")
    let schema = [
      "memory:", "-e", "entity create Item name:text", "-e", "schema export item.schema",
    ]
    #expect(try folder.run(schema + ["-e", "quit!"]).status == 0)
    for file in ["out.csv", "out.jsonl"] {
      let run = try folder.run([file, "-e", line, "-e", "save"])
      let advice =
        "\(file) holds one entity, which is named after the file: use \"out\" instead of \"Item\""
      #expect(run.status == 1 && run.errors.contains(advice), "\(run)")
      #expect(try !folder.names().contains(file))
    }
  }

  @Test(arguments: ["import people.csv by name", "import people.csv into out by name"])
  func anImportIntoANewFileIsTheSameEachNight(line: String) throws {
    try folder.write("name,age\nAda,1\n", to: "people.csv")
    for file in ["out.csv", "out.jsonl"] {
      for count in ["1 inserted, 0 updated, 0 unchanged", "0 inserted, 0 updated, 1 unchanged"] {
        let run = try folder.run([file, "-e", line, "-e", "status", "-e", "save"])
        #expect(run.status == 0 && run.output.contains(count), "\(run)")
        #expect(run.output.contains("\nout: 1\n"), "\(run)")
      }
    }
  }

  static let noFields = "x has no fields yet; use :insert NAME=VALUE … or :import FILE into x"
  static let noEntities =
    "no entities; use :entity create NAME FIELD:TYPE or :import FILE into NAME"

  /// The keys, and the message.
  @Test(arguments: [
    ("x.json", "a", "add: \(noFields)"), ("x.json", "i", "edit: \(noFields)"),
    ("x.csv", "a", "add: \(noFields)"), ("x.csv", "Enter", "open: \(noFields)"),
    ("x.json", "s", "sort: \(noFields)"), ("x.json", "f", "filter: \(noFields)"),
    ("x.json", "F", "counts: \(noFields)"), ("x.db", "i", "edit: \(noEntities)"),
    ("new.catlog", "a", "add: \(noEntities)"), ("memory:", "i", "edit: \(noEntities)"),
    ("up.json", "d w i", "edit: no records; press a to add one, or :import FILE"),
    ("up.json", "f zzz Enter i", "edit: no record matches the filter; press Esc to clear it"),
  ])
  func theKeysLeadOn(file: String, keys: String, message: String) throws {
    let run = try folder.run([file, "--keys", "-", "--size", "140x24"], input: keys)
    #expect(run.output.contains("\n\(message)\n"), "\(run.output)")
  }
}
