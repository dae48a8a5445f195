import Foundation
import Testing

/// Bad input produces one line on standard error and the documented exit status, and changes
/// nothing.
@Suite struct BadInputTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let status: Int32
    let message: String
    let testDescription: String

    init(_ arguments: [String], _ status: Int32, _ message: String) {
      self.arguments = arguments
      self.status = status
      self.message = message
      testDescription = arguments.joined(separator: " ")
    }
  }

  static let usage: [Case] = [
    Case(["--fromat", "csv"], 2, "unknown option --fromat; did you mean --format?"),
    Case(["--format", "xml"], 2, "unknown format \"xml\""),
    Case(["--format"], 2, "option --format needs a value; see catalog --help"),
    Case(["--sample=3"], 2, "option --sample takes no value"),
    Case(["--store", "lgo"], 2, "unknown store kind \"lgo\"; did you mean \"log\"?"),
    Case(["--store", "a.db"], 2, "unknown store kind \"a.db\"; to open a file, leave out --store"),
    Case(["--size", "80"], 2, "--size: invalid size \"80\"; use COLSxROWS, such as 80x24"),
    Case(["--theme", "drak"], 2, "unknown theme \"drak\"; did you mean \"dark\"?"),
    Case(["a.json", "b.json"], 2, "unexpected argument \"b.json\""),
    Case(["a.json", "list"], 2, "commands need -e"),
    Case(
      ["a.csv", "--to", "b.csv", "by", "x"],
      2,
      "unexpected argument \"by\"; --to takes where,"
    ),
    Case(["--store", "log", "json:a.json"], 2, "\"json:a.json\" conflicts with --store log"),
    Case(["--script", "missing.txt"], 2, "missing.txt"),
    Case(["--schema", "missing.json", "new.json"], 2, "missing.json"),
    Case(["--config", "missing.conf"], 2, "missing.conf"),
    Case(["--keys", "missing.keys"], 2, "missing.keys"),
    Case(["--store", "memory", "--sample", "--entity", "Flim"], 2, "did you mean \"Film\"?"),
  ]

  @Test(arguments: usage)
  func wrongUsageIsStatus2(test: Case) throws { try check(test) }

  static let opening: [Case] = [
    Case(["."], 4, "directory"),
    Case(["/dev/null"], 4, "not a regular file"),
    Case(["pipe.json"], 4, "pipe"),
    Case(["damaged.json"], 4, "damaged.json"),
    Case(["empty.json"], 4, "empty"),
    Case(["text.catlog"], 4, "text.catlog"),
    Case(["empty.catlog"], 4, "empty"),
    Case(["scalar.json"], 4, "scalar.json"),
    Case(["--read-only", "none.json"], 4, "none.json"),
    Case(["nowhere/none.json"], 4, "nowhere"),
  ]

  // Covers B08, B09, E04.
  @Test(arguments: opening)
  func unreadableStoresExitWith4(test: Case) throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.file("pipe.json"), 0o600) == 0)
    let files = [
      "damaged.json": "[{\"a\": 1}, {\"a\": }]", "empty.json": "", "text.catlog": "hello\n",
      "empty.catlog": "", "scalar.json": "42",
    ]
    for (name, text) in files { try folder.write(text, to: name) }
    try check(test, in: folder)
    for (name, text) in files { #expect(try folder.read(name) == text) }
  }

  /// Expressed in the terms of the file, not of the program.
  @Test(arguments: [
    ("{}", "the value: missing \"entities\""),
    (#"{"entities":{}}"#, "entities must be a list"),
    (
      #"{"entities":[{"name":"F","attributes":[{"name":"a","type":"text","requierd":true}]}]}"#,
      #"unknown key "requierd" of field "F.a"; did you mean "required"?"#
    ),
    (
      #"{"entities":[{"name":"F","attributes":[],"unique":true}]}"#,
      #"unknown key "unique" of entity "F"; available: name, attributes"#
    ),
    (#"{"entities":[{"name":"F"}]}"#, "entities.1: missing \"attributes\""),
    (#"{"entities":[{"name":3,"attributes":[]}]}"#, "entities.1.name must be text"),
    (#"{"entities":[{"name":null,"attributes":[]}]}"#, "entities.1.name must be text, not null"),
    (
      #"{"entities":[{"name":"F","attributes":[{"name":"a","type":"txt"}]}]}"#,
      "entities.1.attributes.1.type: unknown field type \"txt\""
    ),
  ])
  func invalidSchemaExitsWith2(schema: String, message: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(schema, to: "schema.json")
    try check(Case(["--schema", "schema.json", "new.json"], 2, message), in: folder)
  }

  static let commands: [Case] = [
    Case(["-e", "frobnicate"], 1, "1: unknown command \"frobnicate\""),
    Case(["-e", "cuont"], 1, "did you mean \"count\"?"),
    Case(["-e", "list Flim"], 1, "unknown entity \"Flim\""),
    Case(["-e", "list sort titel"], 1, "Film has no field \"titel\"; did you mean \"title\"?"),
    Case(["-e", "insert titel=Up"], 1, "Film has no field \"titel\""),
    Case(["-e", "insert releaseYear=abc"], 1, "releaseYear: \"abc\" is not a whole number"),
    Case(["-e", "insert releaseDate=2009-02-30"], 1, "is not a date: February 2009 has 28 days"),
    Case(["-e", "count where titel = 3"], 1, "column 13: Film has no field \"titel\""),
    Case(["-e", "count where releaseYear >"], 1, "expected a field or a value, found the end"),
    Case(["-e", "count where title contains"], 1, "expected text in quotes after contains"),
    Case(["-e", "count where title matches \"(\""], 1, "is not a valid regular expression"),
    Case(["-e", "count where title = \"x"], 1, "unclosed \""),
    Case(["-e", "show zzzzzz"], 1, "record \"zzzzzz\" not found"),
    Case(["-e", "set t1"], 1, "record \"t1\" not found"),
    Case(["-e", "list limit -3"], 1, "whole number"),
    Case(["-e", "import nothing.csv"], 1, "nothing.csv"),
    Case(["-e", "help frob"], 1, "frob"),
  ]

  @Test(arguments: commands)
  func aCommandThatCannotBeDoneIsStatus1(test: Case) throws {
    try check(
      Case(["--store", "memory", "--sample"] + test.arguments, test.status, test.message)
    )
  }

  // Covers I03.
  @Test func invalidUTF8OnStandardInputIsNamedByLine() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory", "--sample"],
      input: Data("count\n".utf8 + [0x63, 0xFF, 0x0A])
    )
    #expect(run.status == 1)
    #expect(run.errors.hasPrefix("catalog: 2: "), "\(run.errors)")
    #expect(run.errors.contains("UTF-8"))
  }

  /// Swift reads the arguments of a process from /proc, and finds none if there is no /proc.
  @Test func argumentsAreSeenWithoutProc() throws {
    let folder = try TemporaryFolder()
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    let hidden =
      "mount -t tmpfs none /proc && echo hidden && exec '\(TemporaryFolder.program)' --version"
    shell.arguments = ["-c", "unshare -rm sh -c \"\(hidden)\" > '\(folder.file("out"))' 2>&1"]
    try shell.run()
    shell.waitUntilExit()
    let output = try folder.read("out")
    guard output.hasPrefix("hidden") else {
      print("SKIPPED argumentsAreSeenWithoutProc: /proc cannot be hidden here: \(output)")
      return
    }
    #expect(output.contains("catalog 0."), "\(output)")
  }

  @Test func aSaveThatMayBeLostIsNoStatus0() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("a.catlog")
    _ = try folder.run([store, "-e", "entity create F t:text", "-e", "insert t=one", "-e", "save"])
    _ = try folder.run([store, "-e", "insert t=two", "-e", "save"])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    bytes[bytes.count - 9] ^= 1
    try bytes.write(to: URL(fileURLWithPath: store))
    let run = try folder.run([store, "-e", "count"])
    #expect(run.status == 4 && run.output == "1\n")
    #expect(run.errors.contains("the last save may be lost"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes, "reading cuts nothing")
    #expect(try folder.run([store, "-e", "count"]).status == 4)
    // A save removes the damaged bytes and keeps them in a file next to the log.
    let saved = try folder.run([store, "-e", "insert t=three", "-e", "save"])
    #expect(saved.status == 4 && saved.errors.contains("kept in"))
    #expect(try folder.names().contains { $0.hasPrefix("a.catlog.lost-") })
    let again = try folder.run([store, "-e", "count"])
    #expect(again.status == 0 && again.output == "2\n" && again.errors.isEmpty)
  }

  // Covers I01.
  @Test(arguments: [
    "-e list", "--format table -e list", "--format json -e list", "--format jsonl -e list",
    "--format csv -e list", "-e 'show t1'", "-e 'export -'", "--help", "--version",
    "--keys /dev/null",
  ])
  func aFullOutputIsAnError(arguments: String) throws {
    let folder = try TemporaryFolder()
    for output in ["/dev/full", "&-"] {
      let run = try folder.shell(
        "\(TemporaryFolder.program) --store memory --sample -e 'insert title=x' \(arguments) >\(output)"
          .replacing("-e 'insert title=x' --keys", with: "--keys")
      )
      #expect(run.status == 1, "\(output)")
      #expect(run.errors.contains("cannot write standard output: "), "\(run.errors)")
      #expect(output == "&-" || run.errors.contains("no space left"), "\(run.errors)")
    }
  }

  /// Records that were printed and deleted would be lost with the output.
  @Test(arguments: ["", "--atomic "], ["list", "export -"])
  func nothingIsSavedAfterOutputThatWasLost(option: String, command: String) throws {
    let folder = try TemporaryFolder()
    #expect(try folder.run(["a.catlog", "--sample", "--quiet", "-e", "save"]).status == 0)
    let before = try folder.read("a.catlog")
    for output in [">/dev/full", ">&-", "| true"] {
      let run = try folder.shell(
        "set -o pipefail; \(TemporaryFolder.program) a.catlog \(option)-e '\(command)' -e 'delete where true' -e save \(output)"
      )
      #expect(run.status == (output == "| true" ? 141 : 1), "\(output)")
      #expect(try folder.read("a.catlog") == before, "\(output)")
    }
  }

  // Covers I02.
  @Test func aClosedOutputEndsQuietly() throws {
    let folder = try TemporaryFolder()
    let run = try folder.shell(
      "set -o pipefail; \(TemporaryFolder.program) --store memory --sample --script <(yes list | head -2000) | head -1 >/dev/null"
    )
    #expect(run.errors == "")
    #expect(run.status == 141)
  }

  private func check(_ test: Case, in folder: TemporaryFolder? = nil) throws {
    let folder = try folder ?? TemporaryFolder()
    let before = try folder.names()
    let run = try folder.run(test.arguments)
    #expect(run.status == test.status, "\(run.errors)")
    #expect(run.errors.hasPrefix("catalog: "), "\(run.errors)")
    #expect(run.errors.contains(test.message), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(try folder.names() == before)
  }
}

extension TemporaryFolder {
  /// Runs a line of bash in the folder.
  func shell(_ line: String) throws -> ProgramRun {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", line]
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return ProgramRun(status: process.terminationStatus, output: "", errors: text)
  }
}
