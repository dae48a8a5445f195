import Foundation
import Testing

/// Scripts name what they read, and replace nothing unless they say so.
@Suite struct NamedPlacesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("sku,qty\nA1,1\nB2,5\n", to: "a.csv")
  }

  // MARK: Without a location

  @Test(arguments: [
    ["-e", "count"], [], ["--script", "lines"], ["--script", "-"], ["--read-only", "-e", "count"],
    ["--plain"], ["--entity", "Film", "-e", "count"], ["-e", "help", "-e", "count"],
  ])
  func aScriptWithoutALocationIsRefused(arguments: [String]) throws {
    try folder.write("count\n", to: "lines")
    let run = try folder.run(arguments, input: "count\n")
    #expect(run.status == 2 && run.output == "", "\(run)")
    #expect(run.errors.hasPrefix("catalog: missing LOCATION: "), "\(run)")
    #expect(run.errors.hasSuffix("give a file, - to read standard input, or --sample\n"))
    #expect(try folder.names() == ["a.csv", "lines"])
  }

  @Test func aProgramGetsTheRefusalAsAnAnswer() throws {
    let run = try folder.run(["--answers", "jsonl", "-e", "count"])
    #expect(run.status == 2 && run.errors == "", "\(run)")
    #expect(run.output.contains("\"code\":\"invalid-command\",\"message\":\"missing LOCATION"))
  }

  @Test(arguments: [
    (["--sample", "-e", "count"], "31\n"),
    (["--store", "memory", "--sample", "-e", "count"], "31\n"),
    (["-", "-e", "count"], "1\n"), (["a.csv", "-e", "count"], "2\n"),
  ])
  func whatIsNamedIsCounted(arguments: [String], output: String) throws {
    let run = try folder.run(arguments, input: "k,v\n1,2\n")
    #expect(run.output == output, "\(run)")
  }

  @Test func helpNeedsNoStore() throws {
    for arguments in [["-e", "help"], ["-e", "help set", "-e", "help"]] {
      let run = try folder.run(arguments)
      #expect(run.status == 0 && run.errors == "" && !run.output.isEmpty, "\(run)")
    }
    #expect(try folder.names() == ["a.csv"])
  }

  @Test func theScreenOpensTheSampleAndScriptsWhatItSaved() throws {
    try folder.write("w\n", to: "keys")
    let screen = try folder.run(["--keys", "keys"])
    #expect(screen.status == 0 && screen.output.contains("Toy Story"), "\(screen)")
    #expect(try folder.run(["-e", "count"]).output == "31\n")
  }

  @Test(arguments: ["memory: --sample", "a.csv"])
  func onlyADashReadsStandardInput(location: String) throws {
    let run = try folder.inShell(
      "printf 'a\\nb\\nc\\n' | while read x; do \"$catalog\" \(location) -e count >&2; echo $x; done"
    )
    #expect(run.output == "a\nb\nc\n", "\(run)")
  }

  // MARK: Unknown extensions

  @Test(arguments: [
    (["a.csv", "--to", "r.xml"], 1), (["-", "--to", "r.xml"], 1),
    (["a.csv", "-e", "saveas r.xlsx"], 1), (["new.parquet", "-e", "count"], 4),
    (["a.csv", "-e", "saveas films.json.bak"], 1), (["a.csv", "--replace", "--to", "r.xml"], 1),
    (["a.csv", "-e", "export r.xml"], 1), (["a.csv", "--to", "r.xml", "where", "qty > 1"], 1),
  ])
  func aNewFileOfAnUnknownFormatIsRefused(arguments: [String], status: Int) throws {
    let run = try folder.run(arguments, input: "k\n1\n")
    #expect(Int(run.status) == status && run.errors.contains("unknown format"), "\(run)")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == ["a.csv"])
  }

  @Test(arguments: [
    ["a.csv", "--to", "json:r.xml"], ["a.csv", "-e", "saveas json:r.xml"],
    ["a.csv", "--to", "r"],
    ["a.csv", "-e", "saveas .hidden"],
  ])
  func whoeverNamesTheFormatMeansIt(arguments: [String]) throws {
    let run = try folder.run(arguments)
    #expect(run.status == 0, "\(run)")
    #expect(try folder.names().count == 2)
  }

  @Test func anExistingFileIsOpenedByItsContent() throws {
    try folder.write("[{\"k\": 1}]", to: "notes.txt")
    #expect(try folder.run(["notes.txt", "-e", "count"]).output == "1\n")
  }

  // MARK: Existing targets

  @Test(arguments: ["o.csv", "o.tsv", "o.md", "o.json", "o.jsonl", "o.catlog", "o.db"])
  func aTargetIsReplacedOnlyOnRequest(target: String) throws {
    #expect(try folder.run(["a.csv", "--to", target]).status == 0)
    let first = try Data(contentsOf: URL(fileURLWithPath: folder.file(target)))
    try folder.write("sku,qty\nC3,7\n", to: "a.csv")
    let again = try folder.run(["a.csv", "--to", target])
    #expect(again.status == 1 && again.errors.contains("--replace"), "\(again)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(target))) == first)
    let replaced = try folder.run(["a.csv", "--to", target, "--replace"])
    #expect(replaced.status == 0 && replaced.errors == "", "\(replaced)")
    #expect(try folder.names() == ["a.csv", target])
    guard target != "o.md" else {
      return #expect(try folder.read(target).contains("C3") && !folder.read(target).contains("A1"))
    }
    let records = try folder.run([target, "-e", "list fields sku,qty"])
    #expect(records.output == "sku\tqty\nC3\t7\n", "\(records)")
    #expect(try folder.run([target, "-e", "set where true qty=8", "-e", "save"]).status == 0)
  }

  @Test func exportAndSaveasHaveTheSameRule() throws {
    for command in ["export o.csv", "saveas o.json"] {
      let name = command.split(separator: " ").last.map(String.init) ?? ""
      #expect(try folder.run(["a.csv", "-e", command]).status == 0)
      let again = try folder.run(["a.csv", "-e", command])
      #expect(again.status == 1 && again.errors.contains("--replace"), "\(again)")
      for arguments in [["-e", "\(command) replace"], ["--replace", "-e", command]] {
        let run = try folder.run(
          ["a.csv", "-e", "set where true qty=9"] + arguments + ["-e", "quit!"]
        )
        #expect(run.status == 0, "\(run)")
        #expect(try folder.read(name).contains("9"))
      }
    }
  }

  @Test func nothingIsReplacedByAConversionThatFails() throws {
    try folder.write("[{\"k\": 1}]", to: "o.json")
    try folder.write("k\n\"open\n", to: "bad.csv")
    #expect(try folder.run(["bad.csv", "--to", "o.json", "--replace"]).status == 4)
    #expect(try folder.read("o.json") == "[{\"k\": 1}]")
    let same = try folder.run(["a.csv", "--to", "./a.csv", "--replace"])
    #expect(same.status == 1 && same.errors.contains("is the open store"), "\(same)")
    let text = try folder.read("a.csv")
    #expect(text == "sku,qty\nA1,1\nB2,5\n")
  }

  @Test func anEmptyFileIsNoTarget() throws {
    try folder.write("", to: "o.csv")
    #expect(try folder.run(["a.csv", "--to", "o.csv"]).status == 0)
    #expect(try folder.read("o.csv").contains("A1"))
  }

  // MARK: Parts

  @Test(arguments: [
    (["where", "qty > 1", "fields", "sku"], "sku\nB2\n"),
    (["where qty > 1 fields sku"], "sku\nB2\n"),
    (["sort -qty limit 1"], "sku,qty\nB2,5\n"),
    (["where sku = \"A1\""], "sku,qty\nA1,1\n"),
  ])
  func aConversionTakesAFilterAndFields(clauses: [String], output: String) throws {
    let run = try folder.run(["a.csv", "--to", "o.csv"] + clauses)
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(try folder.read("o.csv") == output)
    let piped = try folder.run(
      ["-", "--to", "-", "--format", "csv"] + clauses,
      input: folder.read("a.csv")
    )
    #expect(piped.output.replacing("\r\n", with: "\n") == output, "\(piped)")
  }

  @Test func aPartAsJSONIsAFileOfRecords() throws {
    let run = try folder.run(["a.csv", "--to", "o.json", "where", "qty > 1"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.run(["o.json", "-e", "list fields sku,qty"]).output == "sku\tqty\nB2\t5\n")
    let log = try folder.run(["a.csv", "--to", "o.catlog", "where", "qty > 1"])
    #expect(log.status == 1 && log.errors.contains("unknown format"), "\(log)")
  }
}
