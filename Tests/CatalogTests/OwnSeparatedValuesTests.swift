import CatalogApp
import DataStoreTesting
import Foundation
import Glibc
import OpenSwiftData
import Stores
import Testing

@testable import CatalogProgram

/// What `export` and `saveas` write is read back as the same records, by the rule or as the message says.
@Suite struct OwnSeparatedValuesTests {
  private static let names = [
    "a", "name", "2020", "2021", "-5", "true", "2020-01-22", "c d", " x", "x ", "\"q\"", "it's",
    "a,b", "a;b", "a|b", "a\tb", "p\nq", "12:30", "$5", "A12", "NA", "1,5", "#c", "# c",
    "C:\\temp", "q\\\"r", "ä", "0", "1", "007", "x1", "x2", "null",
  ]
  private static let values: [Value] = [
    .null, .integer(1), .integer(-5), .decimal(1.25), .boolean(true),
  ]
  private static let texts = [
    "x", "Ann", "", "a,b", "a;b", "a|b", "a\tb", "line\nfeed", "cr\rx", "\"q\"", "q\"r", " lead",
    "trail ", "#c", "# c", "C:\\temp", "\\t", "\\", "a\\\"b", "NA", "-", "08/01/2016", "12:30",
    "007", "1,5", "sep=;", "ä", "=1+1", "\\n", "\r\n", "“x”", "x\\",
  ].map { Value.text($0) }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var services: CatalogServices {
    CatalogServices(
      fileSystem: LocalFileSystem(),
      author: nil,
      output: StandardOutput(1),
      owner: geteuid(),
      viewFolder: folder.file("state/views"),
      readingFolder: folder.file("state/reading"),
      usesKeptReadings: true,
      kinds: StoreKind.standard
    )
  }

  /// The records as text, in which a number and the same number as text are equal.
  private func records(_ location: String) throws -> String {
    let session = try services.session(on: location)
    defer { session.close() }
    var printed = ""
    let printer = ResultPrinter(.csv, isTerminal: false) { printed += $0 }
    try printer.print(try session.perform("list"), context: session.context)
    return printed
  }

  /// A JSON file of some records, often with values of one kind in a column.
  private func source(_ random: inout some RandomNumberGenerator) throws {
    let columns = Array(
      Self.names.shuffled(using: &random).prefix(.random(in: 1...4, using: &random))
    )
    let pools = columns.map { _ in
      [
        Self.values, Self.texts, Self.values + Self.texts,
        Array(Self.texts.shuffled(using: &random).prefix(1)),
      ]
      .randomElement(using: &random) ?? []
    }
    let rows = (0..<Int.random(in: 1...5, using: &random)).map { _ in
      zip(columns, pools).map { column, pool in
        "\(JSONText.quoted(column)):\((pool.randomElement(using: &random) ?? .null).jsonText)"
      }
    }
    try folder.write(
      "[\(rows.map { "{\($0.joined(separator: ","))}" }.joined(separator: ","))]",
      to: "in.json"
    )
  }

  @Test func recordsAreReadBackAsTheyWereWritten() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    for round in 0..<(environment["ROUNDS"].flatMap { Int($0) } ?? 10) {
      try source(&random)
      let expected = try records(folder.file("in.json"))
      for ending in ["csv", "tsv", "psv"] {
        for command in ["export", "saveas"] {
          let name = "\(command)\(round).\(ending)"
          let session = try services.session(on: folder.file("in.json"))
          defer { session.close() }
          do {
            _ = try session.perform("\(command) \(folder.file(name))")
          } catch let error as CommandError where error.message.contains("NUL") {
            continue
          }
          let read = try records(folder.file(name))
          let text = try folder.read(name).debugDescription
          #expect(read == expected, "seed \(seed), \(name): \(text)")
        }
      }
    }
  }

  /// Records with one field, of which some values are missing.
  @Test(arguments: ["csv", "tsv", "psv"])
  func aSingleColumnKeepsItsMissingValues(ending: String) throws {
    try folder.write("[{\"a\":null},{\"a\":1},{\"a\":null}]", to: "in.json")
    for command in ["export", "saveas"] {
      let run = try folder.run(["in.json", "-e", "\(command) \(command).\(ending)"])
      #expect(run.status == 0, "\(run)")
      #expect(
        try folder.read("\(command).\(ending)").split(whereSeparator: \.isNewline) == ["a", "1"]
      )
      let read = try folder.run(["\(command).\(ending)", "-e", "list fields a"])
      #expect(read.output == "a\n\n1\n\n", "\(read)")
    }
  }

  /// Records without any byte stay where they are while others come and go around them.
  @Test(arguments: [
    ("a\nx\n\n", "delete 1"), ("a\n\nx\n", "delete 2"), ("a\r\rx\r\ry\r", "delete 2"),
    ("a\nx\n\n", "insert a=y"), ("a\n\n", "set 1 a=y"), ("a\nx\n\ny\n", "delete 1 3"),
  ])
  func recordsWithoutAnyByteStayWhereTheyAre(text: String, edit: String) throws {
    try folder.write(text, to: "t.csv")
    let run = try folder.run(["t.csv", "-e", edit, "-e", "save", "-e", "undo", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("t.csv") == text)
  }

  /// Values with bars are divided by bars, in each command that reads or writes them.
  @Test func barsDivideAFileByItsName() throws {
    try folder.write("a|b\n1,5|x\n2,5|y\n", to: "t.psv")
    try folder.write("a,b\n\"1,5\",x\n\"2,5\",y\n", to: "t.csv")
    let copies = [["--to", "to.psv"], ["-e", "export e.psv"], ["-e", "saveas s.psv"]]
    for (arguments, name) in zip(copies, ["to.psv", "e.psv", "s.psv"]) {
      let run = try folder.run(["t.csv"] + arguments)
      #expect(run.status == 0, "\(run)")
      let text = try folder.read(name).replacing("\r\n", with: "\n")
      #expect(text == "a|b\n1,5|x\n2,5|y\n")
    }
    for arguments in [
      ["t.psv", "-e", "diff t.csv"], ["t.csv", "-e", "diff t.psv by a"],
      ["memory:", "-e", "entity create t a:text b:text", "-e", "each t.psv insert a=$a b=$b"]
        + ["-e", "diff t.csv by a", "-e", "quit!"],
    ] {
      let run = try folder.run(arguments)
      #expect(run.status == 0, "\(arguments) \(run)")
    }
    // Values in which commas divide as well as bars do.
    try folder.write("lat,lon|name\n1.5,2.5|x\n3.5,4.5|y\n", to: "u.psv")
    let opened = try folder.run(["u.psv", "-e", "list"])
    let imported = try folder.run([
      "memory:", "--quiet", "-e", "import u.psv", "-e", "count", "-e", "quit!",
    ])
    #expect(opened.errors.isEmpty && imported.errors.isEmpty, "\(opened) \(imported)")
    let printed = try folder.run(["t.csv", "--format", "psv", "-e", "list fields b,a"])
    #expect(printed.output == "b|a\r\nx|1,5\r\ny|2,5\r\n", "\(printed)")
  }
}
