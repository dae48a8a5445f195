import Testing

/// `catalog FROM --to TO` through pipes, and what exports contain.
@Suite struct ConversionTests {
  private let folder: TemporaryFolder
  private static let making = [
    "entity create A name:text note:text", "entity create B title:text a:link:A",
    "insert A name=x note=''", "insert B title=T a=t1", "save",
  ]

  init() throws { folder = try TemporaryFolder() }

  private func make(_ store: String) throws {
    let run = try folder.run([store] + Self.making.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run.errors)")
  }

  private func run(_ store: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([store] + commands.flatMap { ["-e", $0] })
  }

  // MARK: Pipes

  @Test(arguments: ["json", "catlog", "db"], ["json", "catlog", "db"])
  func wholeStoresComeFromAPipe(from: String, to: String) throws {
    try make("a.\(from)")
    _ = try folder.inShell("\"$catalog\" a.\(from) -e 'check'")
    let run = try folder.inShell(
      "cat a.\(from) | \"$catalog\" - --to b.\(to) && \"$catalog\" a.\(from) -e 'diff b.\(to)'"
    )
    #expect(run.status == 0 && run.output == "" && run.errors == "", "\(run)")
  }

  @Test(arguments: [
    "\"$catalog\" /dev/stdin --to b.json < a.json",
    "mkfifo pipe; cat a.json > pipe & \"$catalog\" pipe --to b.json",
    "cat a.json | \"$catalog\" /dev/fd/0 --to b.json",
    "cat a.catlog | \"$catalog\" --store log - --to b.json",
  ])
  func pipesHaveManyNames(command: String) throws {
    try make("a.json")
    _ = try run("a.json", "saveas a.catlog")
    let run = try folder.inShell(command + "; \"$catalog\" a.json -e 'diff b.json'")
    #expect(run.status == 0 && run.output == "" && run.errors == "", "\(run)")
  }

  @Test func severalEntitiesArePrintedAsAnObjectOfArrays() throws {
    try make("a.catlog")
    let run = try folder.inShell(
      """
      "$catalog" a.catlog --to - --format json > out.json
      "$catalog" a.catlog -e 'export file.json' && cmp out.json file.json
      "$catalog" b.json -e 'import a.json by id' 2> errors
      "$catalog" memory: -e 'import out.json' -e 'list A fields name' -e 'list B fields title' -e quit!
      """
    )
    #expect(run.status == 0 && run.output.hasSuffix("name\nx\ntitle\nT\n"), "\(run)")
    let one = try folder.run(["a.catlog", "--entity", "B", "--to", "b.jsonl"])
    #expect(one.status == 0, "\(one)")
    #expect(try folder.read("b.jsonl").contains("\"title\": \"T\""))
    let csv = try folder.run(["a.catlog", "--to", "b.csv"])
    #expect(csv.status == 1 && csv.errors.contains("which entity?"), "\(csv)")
  }

  // MARK: Identifiers

  @Test(arguments: [
    ("csv", "title\nUp\n"), ("tsv", "title\nUp\n"), ("md", "| title |\n| --- |\n| Up |\n"),
    ("jsonl", "{\"title\": \"Up\"}\n"),
  ])
  func rowNumbersAndTemporaryIdentifiersAreNotExported(format: String, text: String) throws {
    try folder.write("title\nUp\n", to: "a.csv")
    try folder.write("[{\"title\":\"Up\"}]", to: "a.json")
    for source in ["a.csv", "a.json"] {
      if format != "jsonl" {
        #expect(try folder.run([source, "--replace", "--to", "b.\(format)"]).status == 0)
        #expect(try folder.read("b.\(format)") == text)
      }
      let printed = try folder.run([source, "--to", "-", "--format", format])
      #expect(printed.output == text, "\(printed)")
      _ = try run(source, "export c.\(format) replace")
      // Comma-separated values of export have the line ends of RFC 4180.
      let exported = format == "csv" ? text.replacing("\n", with: "\r\n") : text
      #expect(try folder.read("c.\(format)") == exported)
    }
  }

