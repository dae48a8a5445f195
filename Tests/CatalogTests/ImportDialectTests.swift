import Foundation
import Testing

/// Files of separated values are imported as they are opened: delimiter, encoding, header and rows of other lengths.
@Suite struct ImportDialectTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let texts: [(name: String, bytes: [UInt8], note: String)] = [
    ("comma.csv", Array("a,b\n1,é\n".utf8), ""),
    ("semicolon.csv", Array("a;b\r\n1;é\r\n".utf8), ""),
    ("bar.csv", Array("a|b\n1|é\n".utf8), ""), ("tab.csv", Array("a\tb\n1\té\n".utf8), ""),
    ("return.csv", Array("a,b\r1,é\r".utf8), ""),
    ("named.csv", Array("sep=;\na;b\n1;é\n".utf8), ""),
    ("mark.csv", [0xEF, 0xBB, 0xBF] + Array("a;b\n1;é\n".utf8), ""),
    ("latin.csv", Array("a;b\n1;".utf8) + [0xE9, 0x0A], "read as Windows-1252 (Latin-1)"),
    (
      "wide.csv",
      [0xFF, 0xFE] + "a;b\n1;é\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, ""
    ),
    (
      "big.tsv",
      [0xFE, 0xFF] + "a\tb\n1\té\n".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }, ""
    ),
    ("quoted.tsv", Array("a\tb\n1\t\"é\"\n".utf8), ""),
    ("named.tsv", Array("sep=\t\na\tb\n1\té\n".utf8), ""),
  ]

  @Test(arguments: texts)
  func filesAreImportedAsTheyAreOpened(name: String, bytes: [UInt8], note: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    let expected = "a\tb\n1\té\n"
    let opened = try folder.run([name, "-e", "list fields a,b"])
    #expect(opened.output == expected, "\(opened)")
    for command in [
      "import \(name) into E", "import \(name) by a", "each \(name) insert a=$a b=$b",
    ] {
      let run = try folder.run(
        ["memory:", "--quiet", "-e", "entity create E a:integer b:text", "-e", command]
          + ["-e", "list fields a,b", "-e", "quit!"]
      )
      #expect(run.output == expected, "\(command) \(run)")
      #expect(
        note.isEmpty ? run.errors == "" : run.errors.contains("note: \(name): \(note)"),
        "\(run)"
      )
    }
  }

  @Test(arguments: [("gzip", "gz"), ("zstd", "zst")])
  func compressedFilesAreImported(tool: String, ending: String) throws {
    guard try folder.inShell("command -v \(tool)").status == 0 else { return }
    try folder.write("a;b\n1;x\n", to: "in.csv")
    try folder.write("[{\"a\": 1, \"b\": \"x\"}]", to: "in.json")
    let made = try folder.inShell("\(tool) -q in.csv in.json")
    #expect(made.status == 0, "\(made)")
    for name in ["in.csv.\(ending)", "in.json.\(ending)"] {
      let run = try folder.run([
        "memory:", "-e", "import \(name)", "-e", "list fields a,b", "-e", "quit!",
      ])
      #expect(run.output == "imported 1 record into in\na\tb\n1\tx\n", "\(run)")
      let piped = try folder.inShell(
        "cat \(name) | \"$catalog\" memory: -e 'import - into E' -e 'list fields a,b' -e quit!"
      )
      #expect(piped.output == "imported 1 record into E\na\tb\n1\tx\n", "\(piped)")
    }
    try Data([0x1F, 0x8B, 8, 0]).write(to: URL(fileURLWithPath: folder.file("bad.csv.gz")))
    let damaged = try folder.run(["memory:", "-e", "import bad.csv.gz"])
    #expect(
      damaged.status == 1 && damaged.errors.contains("bad.csv.gz: damaged or incomplete"),
      "\(damaged)"
    )
  }

  private func edit(_ text: String, _ command: String) throws -> ProgramRun {
    try folder.write(text, to: "in.csv")
    return try folder.run(
      ["memory:", "-e", "entity create E a:integer b:text c:text=z", "-e", "insert a=1 b=x c=y"]
        + ["-e", command, "-e", "list sort a fields a,b,c", "-e", "quit!"]
    )
  }

  /// A row with fewer values has missing ones; with a key, the other fields stay as they are.
  @Test func shortRowsAreNoted() throws {
    let text = "a,b,c\n2,p,q\n1\n3,r\n"
    let new = try edit(text, "import in.csv into E")
    #expect(new.output.hasSuffix("a\tb\tc\n1\tx\ty\n1\t\t\n2\tp\tq\n3\tr\t\n"), "\(new)")
    #expect(
      new.errors == "catalog: note: in.csv: line 3: fewer values than columns, in 2 records; "
        + "the others are missing values\n",
      "\(new)"
    )
    let keyed = try edit(text, "import in.csv by a")
    #expect(
      keyed.output.hasSuffix("1 unchanged, 0 deleted\na\tb\tc\n1\tx\ty\n2\tp\tq\n3\tr\tz\n"),
      "\(keyed)"
    )
    #expect(keyed.errors.hasSuffix("in 2 records; existing records keep the other fields\n"))
    let each = try edit(text, "each in.csv insert a=$a b=$b c=$c")
    #expect(each.output.hasSuffix("a\tb\tc\n1\tx\ty\n1\t\t\n2\tp\tq\n3\tr\t\n"), "\(each)")
    let answered = try folder.run(
      ["memory:", "--answers", "jsonl", "-e", "import in.csv into E", "-e", "quit!"]
    )
    #expect(answered.output.contains(#""notes":["in.csv: line 3: fewer values"#), "\(answered)")
  }

  /// Values that would be lost, and a pipe that ended within a row.
  @Test(arguments: [
    ("a,b\n1,x\n2,y,z\n", "in.csv:3:5: 3 values, but the header has 2 fields"),
    ("a,b\n1,x\n2", "in.csv:3:1: 1 value, but the header has 2 fields"),
    ("a,b\n1,x\n2,\"y", "in.csv:3:3: unclosed quote"),
    ("1,x\n2,y\n", "in.csv:1:1: E has no field \"column1\""),
    ("sep=;\na;b\n1;x\nz;y\n", "in.csv:4:1: a: \"z\" is not a whole number"),
    ("a,b\r1,x\rz,é\r", "in.csv:3:1: a: \"z\" is not a whole number"),
  ])
  func rowsThatCannotBeRead(text: String, message: String) throws {
    for command in ["import in.csv by a", "each in.csv insert a=$a b=$b"] {
      let run = try edit(text, command)
      #expect(run.status == 1, "\(run)")
      guard command.hasPrefix("import") else { continue }
      let wanted =
        message.contains("column1")
        ? "in.csv:1:1: missing key column \"a\"; no header line" : message
      #expect(run.errors.hasPrefix("catalog: 3: " + wanted), "\(run)")
    }
    let new = try edit(text, "import in.csv into E")
    #expect(new.errors.hasPrefix("catalog: 3: " + message.prefix(18)), "\(new)")
  }

  @Test func extraEmptyValuesAreNoError() throws {
    let run = try edit("a,b\n2,p,,\n", "import in.csv into E")
    #expect(run.errors == "" && run.output.hasSuffix("2\tp\tz\n"), "\(run)")
  }

  /// A first line with values is a row, unless these are the names of fields.
  @Test func aFileWithoutHeaderIsReadAsWhenItIsOpened() throws {
    try folder.write("1,x\n2,y\n", to: "in.csv")
    let run = try folder.run(
      ["memory:", "-e", "import in.csv into E", "-e", "list fields column1,column2", "-e", "quit!"]
    )
    #expect(run.output.hasSuffix("column1\tcolumn2\n1\tx\n2\ty\n"), "\(run)")
    #expect(
      run.errors.contains(
        "no header line (line 1 is like the others): columns are named column1 to column2"
      ),
      "\(run)"
    )
    let named = try folder.run(
      ["memory:", "-e", "entity create E 1:integer x:text", "-e", "import in.csv into E"]
        + ["-e", "list fields 1,x", "-e", "quit!"]
    )
    #expect(
      named.output == "imported 1 record into E\n1\tx\n2\ty\n" && named.errors == "",
      "\(named)"
    )
  }

  @Test func twoEncodingsInOneFileAreAnError() throws {
    try Data(Array("a\né\n".utf8) + [0xE9]).write(to: URL(fileURLWithPath: folder.file("in.csv")))
    let run = try folder.run(["memory:", "-e", "import in.csv into E"])
    #expect(
      run.status == 1 && run.errors.contains("in.csv:3:1: invalid UTF-8, but other"),
      "\(run)"
    )
  }
}
