import DataStoreTesting
import Foundation
import Testing

/// Undoing a save in a later run brings back the file byte for byte, unless something else has changed it.
@Suite struct RestoredBytesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs commands, each run on its own.
  @discardableResult
  private func run(_ store: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([store] + commands.flatMap { ["-e", $0] })
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
  }

  private func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
  }

  private static let spelled =
    #"[{"a": 1e3, "b": "\u00e9\/", "c":null, "d": {"z": 1,  "y":2}}, {"a": 1.50}, {"a": -0.0}]"#

  @Test(arguments: [
    ("a.csv", "x;1\ny;2\n", "delete where column2 > 0"),
    ("a.csv", "x;y\n1;2", "delete where x = 1"),
    ("a.csv", "\"x\",\"y\"\r\n\"1\",\"2\"\r\n", "delete where x = 1"),
    ("a.csv", "\u{FEFF}x,y\r\n1,2\r\n", "delete where x = 1"),
    ("a.csv", "# c\nx,y\n1,2\n", "delete where x = 1"),
    ("a.csv", "a,b\n1,1.50\n\n2,x\n3,y\n", "delete where a < 3"),
    ("a.tsv", "a\tb\n1\tC:\\temp\n2\tx\n", "delete where a = 1"),
    ("a.json", spelled, "delete where a = 1000"), ("a.json", spelled, "delete where true"),
    ("a.json", spelled, "set where a < 2000 a=5"),
    ("a.json", spelled, "set where a = 1000 b=x c=y d="),
    ("a.jsonl", "{\"a\":  1e3, \"c\":null}\r\n{ \"a\": 1.50 }", "delete where a > 2"),
    ("a.json", "{ \"k\": {\"a\": 1e3}, \"l\": {\"a\":2} }", "delete where true"),
    ("a.json", "{\"v\": 1.0, \"r\": [ {\"a\": 1e3} ]}", "delete where true"),
  ])
  func aSaveIsUndoneByteForByte(store: String, text: String, command: String) throws {
    try folder.write(text, to: store)
    #expect(try run(store, command, "save").status == 0)
    #expect(try folder.read(store) != text)
    let undone = try run(store, "undo", "save")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try folder.read(store) == text)
  }

  /// An object of records without any of them shows no entity.
  @Test(arguments: [
    ("{\"k\": {\"a\": 1e3}}", "insert _key=z a=7"),
    ("{\n\"k\": {\"a\": 1},\n\"l\": {\"a\": 2}\n}\n", "insert _key=z a=7"),
    ("[{\"a\": 1e3}]", "insert a=7"),
  ])
  func anEmptiedFileKeepsItsHistory(text: String, insertion: String) throws {
    func undo(_ words: String) throws {
      let undone = try run("a.json", "undo", "save")
      #expect(undone.status == 0 && undone.output.hasPrefix(words), "\(undone)")
    }
    try folder.write(text, to: "a.json")
    #expect(try run("a.json", "delete where true", "save").status == 0)
    let empty = try folder.read("a.json")
    for _ in 0..<2 {
      try undo("saved: \(text.count { $0 == "a" }) inserted")
      #expect(try folder.read("a.json") == text)
      try undo("saved: 0 inserted")
      #expect(try folder.read("a.json") == empty)
    }
    #expect(try run("a.json", insertion, "save").status == 0)
    let inserted = try folder.read("a.json")
    try undo("saved: 0 inserted")
    #expect(try folder.read("a.json") == empty)
    try undo("saved: 1 inserted")
    #expect(try folder.read("a.json") == inserted)
    #expect(try run("a.json", "revert all to 0", "save").status == 0)
    #expect(try folder.read("a.json") == text)
  }

  /// Another program's version without records does not show them either.
  @Test func anEmptyObjectOfAnotherProgramTakesRecords() throws {
    try folder.write("{\"k\": {\"a\": 1}}", to: "a.json")
    #expect(try run("a.json", "delete where true", "save").status == 0)
    try folder.write("{ }", to: "a.json")
    #expect(try run("a.json", "undo", "save").output == "saved: 1 inserted, 0 updated, 0 deleted\n")
    #expect(try folder.read("a.json").contains("\"k\": {\"a\": 1}"))
  }

  /// Without it, the field is one of whole numbers, which have no such zero.
  @Test(arguments: ["a.csv", "a.json"], ["-0.0", "-0.0e1", "1e30"])
  func aNumberThatWholeNumbersLackIsUndone(store: String, number: String) throws {
    let text =
      store == "a.csv"
      ? "k,v\na,\(number)\nb,1e3\nc,3\n"
      : "[\n  {\"k\": \"a\", \"v\": \(number)}, {\"k\": \"b\", \"v\": 1e3},\n {\"k\": \"c\", \"v\": 3}\n]\n"
    try folder.write(text, to: store)
    for change in ["set where true v=1", "delete where k != \"c\"", "set 1 v=7"] {
      #expect(try run(store, change, "save").status == 0)
      let undone = try run(store, "undo", "save")
      #expect(undone.status == 0, "\(undone)")
      #expect(try folder.read(store) == text, "\(change)")
    }
    #expect(try run(store, "set 1 v=7", "save").status == 0)
    #expect(try run(store, "delete 2", "save").status == 0)
    #expect(try run(store, "revert all to 0", "save").status == 0)
    #expect(try folder.read(store) == text)
  }

  /// Several saves, and the undo of an undo.
  @Test func savesAreUndoneOneAfterTheOtherAndTogether() throws {
    let text = "a;b\r\n1;x\r\n2;\"y\"\r\n3;z"
    try folder.write(text, to: "a.csv")
    #expect(try run("a.csv", "delete 2", "save").status == 0)
    let first = try folder.read("a.csv")
    #expect(try run("a.csv", "set 1 b=q", "save", "delete 2", "save").status == 0)
    let last = try folder.read("a.csv")
    #expect(try run("a.csv", "undo", "undo", "save").status == 0)
    #expect(try folder.read("a.csv") == first)
    #expect(try run("a.csv", "undo", "save").status == 0)
    #expect(try folder.read("a.csv") == last)
    #expect(try run("a.csv", "revert all to 0", "save").status == 0)
    #expect(try folder.read("a.csv") == text)
  }

  /// What else the save changes, or another program has changed, is not lost.
  @Test(arguments: [
    ("", ["set where a = 3 b=1.50"], "a;b\n1;x\n3;1.50\n2;y\n"),
    ("4;w\n", [], "a;b\n1;x\n3;1.5\n4;w\n2;y\n"),
  ])
  func otherChangesAreKept(theirs: String, edits: [String], expected: String) throws {
    try folder.write("a;b\n1;x\n2;y\n3;1.5\n", to: "a.csv")
    #expect(try run("a.csv", "delete 2", "save").status == 0)
    try folder.write(try folder.read("a.csv") + theirs, to: "a.csv")
    let commands = (["undo"] + edits + ["save"]).flatMap { ["-e", $0] }
    let undone = try folder.run(["a.csv"] + commands)
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try folder.read("a.csv") == expected)
  }

  /// Without records, a file shows neither its delimiter nor its encoding, nor that it has no header.
  @Test(arguments: [
    ("1;x\n2;y\n", "insert column1=3 column2=z", "3;z\n"),
    ("\"a\"|\"b\"\r\n\"1\"|\"x\"\r\n", "insert a=3 b=z", "\"a\"|\"b\"\r\n\"3\"|\"z\"\r\n"),
  ])
  func anEmptiedFileKeepsItsFormat(text: String, command: String, expected: String) throws {
    try folder.write(text, to: "a.csv")
    #expect(try run("a.csv", "delete where true", "save").status == 0)
    let inserted = try run("a.csv", command, "save")
    #expect(inserted.status == 0, "\(inserted.errors)")
    #expect(try folder.read("a.csv") == expected)
  }

  @Test func randomFilesAreRestored() throws {
    let first = SeededGenerator.testSeed
    for seed in first..<first + 20 {
      var random = SeededGenerator(seed: seed)
      let file = RandomTextFile(&random)
      try? FileManager.default.removeItem(atPath: folder.file(file.name))
      try write(file.bytes, to: file.name)
      let saved = try run(file.name, file.command, "save")
      // Some files cannot hold some values.
      if try bytes(of: file.name) == file.bytes { continue }
      #expect(saved.status == 0, "seed \(seed): \(saved.errors) \(file)")
      let undone = try run(file.name, "undo", "save")
      #expect(undone.status == 0, "seed \(seed): \(undone.errors) \(file)")
      #expect(try bytes(of: file.name) == file.bytes, "seed \(seed): \(file)")
    }
  }
}

