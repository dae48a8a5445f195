import Foundation
import Testing

/// Separated values as no program should write them: each file is refused with its line and column, or is opened
/// as it is and saved as it was.
@Suite struct OddSeparatedValuesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let refused: [(text: [UInt8], message: String)] = [
    (Array("a,b\n\"x,2\n3,4\n".utf8), "line 2, column 1: unclosed quote"),
    (Array("a,b\n1,\"2\"x\n".utf8), "line 2, column 6: text after the closing quote"),
    (
      Array("a,b\nx\0y,2\n".utf8),
      "line 2, column 2: NUL byte outside quotes: this is not a text file"
    ),
    (
      Array("a,b\né,2\n".utf8) + [0xE9] + Array(",4\n".utf8),
      "line 3, column 1: invalid UTF-8, but other characters of the file are UTF-8: two encodings"
    ),
    (Array("sep=;\na;b\n1;\"2\n".utf8), "line 3, column 3: unclosed quote"),
    (
      Array(([String](repeating: "c", count: 100_000).joined(separator: ",") + "\n1\n").utf8),
      "line 1, column 1: at most 65,536 columns are supported, found 100000"
    ),
  ]

  /// The first line of a bank's export has fewer values than the others.
  @Test func valuesThatAreNotShownAreNotLostSilently() throws {
    let text = "account;number\n2024-01-02;-85,00;power\n2024-01-03;-5,00;gas\n1;2\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("bank.csv")))
    let screen = try folder.run(["bank.csv", "--keys", "-"], input: "")
    let hidden = "2 records have values after the last column"
    #expect(
      screen.output.contains("\n\(hidden), which are not shown"),
      "\(screen.output)"
    )
    let copy = try folder.run(["bank.csv", "-e", "saveas bank.json"])
    #expect(
      copy.output == "saved 3 records to bank.json\nnot copied: \(hidden)\n",
      "\(copy.errors)"
    )
    let duplicate = try folder.run(["bank.csv", "-e", "duplicate 2", "-e", "save"])
    #expect(
      duplicate.errors.contains(
        "duplicate: without the values after the last column, which 1 record has"
      ),
      "\(duplicate.errors)"
    )
    let keys = try folder.run(["bank.csv", "--keys", "-"], input: "g Y")
    #expect(keys.output.contains("duplicate: without the values after the last"), "\(keys.output)")
  }

  /// The arguments, the input, and what tells that values are missing; nil if none are.
  static let copies: [(arguments: [String], keys: String, note: String?)] = [
    (["-e", "export o.csv"], "", "note: export: \(lacking), which 2 records have\n"),
    (["-e", "export - where a > 3"], "", "export: \(lacking), which 1 record has\n"),
    (["-e", "export o.json where a < 3"], "", nil), (["-e", "export o.json limit 1"], "", nil),
    (["--to", "o.json"], "", "note: not copied: 2 records have values after the last column\n"),
    (["--to", "o.csv"], "", "note: export: \(lacking), which 2 records have\n"),
    (["--keys", "-"], "* y", "\ncopied 4 marked records, \(lacking), which 2 records have\n"),
    (["--keys", "-"], "Space Space Space y", "marked records, \(lacking), which 1 record has\n"),
    (["--keys", "-"], "Space y", nil),
    (
      ["--keys", "-"], ": \"export o.csv\" Enter",
      " records to o.csv, \(lacking), which 2 records have\n"
    ),
  ]
  private static let lacking = "without the values after the last column"

  @Test(arguments: copies)
  func copiesTellWhatTheyLack(arguments: [String], keys: String, note: String?) throws {
    let text = "a,b\n1,2\n3,4,5\n6\n7,8,9,10\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file("r.csv")))
    let size = keys.isEmpty ? [] : ["--size", "160x24"]
    let run = try folder.run(["r.csv"] + arguments + size, input: keys)
    let said = run.output + run.errors
    if let note {
      #expect(said.contains(note), "\(said)")
    } else {
      #expect(!said.contains("without the values") && !said.contains("not copied"), "\(said)")
    }
    #expect(run.status == 0)
  }

  /// Where other numbers have a decimal comma, 1.234 is not read as a fraction.
  @Test(arguments: ["", "import b.csv into B\n"]) func thousandsAreNotFractions(line: String) throws
  {
    try Data("name;count;price\na;1.234;12,50\nb;850;1.999,00\n".utf8)
      .write(to: URL(fileURLWithPath: folder.file("b.csv")))
    let run = try folder.run(
      line.isEmpty ? ["b.csv"] : ["--store", "memory"],
      input: line + "list fields count\nschema"
    )
    #expect(run.output.contains("count\n1.234\n850\n"), "\(run.output)\(run.errors)")
    #expect(run.output.contains("count\ttext"), "\(run.output)")
  }

  @Test(arguments: refused.indices) func aDamagedFileIsRefusedWithItsPlace(_ number: Int) throws {
    let (text, message) = Self.refused[number]
    let url = URL(fileURLWithPath: folder.file("a.csv"))
    try Data(text).write(to: url)
    let run = try folder.run(["a.csv", "-e", "list"])
    #expect(run.status == 4)
    #expect(run.errors.hasPrefix("catalog: a.csv: \(message)"), "\(run.errors)")
    #expect(run.errors.count { $0 == "\n" } == 1)
    #expect(try Data(contentsOf: url) == Data(text))
  }

  /// The text, what `list` prints without identifiers, and the text after `c` of the last record is set to 9, if
  /// that is possible.
  static let opened: [(name: String, text: String, list: String, edited: String?)] = [
    ("byte order mark", "\u{FEFF}a,c\n1,2\n", "a\tc\n1\t2\n", "\u{FEFF}a,c\n1,9\n"),
    (
      "byte order mark in the middle", "a,c\n1,2\n\u{FEFF}3,4\n", "a\tc\n1\t2\n\u{FEFF}3\t4\n",
      "a,c\n1,2\n\u{FEFF}3,9\n"
    ),
    (
      "too few and too many values", "a,c\n1\n1,2,3\n4,5\n", "a\tc\n1\t\n1\t2\n4\t5\n",
      "a,c\n1\n1,2,3\n4,9\n"
    ),
    ("duplicate headings", "c,a,a\n1,2,3\n", "c\ta\ta_2\n1\t2\t3\n", "c,a,a\n9,2,3\n"),
    ("empty heading", "c,\n1,2\n", "c\tcolumn2\n1\t2\n", "c,\n9,2\n"),
    ("header only", "a,c\n", "a\tc\n", nil),
    ("empty", "", "\n", nil),
    ("one column", "c\n1\n2\n", "c\n1\n2\n", "c\n1\n9\n"),
    ("carriage returns", "a,c\r1,2\r3,4\r", "a\tc\n1\t2\n3\t4\n", "a,c\r1,2\r3,9\r"),
    ("two line ends", "a,c\r\n1,2\n3,4\r\n", "a\tc\n1\t2\n3\t4\n", "a,c\r\n1,2\n3,9\r\n"),
    ("no last line end", "a,c\n1,2", "a\tc\n1\t2\n", "a,c\n1,9"),
    ("empty lines", "\n\na,c\n\n1,2\n\n", "a\tc\n1\t2\n", "\n\na,c\n\n1,9\n\n"),
    ("named delimiter", "sep=;\na;c\n1,5;2\n", "a\tc\n1,5\t2\n", "sep=;\na;c\n1,5;9\n"),
    ("named delimiter, CRLF", "sep=;\r\na;c\r\n1;2\r\n", "a\tc\n1\t2\n", "sep=;\r\na;c\r\n1;9\r\n"),
    ("named and quoted", "\"sep=|\"\na|c\n1|2\n", "a\tc\n1\t2\n", "\"sep=|\"\na|c\n1|9\n"),
    (
      "named after a mark", "\u{FEFF}sep=,\na,c\n1;1,2\n", "a\tc\n1;1\t2\n",
      "\u{FEFF}sep=,\na,c\n1;1,9\n"
    ),
    ("a heading like a named delimiter", "sep=x,c\n1,2\n", "sep=x\tc\n1\t2\n", "sep=x,c\n1,9\n"),
  ]

  @Test(arguments: opened.indices) func anOddFileIsSavedAsItWas(_ number: Int) throws {
    let (name, text, list, edited) = Self.opened[number]
    try folder.write(text, to: "a.csv")
    let run = try folder.run(["a.csv", "-e", "list", "-e", "save"])
    #expect(run.status == 0, "\(name): \(run.errors)")
    let printed = run.output.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.hasPrefix("saved: ") }
      .map {
        $0.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).dropFirst()
          .joined()
      }
    #expect(printed.joined(separator: "\n") + "\n" == list, "\(name): \(run.output)")
    #expect(try folder.read("a.csv") == text, "\(name)")
    guard let edited else { return }
    let records = list.count { $0 == "\n" } - 1
    let change = try folder.run(["a.csv", "-e", "set \(records) c=9", "-e", "save"])
    #expect(change.status == 0, "\(name): \(change.errors)")
    #expect(try folder.read("a.csv") == edited, "\(name)")
  }

  /// UTF-16 without a byte order mark.
  @Test(arguments: [true, false]) func wideCharactersWithoutAMarkAreKept(isLittle: Bool) throws {
    let url = URL(fileURLWithPath: folder.file("a.csv"))
    func bytes(_ text: String) -> Data {
      Data(
        text.utf16.flatMap {
          isLittle ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
        }
      )
    }
    try bytes("a,c\né,b\n").write(to: url)
    let run = try folder.run(["a.csv", "-e", "list", "-e", "set 1 c=ü", "-e", "save"])
    #expect(run.status == 0 && run.output.hasPrefix("id\ta\tc\n1\té\tb\n"), "\(run)")
    #expect(try Data(contentsOf: url) == bytes("a,c\né,ü\n"))
  }

  @Test func aLongLineIsARecord() throws {
    let text = "a,c\n" + String(repeating: "x", count: 8_000_000) + ",1\n"
    try folder.write(text, to: "a.csv")
    let run = try folder.run(["a.csv", "-e", "set 1 c=2", "-e", "save", "-e", "list fields c"])
    #expect(run.status == 0 && run.output.hasSuffix("c\n2\n"), "\(run.errors)")
    #expect(try folder.read("a.csv") == text.dropLast(2) + "2\n")
  }

  @Test func aFileOfAnotherNameIsHintedAt() throws {
    try folder.write("a;c\n1;2\n", to: "a b.txt")
    let run = try folder.run(["a b.txt", "-e", "count"])
    #expect(run.status == 4)
    #expect(
      run.errors.hasSuffix("found a; if it has separated values, use 'csv:a b.txt'\n"),
      "\(run.errors)"
    )
    #expect(try folder.run(["csv:a b.txt", "-e", "count"]).output == "1\n")
  }

  private static let packages =
    "\"packages\": {\"\": {\"name\": \"x\"}, \"node_modules/a\": {\"version\": \"1\", \"funding\": [{\"url\": \"u\"}]}}"

  /// Records at several places inside an object are named by the path of the most.
  @Test func thePathOfRecordsInsideIsHintedAt() throws {
    let text =
      "{\"name\": \"x\", \(Self.packages), \"dependencies\": {\"a\": {\"version\": \"1\"}}}"
    try folder.write(text, to: "package-lock.json")
    let run = try folder.run(["package-lock.json", "-e", "count"])
    #expect(
      run.errors.hasSuffix(
        "expected a key with an array of objects; to open the records inside, use package-lock.json#packages\n"
      ),
      "\(run.errors)"
    )
    #expect(try folder.run(["package-lock.json#packages", "-e", "count"]).output == "2\n")
  }

  /// Records at a single place inside an object are opened, and a save changes nothing around them.
  @Test func recordsAtASinglePlaceAreOpened() throws {
    let text = "{\n  \"name\": \"x\", \"requires\": true,\n  \(Self.packages) }\n"
    try folder.write(text, to: "package-lock.json")
    let run = try folder.run(["package-lock.json", "-e", "count", "-e", "entities"])
    #expect(run.output.hasPrefix("2\n") && run.output.contains("packages"), "\(run)")
    let edit = try folder.run(["package-lock.json", "-e", "set 2 version=2", "-e", "save"])
    #expect(edit.status == 0, "\(edit)")
    #expect(
      try folder.read("package-lock.json")
        == text.replacing("\"version\": \"1\"", with: "\"version\": \"2\"")
    )
    let again = try folder.run([
      "package-lock.json", "-e", "set 1 name=y", "-e", "save", "-e", "check",
    ])
    #expect(again.status == 0 && again.output.hasSuffix("ok\n"), "\(again)")
  }
}
