import Foundation
import Testing

/// Files as other programs write them: line ends of Windows, UTF-16, semicolons, columns of numbers.
@Suite struct ForeignTextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(_ name: String, _ text: String, into: String = "X") throws -> ProgramRun {
    try folder.write(text, to: name)
    return try folder.run(["memory:", "-e", "import \(name) into \(into)"])
  }

  @Test(arguments: [
    ("t.csv", "id,x\n1,a\n2,b\n"), ("t.tsv", "id\tx\n1\ta\n2\tb\n"),
    ("t.json", #"[{"id":1,"x":"a"},{"id":2,"x":"b"}]"#),
    ("t.jsonl", "{\"id\":\"1\",\"x\":\"a\"}\n{\"id\":\"2\",\"x\":\"b\"}\n"),
  ])
  func aColumnOfNumbersIsNotLeftOutSilently(name: String, text: String) throws {
    let said = "imported 2 records into X (column \"id\" ignored)\n"
    #expect(try importing(name, text).output == said)
    let twice = try folder.run(
      ["memory:", "-e", "import \(name) into X", "-e", "import \(name) into X"]
    )
    #expect(twice.output == said + said)
  }

  @Test func identifiersOfTheProgramAreLeftOutWithoutANote() throws {
    let text = "id,x\ncasxppw2v6nzamj1,a\n0rwc7553wcj3bmj1,b\n"
    #expect(try importing("t.csv", text).output == "imported 2 records into X\n")
  }

  @Test func aHeadingWithOtherSeparatorsIsNoted() throws {
    let comma = try importing("t.tsv", "a,b\n1,2\n")
    #expect(comma.errors.contains("values are divided by \",\", not by tabs"), "\(comma)")
    for (name, text) in [("t.csv", "a;b,c\n1;2,3\n"), ("t.csv", "a\n1;2\n"), ("t.tsv", "a\n1,2\n")]
    {
      #expect(try importing(name, text).output == "imported 1 record into X\n")
    }
  }

  @Test func aFileWithSemicolonsIsReadByThem() throws {
    try folder.write("a;b\n1;2\n", to: "t.tsv")
    let fields = try folder.run(
      ["memory:", "-e", "entity create X a:text b:text", "-e", "import t.tsv into X"]
    )
    #expect(fields.output == "imported 1 record into X\n", "\(fields)")
    #expect(fields.errors.contains("values are divided by \";\", not by tabs"), "\(fields)")
    #expect(fields.errors.filter { $0 == "\n" }.count == 2, "\(fields)")
  }

  @Test(arguments: [
    String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16, .utf32LittleEndian,
    .utf32BigEndian, .utf32,
  ])
  func otherEncodingsAreNamed(encoding: String.Encoding) throws {
    let name = [.utf16LittleEndian, .utf16BigEndian, .utf16].contains(encoding) ? "16" : "32"
    let said = "the file is UTF-\(name); save it as UTF-8\n"
    let files = [
      "a.json": "[{\"a\": \"x\\ny\"}]", "a.jsonl": "{\"a\": 1}\n", "a.csv": "a,b\n1,2\n",
      "a.tsv": "a\tb\n1\t2\n", "script": "count\n", "config": "theme dark\n", "keys": "j k\n",
    ]
    for (file, text) in files {
      let data = try #require(text.data(using: encoding))
      try data.write(to: URL(fileURLWithPath: folder.file(file)))
    }
    for file in ["a.json", "a.jsonl"] {
      let run = try folder.run([file, "-e", "count"])
      #expect(run.errors == "catalog: \(file): line 1, column 1: \(said)")
      #expect(run.status == 4)
    }
    for file in ["a.json", "a.jsonl"] + (name == "32" ? ["a.csv", "a.tsv"] : []) {
      let run = try folder.run(["memory:", "-e", "import \(file)"])
      #expect(run.errors == "catalog: 1: \(file):1: \(said)")
    }
    let sample = ["memory:", "--sample"]
    #expect(try folder.run(sample + ["--script", "script"]).errors == "catalog: script:1: \(said)")
    for option in ["--config", "--keys", "--schema"] {
      let file = String(option.dropFirst(2)).replacing("schema", with: "a.json")
      let rest = option == "--config" ? ["--keys", "/dev/null"] : []
      let run = try folder.run(["memory:", option, file] + rest)
      #expect(run.status == 2 && run.errors.hasSuffix(said), "\(option) \(run)")
    }
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func linesMayEndAsOnWindows(mark: String) throws {
    try folder.write("\(mark)# mine\r\n\r\ntheme dark\r\nbind C-x delete\r\n", to: "config")
    try folder.write("\(mark)x\r\n: \"count\"\r\nEnter\r\n", to: "keys")
    let run = try folder.run(
      ["memory:", "--sample", "--config", "config", "--keys", "keys"]
    )
    #expect(run.status != 2 && run.errors.contains("config") == false, "\(run)")
    #expect(run.output.contains("30"), "\(run)")
    try folder.write("theme dark\r\nmouse perhaps\r\n", to: "config")
    let wrong = try folder.run(["memory:", "--config", "config", "--keys", "/dev/null"])
    #expect(wrong.errors.contains("config:2:7: mouse: expected on or off"), "\(wrong)")
  }
}