/// A small file of another program in a random dialect, and a command that changes it.
private struct RandomTextFile {
  var name = "f.csv"
  var bytes: [UInt8] = []
  var command = ""

  init(_ random: inout SeededGenerator) {
    let isSeparated = Bool.random(using: &random)
    var number = "num"
    var text = "name"
    if isSeparated {
      let hasHeader = Bool.random(using: &random)
      if !hasHeader { (number, text) = ("column1", "column2") }
      putSeparated(hasHeader, &random)
    } else {
      putJSON(&random)
    }
    let bound = Int.random(in: 0...80, using: &random)
    let commands = [
      "set where \(number) > \(bound) \(text)=Zed", "delete where \(number) > \(bound)",
      "delete where \(number) < \(bound)", "delete where true", "insert \(number)=5 \(text)=New",
      "set where true \(number):=\(number)+1", "set where \(number) > \(bound) \(text)=",
    ]
    command = Self.one(of: commands, &random)
  }

  private static func one<Element>(of all: [Element], _ random: inout SeededGenerator) -> Element {
    all[Int.random(in: 0..<all.count, using: &random)]
  }

  private mutating func putSeparated(_ hasHeader: Bool, _ random: inout SeededGenerator) {
    let delimiter = Self.one(of: [",", ";", "\t", "|"], &random)
    let end = Self.one(of: ["\n", "\r\n"], &random)
    let quotesAll = Int.random(in: 0..<4, using: &random) == 0
    func quoted(_ text: String, _ random: inout SeededGenerator) -> String {
      quotesAll || Int.random(in: 0..<6, using: &random) == 0 ? "\"\(text)\"" : text
    }
    var lines = hasHeader ? [["num", "name", "val"].joined(separator: delimiter)] : []
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let values = [
        String(Int.random(in: 1...99, using: &random)),
        Self.one(of: ["Ann", "Bö", "x y", "Été", ""], &random),
        Self.one(of: ["1.50", "2.0", "3", "007", ""], &random),
      ]
      lines.append(values.map { quoted($0, &random) }.joined(separator: delimiter))
    }
    let text = lines.joined(separator: end) + Self.one(of: [end, ""], &random)
    if delimiter == "\t" { name = "f.tsv" }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: bytes = text.unicodeScalars.map { UInt8($0.value) }
    case 1: bytes = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case 2: bytes = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    default: bytes = Array(text.utf8)
    }
  }

  private mutating func putJSON(_ random: inout SeededGenerator) {
    let blank = Self.one(of: ["", " "], &random)
    let end = Self.one(of: ["\n", "\r\n"], &random)
    let values = [
      "1e3", "1.50", "7", #""\u00e9""#, #""a\/b""#, "null", #"{"z": 1,  "y":2}"#, "true", "-0.0",
    ]
    let records = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      var members = ["\"num\":\(blank)\(Int.random(in: 1...99, using: &random))"]
      for key in ["name", "val", "x"] where Bool.random(using: &random) {
        members.append("\"\(key)\":\(blank)\(Self.one(of: values, &random))")
      }
      return "{" + members.joined(separator: ",\(blank)") + "}"
    }
    let last = Self.one(of: [end, ""], &random)
    func list(_ records: [String], _ random: inout SeededGenerator) -> String {
      let separators = [",\(end)  ", ", ", ","]
      let around = Self.one(of: ["", end, " "], &random)
      return around
        + records.dropFirst().reduce(records[0]) {
          $0 + Self.one(of: separators, &random) + $1
        } + around
    }
    let text: String
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      name = "f.jsonl"
      text = records.joined(separator: end)
    case 1:
      name = "f.json"
      let named = records.enumerated().map { "\"k\($0)\":\(blank)\($1)" }
      text = "{" + list(named, &random) + "}"
    case 2:
      name = "f.json"
      text = "{\"v\": 1.0, \"rows\": [" + list(records, &random) + "]}"
    default:
      name = "f.json"
      text = "[" + list(records, &random) + "]"
    }
    bytes = Array((text + last).utf8)
  }
}
