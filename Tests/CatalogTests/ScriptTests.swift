import Foundation
import Testing

/// Scripts through standard input on the three stores, as users write them.
@Suite struct ScriptTests {
  static let stores: [[String]] = [
    ["--store", "memory"], ["--store", "json", "films.json"], ["--store", "log", "films.catlog"],
    ["films.json"], ["films.catlog"], ["json:films.json"], ["log:films.catlog"], ["memory:"],
  ]

  @Test(arguments: stores)
  func theContractsExampleCounts(store: [String]) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      store + ["--sample"],
      input: """
        insert title="Up" releaseYear=2009 director="Pete Docter"
        save
        count where releaseYear > 2005 and title contains[c] "UP"

        """
    )
    #expect(run.errors == "")
    let lines = withoutIdentifiers(run.output).split(separator: "\n").map(String.init)
    #expect(lines.count >= 4)
    #expect(lines.first?.hasPrefix("t") == true)
    #expect(lines.dropFirst().first?.hasPrefix("saved: ") == true)
    #expect(lines.last == "2")
    #expect(run.status == 0)
  }

  @Test(arguments: [["a.json"], ["a.catlog"], ["a.jsonl"]])
  func savedRecordsAreThereInTheNextRun(store: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write(
      #"{"entities":[{"name":"Film","attributes":[{"name":"title","type":"text"},{"name":"year","type":"integer"}]}]}"#,
      to: "schema.json"
    )
    let first = try folder.run(
      store + ["--schema", "schema.json"],
      input: "insert title=Up year=2009\ninsert title=Brave year=2012\nsave\n"
    )
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      withoutIdentifiers(first.output).hasPrefix(
        "t1\nt2\nsaved: 2 inserted, 0 updated, 0 deleted\n"
      )
    )
    let second = try folder.run(
      store,
      input: "count\nset where year > 2010 title=\"Brave!\"\ndelete where year < 2010\nsave\n"
    )
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.output == "2\nsaved: 0 inserted, 1 updated, 1 deleted\n")
    let third = try folder.run(store + ["-e", "list fields id,title,year", "--format", "csv"])
    #expect(third.status == 0, "\(third.errors)")
    #expect(third.output.contains("Brave!,2012"))
    #expect(!third.output.contains("Up"))
  }

  @Test func unsavedChangesAtTheEndAreCountedAndEndWithStatus3() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      [
        "--store", "memory", "--sample", "-e", "save", "-e", "insert title=X", "-e",
        "delete where title = \"Up\"",
      ])
    #expect(run.status == 3)
    #expect(run.errors.hasPrefix("catalog: discarded 2 unsaved changes"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  // Covers I04.
  @Test func aFailedCommandStopsTheScript() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample"],
      input: "save\ncount wher x\ncount\n"
    )
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("catalog: 2: "), "\(run.errors)")
    #expect(!run.output.hasSuffix("31\n"))
  }

  /// The output says what was saved and what was not.
  ///
  /// Covers I04, I05.
  @Test(
    arguments: ["films.json", "films.catlog"],
    ["nonsense", "insert title=\"open", "list limit x"]
  )
  func earlierSavesSurviveAFailedLine(store: String, line: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      [store, "--sample"],
      input: "insert title=Before\nsave\ninsert title=Behind\n\(line)\nsave\n"
    )
    #expect(run.status == 1)
    #expect(run.output.contains("saved: 32 inserted") || run.output.contains("saved: 1 inserted"))
    let errors = run.errors.split(separator: "\n")
    #expect(errors.count == 2 && errors[0].hasPrefix("catalog: 4: "), "\(run.errors)")
    #expect(errors.last?.hasPrefix("catalog: discarded 1 unsaved change") == true)
    let after = try folder.run(
      [
        store, "-e", "count where title = 'Before'", "-e", "count where title = 'Behind'", "-e",
        "check",
      ]
    )
    #expect(after.status == 0, "\(after.errors)")
    #expect(after.output.hasPrefix("1\n0\n"))
  }

  // Covers I02.
  @Test(arguments: ["films.json", "films.catlog"])
  func aClosedPipeLeavesTheStoreAsItWas(store: String) throws {
    let folder = try TemporaryFolder()
    #expect(try folder.run([store, "--sample", "-e", "save"]).status == 0)
    let before = try folder.read(store)
    try folder.write(
      "insert title=Unsaved\n" + String(repeating: "list\n", count: 2000) + "save\n",
      to: "script"
    )
    let names = try folder.names()
    let run = try folder.shell(
      "set -o pipefail; \(TemporaryFolder.program) \(store) --script script | head -1 > /dev/null"
    )
    #expect(run.status == 141)
    #expect(run.errors == "")
    #expect(try folder.read(store) == before)
    #expect(try folder.names() == names)
  }

  @Test func keepGoingRunsTheRestAndStillFails() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample", "--keep-going"],
      input: "save\nnonsense\ncount\n"
    )
    #expect(run.status == 1)
    #expect(run.output.hasSuffix("\n31\n"))
  }

  @Test func withoutALocationTheSampleStartsUnsavedOnRequest() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["--sample"], input: "count\n")
    #expect(run.output == "31\n")
    #expect(run.status == 3)
    #expect(
      !FileManager.default.fileExists(atPath: folder.file(".local/share/catalog/catalog.json"))
    )
    let saving = try folder.run(["--sample"], input: "save\n")
    #expect(saving.status == 0, "\(saving.errors)")
    #expect(
      FileManager.default.fileExists(atPath: folder.file(".local/share/catalog/catalog.json"))
    )
    let again = try folder.run([], input: "count\n")
    #expect(again.output == "31\n")
    #expect(again.status == 0)
  }

  @Test(arguments: [
    (["--format", "json"], #"[\#n  {"id": "ID", "title": "Up"}\#n]\#n"#),
    (["--format", "jsonl"], #"{"id": "ID", "title": "Up"}\#n"#),
    (["--format", "csv"], "id,title\r\nID,Up\r\n"),
    (["--format", "tsv"], "id\ttitle\nID\tUp\n"),
    ([], "id\ttitle\nID\tUp\n"),
  ])
  func listsPrintInEveryFormat(options: [String], expected: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample"] + options
        + ["-e", "list where title = \"Up\" fields id,title"]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(withoutIdentifiers(run.output) == expected)
  }
}
