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
  func whatWasSavedIsThereInTheNextRun(store: [String]) throws {
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
    let third = try folder.run(store + ["-e", "list fields title,year", "--format", "csv"])
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
    #expect(run.errors.hasPrefix("catalog: 2 unsaved changes were discarded"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

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

  @Test func keepGoingRunsTheRestAndStillFails() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample", "--keep-going"],
      input: "save\nnonsense\ncount\n"
    )
    #expect(run.status == 1)
    #expect(run.output.hasSuffix("\n31\n"))
  }

  @Test func withoutALocationTheSampleStartsUnsaved() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run([], input: "count\n")
    #expect(run.output == "31\n")
    #expect(run.status == 3)
    #expect(
      !FileManager.default.fileExists(atPath: folder.file(".local/share/catalog/catalog.json"))
    )
    let saving = try folder.run([], input: "save\n")
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
        + ["-e", "list where title = \"Up\" fields title"]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(withoutIdentifiers(run.output) == expected)
  }
}
