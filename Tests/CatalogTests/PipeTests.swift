import Foundation
import Testing

/// Records from pipes and compressed files, and files that are no stores.
@Suite struct PipeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("a,b\n1,x\n2,y\n", "id\ta\tb\n1\t1\tx\n2\t2\ty\n"),
    ("a\tb\n1\tx\n", "id\ta\tb\n1\t1\tx\n"), ("a;b\r\n1;x\r\n", "id\ta\tb\n1\t1\tx\n"),
    ("[{\"a\":1},{\"a\":2}]", "id\ta\n1\t1\n2\t2\n"),
    ("{\"a\":1}\n{\"a\":2}\n", "id\ta\n1\t1\n2\t2\n"),
    ("{\"a\":[1,2]}\n", "id\ta\n1\t[1,2]\n"), ("", "id\n"),
  ])
  func recordsComeFromAPipe(text: String, list: String) throws {
    let run = try folder.run(["-", "-e", "list"], input: text)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.output == list)
  }

  @Test func anObjectOfArraysHasItsEntities() throws {
    let run = try folder.run(
      ["-", "-e", "count A", "-e", "count B"],
      input: #"{"A":[{"x":1}],"B":[{"y":1},{"y":2}]}"#
    )
    #expect(run.output == "1\n2\n", "\(run.errors)")
  }

  @Test func aPipeIsSavedElsewhereOnly() throws {
    let text = "a,b\n1,x\n"
    let edits = ["-", "-e", "set 1 b=z"]
    let kept = try folder.run(edits + ["-e", "saveas out.json"], input: text)
    #expect(kept.output == "saved 1 record to out.json\n", "\(kept.errors)")
    #expect(try folder.run(["out.json", "-e", "list fields a,b"]).output == "a\tb\n1\tz\n")
    let refused = try folder.run(edits + ["-e", "save"], input: text)
    #expect(refused.status == 5)
    #expect(
      refused.errors.contains("standard input: cannot be saved; use saveas to save to a file")
    )
  }

  @Test(arguments: ["field add c:text", "field rename a c", "field type a text"])
  func theFieldsOfAPipeCannotBeChanged(command: String) throws {
    let run = try folder.run(["-", "-e", command], input: "a,b\n1,x\n")
    #expect(
      run.errors.contains(
        "the fields of a pipe cannot be changed; use saveas FILE, and change them there"
      ),
      "\(run.errors)"
    )
  }

  @Test func aCopiedPipeIsLeftWithoutAQuestion() throws {
    let quit = "l e C-u z Enter : \"saveas out.csv\" Enter q"
    try folder.write(quit, to: "keys")
    let run = try folder.inShell("printf 'a,b\\n1,x\\n' | \"$catalog\" - --keys keys")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("saved elsewhere: 1 changed"), "\(run.output)")
    let edited = quit.replacing("out", with: "more").replacing(" q", with: " e C-u 7 Enter q")
    try folder.write(edited, to: "keys")
    let further = try folder.inShell("printf 'a,b\\n1,x\\n' | \"$catalog\" - --keys keys")
    #expect(further.status == 3 && further.output.contains("quit with unsaved changes?"))
  }

  @Test func aNoteDoesNotPromiseThatAPipeIsSaved() throws {
    let run = try folder.inShell("printf 'a\\n\\351\\n' | \"$catalog\" - -e list")
    #expect(run.errors.hasSuffix("read as Windows-1252 (Latin-1), because it is not UTF-8\n"))
  }

  @Test(arguments: [
    (["-"], "-: no terminal for keys; give commands with -e or --script FILE"),
    (["-", "--script", "-"], "-: standard input cannot be both the store and the script"),
    (
      ["-", "--schema", "x.json", "-e", "list"],
      "-: cannot be combined with --schema, --sample or --at"
    ),
    (["x.csv", "--pick", "-e", "list"], "--pick cannot be combined with --script, -e,"),
  ])
  func wrongPipesAreOneLine(arguments: [String], message: String) throws {
    // In a session of its own the program has no terminal.
    let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
    let run = try folder.inShell("printf 'a,b\\n1,2\\n' | setsid -w \"$catalog\" \(quoted)")
    #expect(run.status == 2)
    #expect(run.errors.contains("catalog: " + message), "\(run.errors)")
  }

  @Test func damagedTextOfAPipeHasItsPlace() throws {
    let run = try folder.run(["-", "-e", "list"], input: "a,b\n1,\"x\n")
    #expect(run.status == 4)
    let message = "catalog: standard input: line 2, column 3: unclosed quote; "
    #expect(run.errors == message + "if quotes are characters here: --read \"quote=none\"\n")
  }

  // MARK: Compressed files

  @Test(arguments: [
    ["--store", "memory", "--sample", "-e", "saveas new.json.gz"],
    ["a.csv", "--to", "new.csv.zst"],
    ["new.csv.gz", "-e", "count"],
  ])
  func aNewFileIsNotCompressed(arguments: [String]) throws {
    try folder.write("a\n1\n", to: "a.csv")
    let run = try folder.run(arguments)
    #expect(
      run.status != 0 && run.errors.contains("a new one cannot be compressed; use new."),
      "\(run)"
    )
    #expect(try folder.names().sorted() == ["a.csv"])
  }

  @Test(arguments: [
    ("people.csv.gz", "H4sIAAAAAAACA0vUSeIy1KngAgD0oAEACAAAAA=="),
    ("people.csv.zst", "KLUv/QRYQQAAYSxiCjEseApmAzAf"),
    ("people", "H4sIAAAAAAACA0vUSeIy1KngAgD0oAEACAAAAA=="),
  ])
  func compressedFilesAreReadButNotWritten(name: String, base64: String) throws {
    let data = try #require(Data(base64Encoded: base64))
    let url = URL(filePath: folder.file(name))
    try data.write(to: url)
    #expect(try folder.run([name, "-e", "list people"]).output == "id\ta\tb\n1\t1\tx\n")
    let edit = try folder.run([name, "-e", "set 1 b=y", "-e", "save"])
    #expect(edit.status == 1)
    #expect(
      edit.errors.contains(
        "set: read-only store (compressed file); use saveas FILE and edit the copy"
      ),
      "\(edit.errors)"
    )
    let screen = try folder.run([name, "--keys", "-"], input: "e")
    #expect(
      screen.output.contains("1 of 1 · row 1 · read-only (compressed file)"),
      "\(screen.output)"
    )
    #expect(screen.output.contains("read-only store (compressed file); use saveas FILE"))
    #expect(try folder.run([name, "-e", "export out.tsv"]).status == 0)
    let copy = try folder.run([name, "-e", "saveas \(name).json"])
    #expect(copy.output == "saved 1 record to \(name).json\n", "\(copy.errors)")
    // On the screen, the copy is opened, and can be edited.
    let keys = ": \"saveas \(name).csv\" Enter l c new Enter w"
    let edited = try folder.run([name, "--keys", "-"], input: keys)
    #expect(edited.output.contains(" \(name).csv · "), "\(edited.output)")
    #expect(edited.output.contains("saved: 0 inserted, 1 updated, 0 deleted"), "\(edited.output)")
    let status = try folder.run([name, "-e", "status"])
    #expect(status.output.contains("read-only: true\nread-only-reason: compressed file\n"))
    let piped = try folder.inShell("cat \(name) | \"$catalog\" - -e list")
    #expect(piped.output == "id\ta\tb\n1\t1\tx\n", "\(piped.errors)")
    #expect(try Data(contentsOf: url) == data)
    for damaged in [data.prefix(data.count - 3), data.prefix(8)] {
      try damaged.write(to: url)
      let run = try folder.run([name, "-e", "list"])
      #expect(
        run.status == 4 && run.errors.contains("\(name): damaged or incomplete"),
        "\(run.errors)"
      )
    }
  }

  // MARK: Files that are no stores

  @Test(arguments: [
    ("PAR1", "is a Parquet file"),
    (
      "PK\u{3}\u{4}xl/workbook.xml",
      "is an Excel workbook; run: libreoffice --headless --convert-to csv films"
    ),
    ("PK\u{3}\u{4}x", "is a ZIP archive"), ("%PDF-1.4", "is a PDF document"),
    ("<?xml version=\"1.0\"?>", "is an XML document"),
  ])
  func aFileThatIsNoStoreIsNamed(start: String, message: String) throws {
    for name in ["films.dat", "films.csv", "films.json"] {
      try Data(start.utf8).write(to: URL(filePath: folder.file(name)))
      let run = try folder.run([name, "-e", "list"])
      #expect(run.status == 4)
      #expect(run.errors.hasPrefix("catalog: \(name): \(message)"), "\(run.errors)")
      #expect(run.errors.count { $0 == "\n" } == 1)
    }
  }
}
