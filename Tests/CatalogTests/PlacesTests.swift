import Foundation
import Testing

/// Locations that are not stores are rejected with the name of the command to use instead.
@Suite struct PlacesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("saveas memory:", "\"memory:\": a memory store is not written"),
    ("saveas -", "- is not a store"),
    ("export x.catlog", "\"saveas\" to create a log"),
    ("export x", "use a name ending in .csv, .tsv, .json, .jsonl, .md, .html or .sql"),
    ("export x.xlsx", "use a name ending in .csv, .tsv, .json, .jsonl, .md, .html or .sql"),
  ])
  func invalidLocationsAreRejected(command: String, message: String) throws {
    let run = try folder.run(["memory:", "--sample", "-e", command])
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("catalog: 1: ") && run.errors.contains(message), "\(run.errors)")
    #expect(try folder.names() == [])
  }

  @Test func explicitKindsAreTakenAtTheirWord() throws {
    for location in ["json:x.csv", "y.csv", "z.TSV", "csv:x.txt", "json:x.dat", "./-", "x.catlog"] {
      let run = try folder.run(["memory:", "--sample", "-e", "saveas \(location)"])
      #expect(run.status == 0 && run.output == "saved 31 records to \(location)\n", "\(run.errors)")
      let back = try folder.run([location, "-e", "count"])
      #expect(back.output == "31\n", "\(location): \(back.errors)")
    }
  }

  @Test func theOpenStoreIsNoCopyOfItself() throws {
    #expect(try folder.run(["a.json", "--sample", "-e", "save"]).status == 0)
    for location in ["a.json", "./a.json", "json:a.json", folder.file("a.json")] {
      for commands in [[], ["-e", "delete where true"]] {
        let run = try folder.run(["a.json"] + commands + ["-e", "saveas \(location)"])
        #expect(run.status == 1)
        #expect(run.errors.contains("is the open store; run \"save\" to write to it"))
      }
    }
    #expect(try folder.run(["a.json", "-e", "count"]).output == "31\n")
    // Otherwise a store that does not exist yet would be created without the program noticing.
    let new = try folder.run(["b.json", "--sample", "-e", "insert title=x", "-e", "saveas b.json"])
    #expect(new.status == 1 && new.errors.contains("is the open store"))
  }

  @Test(arguments: [
    ("-", "- is not a store"), ("x.csv", "\"x.csv\" is not a log name"),
    ("x.tsv", "\"x.tsv\" is not a log name"),
  ])
  func whatIsNoLogIsNotSalvagedTo(location: String, message: String) throws {
    try folder.write("a\n1\n", to: "x.csv")
    let run = try folder.run(["salvage", "a.catlog", location])
    #expect(run.status == 2, "\(run.errors)")
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == ["x.csv"])
  }

  // MARK: --schema

  private static let schema =
    #"{"entities":[{"name":"E","attributes":[{"name":"k","type":"text","required":true},{"name":"n","type":"integer","default":3}]}]}"#

  @Test(arguments: ["a.json", "a.catlog"])
  func aSchemaBesideAStoreWithAnotherOneIsWrongUsage(name: String) throws {
    try folder.write(Self.schema, to: "s")
    let made = try folder.run([name, "--schema", "s", "-e", "insert k=a", "-e", "save"])
    #expect(made.status == 0, "\(made.errors)")
    let again = try folder.run([name, "--schema", "s", "-e", "count"])
    #expect(again.status == 0 && again.output == "1\n" && again.errors == "", "\(again.errors)")
    try folder.write(Self.schema.replacing("\"n\"", with: "\"m\""), to: "other")
    let other = try folder.run([name, "--schema", "other", "-e", "count"])
    #expect(other.status == 2 && other.output == "")
    #expect(
      other.errors.hasPrefix("catalog: --schema: \(name) has a different schema than other; ")
    )
  }

  // MARK: Several scripts

  @Test func scriptsAndCommandsRunInTheOrderGiven() throws {
    try folder.write("count\nlist limit 1 fields id,title\n", to: "a")
    try folder.write("insert title=x", to: "b")
    let run = try folder.run(
      ["memory:", "--sample", "--script", "a", "-e", "count where false"]
        + ["--script", "b", "--script", "-", "-e", "quit!"],
      input: "count\n"
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.split(separator: "\n").map(String.init).last == "32")
    #expect(run.output.hasPrefix("31\n") && run.output.contains("\n0\nt1\n"))
  }

  @Test func failuresNameTheirScript() throws {
    try folder.write("count\n\nlst\ncount\n", to: "a")
    let both = ["memory:", "--sample", "-e", "count", "--script", "a", "-e", "count", "-e", "foo"]
    let first = try folder.run(both)
    #expect(first.status == 1 && first.output == "31\n31\n")
    #expect(first.errors == "catalog: a:3:1: unknown command \"lst\"; did you mean \"list\"?\n")
    let all = try folder.run(["--keep-going"] + both)
    #expect(all.status == 1 && all.output == "31\n31\n31\n31\n")
    #expect(all.errors.contains("catalog: -e:3:1: unknown command \"foo\""))
    let missing = try folder.run(["memory:", "--script", "a", "--script", "none", "-e", "count"])
    #expect(missing.status == 2 && missing.output == "")
    let twice = try folder.run(["memory:", "--script", "-", "--script", "-"])
    #expect(twice.status == 2 && twice.errors.contains("can be given only once"))
  }

  // MARK: Keys

  @Test(arguments: [
    (": foo Enter", 1, "unknown command \"foo\""),
    (": \"set t99 title=x\" Enter", 1, "record \"t99\" not found"),
    (": \"sort nothing\" Enter", 1, "nothing"),
    (": e Enter", 1, "missing location"), (": foo Enter q", 1, "unknown command \"foo\""),
    (": count Enter", 0, ""), ("q", 0, ""), (": \"insert title=x\" Enter", 3, "1 unsaved change"),
    (": \"insert title=x\" Enter : foo Enter", 1, "unknown command \"foo\""),
  ])
  func keysEndWithTheStatusOfWhatFailed(keys: String, status: Int32, message: String) throws {
    try folder.write(keys, to: "keys")
    let run = try folder.run(["--store", "memory", "--sample", "--keys", "keys"])
    #expect(run.status == status, "\(run.errors)")
    #expect(message == "" ? run.errors == "" : run.errors.contains(message), "\(run.errors)")
  }

  @Test func keysOnAScreenThatIsTooSmallAreAFailure() throws {
    try folder.write("j", to: "keys")
    let run = try folder.run([
      "--store", "memory", "--sample", "--size", "8x2", "--keys", "keys",
    ])
    #expect(run.status == 1)
    #expect(run.errors.contains("terminal too small: 8x2"), "\(run.errors)")
  }

  @Test(arguments: ["a.json", "a.catlog", "memory:"])
  func aMissingValueIsReportedByTheNameThatWasPrinted(location: String) throws {
    let run = try folder.run(
      [location],
      input: "entity create E k:text! n:integer\ninsert k=a\n\ninsert n=1\nsave\n"
    )
    #expect(run.status == 5)
    #expect(
      run.errors.hasPrefix(
        "catalog: 5: not saved: E.k: a value is required (record t2); t2 was inserted in line 4\n"
      ),
      "\(run.errors)"
    )
  }
}
