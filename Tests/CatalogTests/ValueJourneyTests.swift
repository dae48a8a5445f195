import Foundation
import Testing

/// Values keep every digit through all stores, exports and imports.
@Suite struct ValueJourneyTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A row of values for each record.
  static let fields =
    "k:text n:integer x:number d:decimal b:boolean day:date t:datetime u:uuid j:json"
  static let rows = [
    [
      "5", "9223372036854775807", "0.30000000000000004", "4687322605740829.4255", "true",
      "0000-01-01", "2015-09-24T13:56:34.185Z", "6b7c0000-1111-2222-3333-444455556666", "\"5\"",
    ],
    [
      "null", "-9223372036854775808", "5e-324", "12345678901234567890123456789012345678", "false",
      "9999-12-31", "9999-12-31T23:59:59.999Z", "00000000-0000-0000-0000-000000000000",
      "\"null\"",
    ],
    [
      "true", "9007199254740993", "1.7976931348623157e+308", "-0.0001", "true", "1969-12-31",
      "1969-12-31T23:59:59.999999Z", "ffffffff-ffff-ffff-ffff-ffffffffffff",
      "{\"a\":[1.50,\"5\",null]}",
    ],
    [
      "2009-05-29", "0", "-1e-07", "9007199254740993.1", "false", "2009-05-29",
      "2001-01-01T00:00:00.000000001Z", "6b7c0000-1111-2222-3333-444455556667", "\"{\\\"a\\\":1}\"",
    ],
    [
      "+5", "5", "1.5", "1.5", "true", "2009-05-29", "0000-01-01T00:00:00Z",
      "6b7c0000-1111-2222-3333-444455556668", "true",
    ],
  ]

  private var script: String {
    let names = Self.fields.split(separator: " ").map { $0.prefix { $0 != ":" } }
    let lines = Self.rows.map { row in
      "insert E " + zip(names, row).map { "\($0)='\($1)'" }.joined(separator: " ")
    }
    return (["entity create E \(Self.fields)"] + lines).joined(separator: "\n") + "\nsave\n"
  }

  /// The displayed cells of each record, in the order of the fields.
  private func list(_ location: String) throws -> [[String]] {
    let names = Self.fields.split(separator: " ").map { $0.prefix { $0 != ":" } }
    return try list(location, names.joined(separator: ","))
  }

  private func list(_ location: String, _ fields: String) throws -> [[String]] {
    let run = try folder.run([location, "--format", "tsv", "-e", "list E fields id,\(fields)"])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    let hasIdentifier = lines.first?.hasPrefix("id\t") ?? false
    return lines.dropFirst().map { line in
      line.split(separator: "\t").dropFirst(hasIdentifier ? 1 : 0)
        .map { String($0).replacing("\\\\", with: "\\") }
    }
  }

  @Test(arguments: ["a.json", "a.catlog"])
  func everyValueIsShownAsItWasTypedInEveryStore(name: String) throws {
    #expect(try folder.run([name], input: script).status == 0)
    #expect(try list(name) == Self.rows)
    // A test for equality finds each of them.
    for row in Self.rows {
      for (field, place) in [("t", 6), ("d", 3), ("n", 1), ("day", 5)] {
        let value = field == "d" || field == "n" ? row[place] : "\"\(row[place])\""
        let run = try folder.run([name, "-e", "count where \(field) = \(value)"])
        #expect(run.output != "0\n", "\(field) = \(value)")
      }
    }
  }

  @Test(arguments: ["csv", "tsv", "json", "jsonl"], ["a.json", "a.catlog"])
  func exportsImportTheSame(ending: String, name: String) throws {
    #expect(try folder.run([name], input: script).status == 0)
    let export = try folder.run([name, "-e", "export e.\(ending) E"])
    #expect(export.status == 0, "\(export.errors)")
    let other = "b." + (name == "a.json" ? "catlog" : "json")
    let lines = "entity create E \(Self.fields)\nimport e.\(ending) into E\nsave\n"
    let run = try folder.run([other], input: lines)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try list(other) == list(name))
    // Copies everything to a store of the other kind, and back.
    #expect(try folder.run([other, "-e", "saveas c.json", "-e", "saveas c.catlog"]).status == 0)
    #expect(try list("c.json") == list(name))
    #expect(try list("c.catlog") == list(name))
  }

  @Test(arguments: ["films.json", "films.jsonl"])
  func momentsOfOthersAreReadByTheirMeaningAndKeptAsTheyAreWritten(name: String) throws {
    let stamps = [
      "2015-09-24T13:56:34.185Z", "1994-02-17T19:32:05.000Z", "1994-02-17T21:32:05+02:00",
      "1994-02-17t19:32:05z",
    ]
    let lines = stamps.map { "{\"a\":1.50,\"t\":\"\($0)\",\"e\":1E3}" }
    let text =
      name == "films.json"
      ? "[" + lines.joined(separator: ",\n") + "]" : lines.joined(separator: "\n")
    try folder.write(text, to: name)
    let schema = try folder.run([name, "--format", "tsv", "-e", "schema"]).output
    #expect(schema.contains("datetime"), "\(schema)")
    let found = try folder.run([
      name, "-e", "count where t = \"2015-09-24T13:56:34.185Z\"", "-e",
      "count where t = \"1994-02-17T19:32:05Z\"", "-e", "count where a = 1.5 and e = 1000",
    ])
    #expect(found.output == "1\n3\n4\n", "\(found.errors)")
    let edit = try folder.run([name, "-e", "set 1 t=2020-01-01T00:00:00Z", "-e", "save"])
    #expect(edit.status == 0, "\(edit.errors)")
    let expected = text.replacing(stamps[0], with: "2020-01-01T00:00:00Z")
    #expect(try folder.read(name) == expected)
  }

  @Test(arguments: ["csv", "json", "jsonl"])
  func textsInJSONFieldsStayTexts(ending: String) throws {
    let values = ["\"5\"", "\"null\"", "\"true\"", "\"\"", "\"[1]\"", "5", "[1,\"5\"]"]
    let insert = values.map { "insert E j='\($0)'" }.joined(separator: "\n")
    let start = "entity create E j:json\n"
    let run = try folder.run(["a.catlog"], input: start + insert + "\nsave\nexport e.\(ending) E\n")
    #expect(run.status == 0, "\(run.errors)")
    let back = try folder.run(["b.json"], input: start + "import e.\(ending) into E\nsave\n")
    #expect(back.status == 0, "\(back.errors)")
    #expect(try list("b.json", "j") == values.map { [$0] })
  }

  @Test func textsOfJSONFilesAreNoNumbersInANewEntity() throws {
    try folder.write(
      #"{"zip":"01234","code":"5","flag":"true","n":5,"mixed":"Jaws"}"# + "\n"
        + #"{"zip":"80331","code":"6","flag":"false","n":6,"mixed":300}"#,
      to: "a.jsonl"
    )
    try folder.write(
      "n,plus,tel,e,t\n1.50,+5,+4930123456,1E3,1994-02-17T21:32:05+02:00\n",
      to: "c.csv"
    )
    let schema = try folder.run([
      "a.catlog", "-e", "import a.jsonl into E", "-e", "save", "-e", "import c.csv into C", "-e",
      "save", "-e", "schema E", "-e", "schema C",
    ])
    #expect(schema.status == 0, "\(schema.errors)")
    #expect(!schema.output.contains("json"), "\(schema.output)")
    let rows = try list("a.catlog", "zip,code,flag,n,mixed")
    #expect(rows == [["01234", "5", "true", "5", "Jaws"], ["80331", "6", "false", "6", "300"]])
    let other = try folder.run(["a.catlog", "--format", "tsv", "-e", "list C"]).output
    #expect(other.contains("1.5\t5\t+4930123456\t1000\t1994-02-17T19:32:05Z"), "\(other)")
  }
}