  @Test(arguments: ["csv", "jsonl", "md"])
  func identifiersOfSavedRecordsAreExported(format: String) throws {
    let run = try folder.run([
      "memory:", "--format", format, "-e", "entity create A n:integer", "-e", "insert n=1", "-e",
      "save", "-e", "insert n=2", "-e", "export -", "-e", "export x.\(format)", "-e", "quit!",
    ])
    let printed = run.output.split(whereSeparator: \.isNewline).suffix(format == "jsonl" ? 2 : 3)
    let written = try folder.read("x.\(format)").split(whereSeparator: \.isNewline)
      .suffix(format == "jsonl" ? 2 : 3)
    #expect(printed == written, "\(run)")
    #expect(!printed.contains { $0.contains(/\bt2\b/) } && printed.first?.contains("id") != nil)
  }

  // MARK: Missing values and empty texts

  @Test(arguments: ["csv", "tsv", "md"])
  func optionsForListsApplyToFiles(format: String) throws {
    try folder.write("a,b\n1,\n", to: "in.csv")
    let options = ["--null", "NA", "--no-header", "--to"]
    #expect(try folder.run(["in.csv"] + options + ["x.\(format)"]).status == 0)
    let printed = try folder.run(["in.csv"] + options + ["-", "--format", format])
    #expect(try folder.read("x.\(format)") == printed.output)
    #expect(printed.output.contains("NA") && !printed.output.contains("a"), "\(printed)")
  }

  @Test func exportsMarkEmptyTextInTabSeparatedValues() throws {
    try make("a.json")
    let printed = try run("a.json", "export - A fields name,note")
    _ = try run("a.json", "export x.tsv A fields name,note")
    #expect(printed.output == "name\tnote\nx\t\"\"\n")
    #expect(try folder.read("x.tsv") == printed.output)
  }

  // MARK: Failures

  @Test(arguments: ["json", "db", "catlog"])
  func aFailedImportByKeyCreatesNoEntity(kind: String) throws {
    try folder.write("k,n\na,1\nb,2\na,3\n", to: "dup.csv")
    try make("a.\(kind)")
    let run = try folder.run([
      "a.\(kind)", "--keep-going", "-e", "import dup.csv into R by k", "-e",
      "import dup.csv into R by none", "-e", "save",
    ])
    #expect(run.errors.contains("dup.csv:4:1: duplicate key k \"a\""), "\(run)")
    #expect(run.errors.contains("R has no field \"none\""), "\(run)")
    #expect(!(try self.run("a.\(kind)", "entities").output.contains("R\t")))
  }

  @Test(arguments: ["json", "db", "catlog"])
  func anImportByKeyCreatesItsEntity(kind: String) throws {
    try folder.write("k,n\na,1\nb,2\n", to: "new.csv")
    try make("a.\(kind)")
    let run = try run("a.\(kind)", "import new.csv into R by k", "save", "count R")
    #expect(run.output.contains("imported: 2 inserted") && run.output.hasSuffix("2\n"), "\(run)")
    _ = try self.run("a.\(kind)", "saveas copy.json")
    let copied = try self.run("b.\(kind)", "import copy.json by id", "save", "diff copy.json")
    #expect(copied.status == 0, "\(copied)")
  }

  @Test(arguments: ["dir", "dir.json", "dir.csv", "dir.catlog", "dir.db", "json:dir"])
  func aFolderIsInaccessible(name: String) throws {
    let path = name.split(separator: ":").last.map(String.init) ?? name
    _ = try folder.inShell("mkdir \(path)")
    let opened = try folder.run([name, "--answers", "jsonl", "-e", "count"])
    #expect(opened.status == 4 && opened.output.contains("\"code\":\"inaccessible\""), "\(opened)")
    #expect(opened.output.contains("is a directory"), "\(opened)")
    let imported = try folder.run(["memory:", "--answers", "jsonl", "-e", "import \(path)"])
    #expect(imported.output.contains("\"code\":\"inaccessible\""), "\(imported)")
    #expect(imported.output.contains("\(path): is a directory"), "\(imported)")
  }

  @Test func fieldNamesAreAListForPrograms() throws {
    try make("a.json")
    let run = try folder.run(["a.json", "--format", "jsonl", "-e", "entities"])
    #expect(
      run.output.hasPrefix(
        #"{"name": "A", "records": 1, "fields": "name, note", "fieldNames": ["name","note"]}"#
      ),
      "\(run)"
    )
    #expect(try self.run("a.json", "entities").output.hasPrefix("name\trecords\tfields\n"))
  }
}
