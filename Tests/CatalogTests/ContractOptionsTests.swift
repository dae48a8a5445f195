import Foundation
import Testing

/// Options, locations and exit statuses of the real program.
@Suite struct ContractOptionsTests {
  @Test func helpNamesEveryOptionOfTheContract() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["--help"])
    #expect(run.status == 0 && run.errors == "")
    for option in [
      "--store KIND", "--sample", "--schema FILE", "--entity NAME", "--script FILE", "-e COMMAND",
      "--format F", "--keep-going", "--read-only", "--history KEEP", "--keys FILE",
      "--size COLSxROWS", "--plain",
      "--no-color", "--theme NAME", "--config FILE", "--help", "--version",
    ] { #expect(run.output.contains("  \(option) "), "\(option)") }
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    #expect(try folder.names() == [])
  }

  @Test func theManualNamesEveryOption() throws {
    let folder = try TemporaryFolder()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    let manual = try String(
      contentsOf: root.appendingPathComponent("Resources/catalog.1"),
      encoding: .utf8
    )
    let help = try folder.run(["--help"]).output
    let names = help.matches(of: /--([a-z]+)/).map { String($0.1) }
    #expect(names.count >= 15)
    for name in names { #expect(manual.contains("Fl Fl \(name)"), "\(name)") }
  }

  @Test func theManualNamesEveryCommand() throws {
    let folder = try TemporaryFolder()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    let manual = try String(
      contentsOf: root.appendingPathComponent("Resources/catalog.1"),
      encoding: .utf8
    )
    let list = try folder.run(["--store", "memory", "-e", "help"]).output
    let names = list.split(separator: "\n").compactMap {
      $0.prefixMatch(of: #/([a-z]+)( [a-z]+)?  /#).map { (String($0.1), String($0.2 ?? "")) }
    }
    #expect(names.count >= 25)
    for (first, second) in names {
      let lines = manual.split(separator: "\n").filter { $0.contains("Ic \(first)") }
      #expect(
        lines.contains { second.isEmpty || $0.contains(second.dropFirst()) },
        "\(first)\(second)"
      )
    }
  }

  @Test func versionIsOneLine() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["--version"])
    #expect(run.output.wholeMatch(of: /catalog \d+\.\d+\.\d+\n/) != nil)
  }

  static let wrong: [([String], String)] = [
    (["-e"], "needs a value"),
    (["-x"], "unknown option -x"),
    (["--store", "memory", "--keys", "-", "-e", "count"], "--keys cannot be combined with"),
    (["--script", "-", "--script", "-"], "can be given only once"),
    (["--sample", "--schema", "x"], "cannot be combined with --schema"),
    ([""], "empty LOCATION"),
    (["json:"], "missing path after json:"),
    (["--size", "0x0"], "use COLSxROWS"),
    (["parquet:a"], "unknown store kind \"parquet\"; available:"),
    (["jsn:a.json"], "did you mean \"json\"?"),
    (["http://example.org/a.json"], "unknown URL scheme \"http\""),
    (["--store", "memory", "a.json"], "a memory store takes no path"),
    (["memory:a.json"], "a memory store takes no path"),
    (["--\u{1B}[31m"], "unknown option --^[[31m"),
    (["--store", "a\nb"], "unknown store kind \"a↵b\""),
  ]

  @Test(arguments: wrong)
  func wrongUsageNamesTheOption(arguments: [String], message: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(arguments)
    #expect(run.status == 2)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  @Test func aFileMayHaveAColonInItsName() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"[{"t":"x"}]"#, to: "notes:a.json")
    #expect(try folder.run(["notes:a.json", "-e", "count"]).output == "1\n")
    #expect(try folder.run(["./other:a.json", "-e", "entities"]).status == 0)
  }

  @Test func aConfigurationThatIsNotTextIsWrongUsage() throws {
    let folder = try TemporaryFolder()
    let run = try folder.shell(
      "printf '\\377' > c; \(TemporaryFolder.program) --config c --store memory -e count"
    )
    #expect(run.status == 2)
    #expect(run.errors == "catalog: c: configuration: invalid UTF-8\n")
  }

  @Test func scriptsComeFromFilesAndStandardInputAndSeveralOptions() throws {
    let folder = try TemporaryFolder()
    try folder.write("count\r\n# comment\ncount", to: "a.script")
    let memory = ["--store", "memory", "--sample"]
    #expect(try folder.run(memory + ["--script", "a.script"]).output == "31\n31\n")
    #expect(try folder.run(memory + ["--script", "-"], input: "count\n").output == "31\n")
    #expect(try folder.run(memory, input: "\u{FEFF}count").output == "31\n")
    #expect(
      try folder.run(memory + ["-e", "count", "-e", "count"], input: "x").output == "31\n31\n"
    )
  }

  @Test func theUsualPlaceFollowsTheEnvironment() throws {
    let folder = try TemporaryFolder()
    for (store, name) in [("json", "catalog.json"), ("log", "catalog.catlog")] {
      let run = try folder.run(
        ["--store", store],
        input: "save\n",
        environment: ["XDG_DATA_HOME": folder.file("data")]
      )
      #expect(run.status == 0, "\(run.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.file("data/catalog/\(name)")))
    }
    let relative = try folder.run(
      ["--sample", "-e", "save"],
      environment: ["XDG_DATA_HOME": "data2"]
    )
    #expect(relative.status == 0)
    #expect(
      FileManager.default.fileExists(atPath: folder.file(".local/share/catalog/catalog.json"))
    )
  }

  @Test func readOnlyWritesNothingAtAll() throws {
    let folder = try TemporaryFolder()
    let fresh = try folder.run(["--read-only", "--sample", "-e", "count"])
    #expect(fresh.output == "31\n" && fresh.status == 0, "\(fresh.errors)")
    #expect(try folder.names() == [])
    try folder.write(#"[{"t":"x"}]"#, to: "a.json")
    for line in [
      "insert t=1", "set where true t=1", "delete where true", "save", "undo", "import b.csv",
      "export b.csv", "saveas b.json", "entity create B t:text", "field add a u:text", "compact",
      "revert 1 to 1",
    ] {
      let run = try folder.run(["--read-only", "a.json", "-e", line])
      #expect(run.status == 1, "\(line)")
      #expect(run.errors.contains("--read-only"), "\(line): \(run.errors)")
    }
    let export = try folder.run(["--read-only", "a.json", "-e", "export -"])
    #expect(export.status == 0, "\(export.errors)")
    #expect(try folder.contents() == ["a.json"])
    #expect(try folder.read("a.json") == #"[{"t":"x"}]"#)
  }

  @Test func plainFilesHaveTheEntitiesOfTheContract() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"[{"a":1}]"#, to: "list.json")
    try folder.write(#"{"x":[{"a":1}],"y":[{"b":1},{"b":2}]}"#, to: "object.json")
    try folder.write("{\"a\":1}\n{\"a\":2}\n", to: "lines.jsonl")
    let names = try ["list.json", "object.json", "lines.jsonl"].map {
      try folder.run([$0, "-e", "entities"]).output
    }
    #expect(names[0].hasSuffix("list\t1\ta\n"))
    #expect(names[1].hasSuffix("x\t1\ta\ny\t2\tb\n"))
    #expect(names[2].hasSuffix("lines\t2\ta\n"))
    let unnamed = try folder.run(["object.json", "-e", "count"])
    #expect(unnamed.errors.contains("which entity? give one of x, y, or start with --entity NAME"))
    #expect(try folder.run(["object.json", "--entity", "y", "-e", "count"]).output == "2\n")
  }

  @Test func aClosedStreamIsAnErrorOrNothing() throws {
    let folder = try TemporaryFolder()
    let program = "\(TemporaryFolder.program) --store memory --sample"
    let output = try folder.shell("\(program) -e count >&-")
    #expect(output.status == 1)
    #expect(output.errors.contains("cannot write standard output"), "\(output.errors)")
    let input = try folder.shell("\(program) <&-")
    #expect(input.status == 1)
    #expect(input.errors.contains("cannot read standard input"), "\(input.errors)")
    let errors = try folder.shell("\(program) -e nonsense 2>&-")
    #expect(errors.status == 1)
  }

  @Test func aSaveThatFailsIsStatus5AndKeepsTheFile() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"[{"t":"x"}]"#, to: "a.json")
    let run = try folder.shell(
      "(ulimit -f 0; trap '' XFSZ; \(TemporaryFolder.program) a.json -e 'set where true t=y' -e save)"
    )
    #expect(run.status == 5, "\(run.errors)")
    #expect(run.errors.contains("not saved"), "\(run.errors)")
    #expect(try folder.read("a.json") == #"[{"t":"x"}]"#)
    #expect(try folder.contents() == ["a.json"])
  }

  @Test func filesWithoutPermissionExitWith4() throws {
    let folder = try TemporaryFolder()
    try folder.write("[]", to: "a.json")
    #expect(chmod(folder.file("a.json"), 0) == 0)
    // Root can read everything, so the test runs as another user.
    let user =
      getuid() == 0
      ? "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=\(folder.path) " : ""
    if getuid() == 0 {
      let reachable = try folder.shell("\(user)\(TemporaryFolder.program) --version")
      guard reachable.status == 0 else {
        print("SKIPPED: another user cannot run the program where it was built (setpriv)")
        return
      }
    }
    let run = try folder.shell(
      "\(user)\(TemporaryFolder.program) \(folder.file("a.json")) -e count"
    )
    #expect(run.status == 4, "\(run.errors)")
    #expect(run.errors.contains("permission denied"), "\(run.errors)")
  }
}

extension TemporaryFolder {
  /// All names in the folder except lock files and the streams of a run.
  func contents() throws -> [String] {
    try names().filter { !$0.hasPrefix(".std") }
  }
}
