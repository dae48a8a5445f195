import Foundation
import Testing

/// Import of files with several arrays, long numbers, and times without a zone.
@Suite struct ImportShapeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func put(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
  }

  private func run(_ commands: String...) throws -> ProgramRun {
    try folder.run(["memory:"] + commands.flatMap { ["-e", $0] })
  }

  /// The output without record identifiers, which differ in each run.
  private func plain(_ run: ProgramRun) -> String {
    run.output.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.replacing(/^(id|t[0-9]+|[0-9a-z]{16})\t/, with: "")
    }.joined(separator: "\n")
  }

  @Test func aDuplicateKeyOfALinkIsShownAsItsValue() throws {
    let folder = try TemporaryFolder()
    try folder.write("name,country.code\nX,DE\nY,DE\n", to: "twice.csv")
    try folder.write("name,country.code\nX,DE\n", to: "once.csv")
    let run = try folder.run(
      ["memory:", "--keep-going"]
        + [
          "entity create Country code:text", "entity create City name:text country:link:Country",
          "insert Country code=DE", "insert City name=A country=code:DE",
          "insert City name=B country=code:DE", "save",
          "import twice.csv into City by country.code",
          "import once.csv into City by country.code",
        ].flatMap { ["-e", $0] }
    )
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 2, "\(run)")
    #expect(lines[0].contains("duplicate key country.code \"DE\"; line 2 has it"), "\(run)")
    #expect(lines[1].contains("duplicate key country.code \"DE\" in the store"), "\(run)")
  }

  @Test(arguments: [
    (
      "import a.csv by n",
      "a value inside JSON cannot be imported alone, only the whole field \"u\""
    ),
    ("import a.csv", "a value inside JSON cannot be imported alone, only the whole field \"u\""),
    ("import a.json by u.login", "\"u.login\" is a value inside JSON, which cannot be a key"),
    ("upsert by u.login n=1", "\"u.login\" is a value inside JSON, which cannot be a key"),
  ])
  func pathsIntoJSONAreNoColumns(command: String, message: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("[{\"n\":1,\"u\":{\"login\":\"a\"}}]", to: "a.json")
    try folder.write("n,u.login\n1,b\n", to: "a.csv")
    let run = try folder.run(["a.json", "-e", command])
    #expect(run.status == 1 && run.errors.contains(message), "\(run)")
  }

  @Test func everyArrayOfAFileIsAnEntity() throws {
    try put("two.json", #"{"A":[{"x":1},{"x":2}],"B":[{"y":"a"}]}"#)
    let result = try run("import two.json", "list A fields id,x", "list B fields id,y")
    #expect(
      plain(result) == """
        imported 2 records into A
        imported 1 record into B
        x
        1
        2
        y
        a

        """
    )
  }

  @Test func severalArraysAreNotMixedIntoOneEntity() throws {
    try put("two.json", #"{"A":[{"x":1}],"B":[{"y":"a"}]}"#)
    let result = try run("import two.json into E", "entities")
    #expect(result.status == 1)
    #expect(result.errors.contains("several entities (A, B)"), "\(result.errors)")
    #expect(result.errors.contains("omit \"into\""))
    try put("one.json", #"{"A":[{"x":1}]}"#)
    #expect(try run("import one.json into E").output == "imported 1 record into E\n")
  }

  /// Formerly, the array that happened to have objects was taken: an answer without items made records of its errors,
  /// and a mirror deleted all others.
  @Test(arguments: [
    (#"{"items":[],"errors":[{"a":3}]}"#, "import f.json into f by a mirror"),
    (#"{"items":[],"errors":[{"a":3}],"total":0}"#, "import f.json into f by a mirror"),
    (#"{"items":[{"a":3}],"errors":[{"a":4}],"total":1}"#, "import f.json into f"),
    (#"{"items":[{"a":3}],"errors":[]}"#, "import f.json into f"),
    (#"{"items":[],"errors":[{"a":1}]}"#, "each f.json delete where a = $a"),
  ])
  func oneOfSeveralArraysMustBeNamed(json: String, command: String) throws {
    try put("f.json", json)
    try put("f.csv", "a\n1\n2\n")
    let run = try folder.run(["f.csv", "-e", command])
    #expect(run.status == 1, "\(run)")
    #expect(
      run.errors.contains("several entities (items, errors); name one, as in \"f.json#items\""),
      "\(run)"
    )
    let named = try folder.run([
      "f.csv", "-e", command.replacing("f.json", with: "f.json#errors"), "-e", "quit!",
    ])
    #expect(named.status == 0, "\(named)")
  }

  @Test(arguments: [
    (#"{"items":[{"a":1}]} x"#, "1:21: invalid JSON: unexpected text after the end"),
    (#"{"items":[{"a":1}],"items":[{"a":2}]}"#, "1:20: invalid JSON: duplicate key"),
    (#"{"items":[{"a":1}],"b":NaN,"items":[]}"#, "1:28: invalid JSON: duplicate key"),
  ])
  func aPartOfAnInvalidDocumentIsNotRead(json: String, message: String) throws {
    try put("f.json", json)
    let result = try run("import f.json#items")
    #expect(result.status == 1 && result.errors.contains(message), "\(result)")
    let opened = try folder.run(["f.json#items", "-e", "count"])
    let place = message.prefix { $0 != " " }.dropLast().replacing(":", with: ", column ")
    #expect(opened.status == 4 && opened.errors.contains("line \(place)"), "\(opened)")
  }

  @Test(arguments: [
    (#"{"items":[{"a":NaN}],"b":[NaN]}"#, "import f.json#items"),
    (#"{"items":[{"a":NaN}],"b":1}"#, "import f.json"), (#"{"f":[{"a":NaN}]}"#, "import -"),
  ])
  func notANumberIsMissingInAPart(json: String, command: String) throws {
    try put("f.json", json)
    let result = try folder.run(
      ["memory:", "-e", command, "-e", "count f where a is null", "-e", "quit!"],
      input: json
    )
    #expect(result.output.hasSuffix("\n1\n"), "\(result)")
    #expect(result.errors.contains("NaN or Infinity in 1 value: read as missing"), "\(result)")
    if command.contains("#") {
      #expect(try folder.run(["f.json#items", "-e", "count where a is null"]).output == "1\n")
    }
  }

  @Test(arguments: ["csv", "json"])
  func longNumbersKeepTheirDigits(ending: String) throws {
    let numbers = [
      "9007199254740993", "0.1234567890123456789", "1e-400", "1e400", "0.10000000000000001",
      "1e300",
    ]
    for number in numbers {
      try put("a.\(ending)", ending == "csv" ? "n\n\(number)\n" : "[{\"n\":\(number)}]")
      let result = try run("import a.\(ending)", "list fields id,n")
      // The text as written, or the same number in the form of a decimal.
      let shown = plain(result).split(separator: "\n").last.map(String.init)
      let same = number == "1e300" ? "1e+300" : number
      #expect(shown == same, "\(number): \(result)")
    }
  }

  @Test func aLongNumberIsRefusedByANumberField() throws {
    try put("a.csv", "n\n1.5\n0.1234567890123456789\n")
    let result = try run("entity create E n:number", "import a.csv", "count")
    #expect(result.status == 1)
    #expect(result.errors.contains("a.csv:3:1: n: \"0.1234567890123456789\""), "\(result.errors)")
  }

  @Test(arguments: ["csv", "json"])
  func timesWithoutAZoneStayTextInANewEntity(ending: String) throws {
    let csv = "a,b,c\n2020-01-01 10:00,2020-01-01T10:00Z,x\n2020-01-01T10:00:00+02:00,,\n"
    let json = """
      [{"a":"2020-01-01 10:00","b":"2020-01-01T10:00Z","c":"x"},{"a":"2020-01-01T10:00:00+02:00"}]
      """
    try put("t.\(ending)", ending == "csv" ? csv : json)
    let result = try run("import t.\(ending)", "schema", "list fields id,a,b")
    #expect(
      plain(result) == """
        imported 2 records into t
        t.a: kept as text, because its times have no zone (such as Z or +02:00)
        field\ttype\trequired\tunique\tdefault
        a\ttext\tfalse\tfalse\t
        b\tdatetime\tfalse\tfalse\t
        c\ttext\tfalse\tfalse\t
        a\tb
        2020-01-01 10:00\t2020-01-01T10:00:00Z
        2020-01-01T10:00:00+02:00\t

        """
    )
  }

  @Test func timesWithoutAZoneAreUTCWhereAFieldWantsMoments() throws {
    try put("t.csv", "a\n2020-01-01 10:00\n2020-01-01T10:00Z\n")
    let result = try run("entity create t a:datetime", "import t.csv", "list fields id,a")
    #expect(
      plain(result) == """
        imported 2 records into t
        t.a: 1 time without a zone read as UTC
        a
        2020-01-01T10:00:00Z
        2020-01-01T10:00:00Z

        """
    )
    // The same as for typed values.
    let typed = try run(
      "entity create t a:datetime",
      "insert a='2020-01-01 10:00'",
      "list fields id,a"
    )
    #expect(plain(typed).hasSuffix("\n2020-01-01T10:00:00Z\n"))
  }

  @Test func duplicateKeysInsideOfAValueAreRefused() throws {
    try put("a.json", #"[{"m":{"a":1}},{"m":{"a":1,"a":2}}]"#)
    let result = try run("import a.json")
    #expect(result.status == 1)
    #expect(result.errors.contains("duplicate key \"a\""), "\(result.errors)")
  }

  /// Formerly, each member was compared with all previous ones.
  @Test func aRecordOfManyFieldsIsReadInNoTime() throws {
    let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    try put("wide.json", "[{\(members)}]")
    let start = ContinuousClock.now
    #expect(try run("import wide.json").output == "imported 1 record into wide\n")
    #expect(ContinuousClock.now - start < .seconds(8))
  }
}
