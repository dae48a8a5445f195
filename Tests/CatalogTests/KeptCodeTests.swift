import Foundation
import Testing

/// Codes such as 007 in files whose types follow from the values.
@Suite struct KeptCodeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("k,code\na,1\nb,2\n", to: "c.csv")
  }

  private static let note = "catalog: note: code: integer became text, to keep \"007\"\n"

  /// Commands, and the file after them.
  @Test(arguments: [
    ("import new.csv by k", "k,code\na,007\nb,2\nc,3\n"),
    ("import new.csv", "k,code\na,1\nb,2\na,007\nc,3\n"),
    ("import new.jsonl by k", "k,code\na,007\nb,2\n"),
    ("each new.csv upsert by k k=$k code=$code", "k,code\na,007\nb,2\nc,3\n"),
    ("each new.csv insert k=$k code=$code", "k,code\na,1\nb,2\na,007\nc,3\n"),
    ("upsert by k k=a code=007", "k,code\na,007\nb,2\n"),
    ("upsert by k {\"k\": \"a\", \"code\": \"007\"}", "k,code\na,007\nb,2\n"),
    ("set where k=\"a\" code=007", "k,code\na,007\nb,2\n"),
    ("set where code=1 code=007", "k,code\na,007\nb,2\n"),
    ("set 1 code=\"007\"", "k,code\na,007\nb,2\n"),
    ("insert k=c code=007", "k,code\na,1\nb,2\nc,007\n"),
  ])
  func aCodeIsKept(line: String, text: String) throws {
    try folder.write("k,code\na,007\nc,3\n", to: "new.csv")
    try folder.write("{\"k\": \"a\", \"code\": \"007\"}\n", to: "new.jsonl")
    let run = try folder.run(["c.csv", "--quiet", "-e", line, "-e", "save", "-e", "check"])
    #expect(run.status == 0 && run.errors == Self.note, "\(run)")
    #expect(try folder.read("c.csv") == text)
    let again = try folder.run([
      "c.csv", "-e", line.hasPrefix("import new.csv by") ? line : "count",
    ])
    #expect(again.status == 0 && again.errors == "", "\(again)")
    #expect(!line.hasPrefix("import new.csv by") || again.output.contains("2 unchanged"))
  }

  /// A code and the number are different keys.
  @Test func aKeyIsNoNumber() throws {
    try folder.write("code,k\n01,c\n", to: "new.csv")
    let run = try folder.run(["c.csv", "-e", "import new.csv by code", "-e", "save"])
    #expect(run.output.hasPrefix("imported: 1 inserted, 0 updated"), "\(run)")
    #expect(try folder.read("c.csv") == "k,code\na,1\nb,2\nc,01\n")
  }

  @Test func otherSpellingsStayAsTheyAre() throws {
    try folder.write("k,price\na,1.50\nb,1E5\n", to: "p.csv")
    #expect(
      try folder.run(["p.csv", "-e", "set 1 price=007", "-e", "undo", "-e", "save"]).status == 0
    )
    #expect(try folder.read("p.csv") == "k,price\na,1.50\nb,1E5\n")
    #expect(try folder.run(["p.csv", "-e", "insert k=c price=007", "-e", "save"]).status == 0)
    #expect(try folder.read("p.csv") == "k,price\na,1.50\nb,1E5\nc,007\n")
  }

  @Test func aFailedCommandLeavesTheType() throws {
    try folder.write("k,code\na,007\nz\"z,3\na,1\n", to: "new.csv")
    let run = try folder.run(
      ["c.csv", "--keep-going", "-e", "import new.csv by k", "-e", "stats code", "-e", "status"]
    )
    #expect(run.errors.contains("new.csv:4:"), "\(run)")
    #expect(run.output.contains("sum\t3\n") && run.output.contains("unsaved: 0\n"), "\(run)")
  }

  /// Numbers with a plus sign are text in a file that is opened with them.
  @Test(arguments: ["+49", "+07", "+123456"])
  func aPlusSignIsKept(text: String) throws {
    let run = try folder.run(["c.csv", "-e", "set 1 code=\(text)", "-e", "save"])
    #expect(run.errors.contains("integer became text, to keep \"\(text)\""), "\(run)")
    #expect(try folder.read("c.csv") == "k,code\na,\(text)\nb,2\n")
    try folder.write("k,code\na,\(text)\nb,2\n", to: "new.csv")
    try folder.write("k,code\na,1\nb,2\n", to: "c.csv")
    #expect(try folder.run(["c.csv", "-e", "import new.csv by k", "-e", "save"]).status == 0)
    #expect(try folder.read("c.csv") == "k,code\na,\(text)\nb,2\n")
    try folder.write("k,code\na,1\nb,2\n", to: "c.csv")
    let wrong = try folder.run(["c.csv", "-e", "set 1 code=\(text)x"])
    #expect(wrong.status == 1 && wrong.errors.contains("not a whole number"), "\(wrong)")
  }

  private static let prices = "price,name\n1.50,a\n2.50,b\n\"3.0\",c\n"
  private static let changes = [
    "set 1 price=007", "set where name=\"c\" price=+55", "insert price=007 name=d",
    "upsert by name name=b price=00", "delete 2; set 1 price=007 name=x",
  ]

  /// The types follow from the values, so that the conversion is no change of the schema for a later run.
  @Test(arguments: changes)
  func aLaterRunUndoesASaveThatKeptACode(line: String) throws {
    try folder.write(Self.prices, to: "p.csv")
    let lines = line.split(separator: ";").flatMap { ["-e", String($0)] }
    let run = try folder.run(["p.csv"] + lines + ["-e", "save"])
    #expect(run.status == 0, "\(run)")
    let changed = try folder.read("p.csv")
    #expect(changed != Self.prices)
    let later = try folder.run(["p.csv", "-e", "undo", "-e", "save"])
    #expect(later.status == 0, "\(later)")
    #expect(try folder.read("p.csv") == Self.prices)
  }

  @Test(arguments: changes)
  func undoingASaveThatKeptACodeRestoresTheSpelling(line: String) throws {
    try folder.write(Self.prices, to: "p.csv")
    let lines = line.split(separator: ";").flatMap { ["-e", String($0)] }
    let undone = lines.flatMap { $0 == "-e" ? ["-e", "undo"] : [] }
    let run = try folder.run(["p.csv"] + lines + ["-e", "save"] + undone + ["-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("p.csv") == Self.prices)
    let reverted = try folder.run(["p.csv"] + lines + ["-e", "save"])
    #expect(reverted.status == 0, "\(reverted)")
    let changed = try folder.read("p.csv")
    try folder.write(Self.prices, to: "p.csv")
    let redone = undone.map { $0 == "undo" ? "redo" : $0 }
    let again = try folder.run(
      ["p.csv"] + lines + ["-e", "save"] + undone + ["-e", "save"] + redone + ["-e", "save"]
    )
    #expect(again.status == 0, "\(again)")
    #expect(try folder.read("p.csv") == changed)
  }

  /// In a file with one column a record without a value is an empty line.
  @Test(arguments: [
    ("f\n1\n2\n", "insert f=", "f\n1\n2\n\n"), ("f\n1\n2", "insert f=", "f\n1\n2\n\n"),
    ("f\n", "insert f=", "f\n\n"),
    ("f\n1\n2", "set 2 f=", "f\n1\n\n"), ("f\r\n1\r\n2\r\n", "insert f=", "f\r\n1\r\n2\r\n\r\n"),
    ("f\n\n2", "delete 2", "f\n\n"), ("f\n1\n2", "insert f=; insert f=; delete 2", "f\n1\n\n\n"),
  ])
  func aRecordWithoutAValueIsAnEmptyLine(text: String, lines: String, saved: String) throws {
    try folder.write(text, to: "one.csv")
    let commands = lines.split(separator: ";").flatMap { ["-e", String($0)] }
    let run = try folder.run(["one.csv"] + commands + ["-e", "save", "-e", "check", "-e", "count"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("one.csv") == saved)
    let again = try folder.run(["one.csv", "-e", "count"])
    #expect(run.output.hasSuffix("\n" + again.output), "\(run), \(again)")
  }

  /// In JSON a code becomes a string, and all other values stay as they are.
  @Test(arguments: [
    ("j.json", #"[{"k": "a", "code": 12}, {"k":"b", "code": 1.50}]"#, "\n"),
    ("j.jsonl", "{\"k\": \"a\", \"code\": 12}\n{\"k\":\"b\", \"code\":1.50}\n", ""),
  ])
  func aCodeIsAStringOfJSON(name: String, text: String, end: String) throws {
    try folder.write("k,code\na,007\n", to: "new.csv")
    for line in ["set where k=\"a\" code=007", "import new.csv by k", "set 1 code=\"007\""] {
      try folder.write(text + end, to: name)
      let run = try folder.run([name, "-e", line, "-e", "save"])
      #expect(run.status == 0 && run.errors.contains("became text, to keep \"007\""), "\(run)")
      let saved = (text + end).replacing("\"code\": 12", with: "\"code\": \"007\"")
      #expect(try folder.read(name) == saved)
      #expect(try folder.run([name, "-e", "undo", "-e", "save"]).status == 0)
      #expect(try folder.read(name) == text + end)
    }
  }

  /// A code beside the change of another program: only the record with the code is saved.
  @Test(arguments: ["c.csv", "c.json"]) func anotherProgramChangesTheColumn(name: String) throws {
    let isCSV = name == "c.csv"
    if !isCSV {
      try folder.write(#"[{"k":"a","code":1},{"k":"b","code":2}]"#, to: name)
    }
    let run = try folder.inShell(
      """
      { printf '%s\n' 'set where k="a" code=007'; sleep 1
      "$catalog" \(name) -e 'set where k="b" code=3' -e save >&2
      printf '%s\n' changes save; } | "$catalog" \(name)
      """
    )
    #expect(run.output.hasSuffix("saved: 0 inserted, 1 updated, 0 deleted\n"), "\(run)")
    #expect(!run.output.contains("schema"), "\(run)")
    #expect(
      try folder.read(name)
        == (isCSV
          ? "k,code\na,007\nb,3\n" : #"[{"k":"a","code":"007"},{"k":"b","code":3}]"#)
    )
    let later = try folder.run([name, "-e", "undo", "-e", "save"])
    #expect(later.status == 0, "\(later)")
    #expect(
      try folder.read(name)
        == (isCSV ? "k,code\na,1\nb,3\n" : #"[{"k":"a","code":1},{"k":"b","code":3}]"#)
    )
  }

  /// The column has numbers again when nothing is unsaved, and the code is kept when the step is redone.
  @Test func theTypeFollowsUndoAndRedo() throws {
    let run = try folder.run([
      "c.csv", "--quiet", "-e", "set 1 code=007", "-e", "undo", "-e", "stats code", "-e", "redo",
      "-e", "list fields code", "-e", "rollback", "-e", "stats code", "-e", "undo", "-e", "save",
    ])
    #expect(run.status == 0 && run.output.ranges(of: "sum\t3\n").count == 2, "\(run)")
    #expect(run.output.contains("code\n007\n2\n"), "\(run)")
    #expect(try folder.read("c.csv") == "k,code\na,007\nb,2\n")
  }

  /// After the save of an undo, a column has the type of the values in the file, in this run, too.
  @Test(arguments: ["007", "2.5"]) func theTypeFollowsASavedUndo(text: String) throws {
    try folder.write(#"[{"a":1,"p":12.50},{"a":2,"p":9.99}]"#, to: "j.json")
    let run = try folder.run([
      "j.json", "-e", "set where p=9.99 a=\(text)", "-e", "save", "-e", "undo", "-e", "save",
      "-e", "insert a=8 p=1", "-e", "save", "-e", "stats a",
    ])
    #expect(run.status == 0 && run.output.contains("sum\t11\n"), "\(run)")
    #expect(
      try folder.read("j.json") == #"[{"a":1,"p":12.50},{"a":2,"p":9.99},{"a":8,"p":1}]"#,
      "\(run)"
    )
  }

  /// Stores with types read a code as the number.
  @Test(arguments: ["s.json", "s.catlog"]) func typesStay(file: String) throws {
    let run = try folder.run([
      file, "--quiet", "-e", "entity create E k:text code:integer", "-e", "insert code=007",
      "-e", "list fields code", "-e", "quit!",
    ])
    #expect(run.output == "code\n7\n" && run.errors == "", "\(run)")
  }

  /// Whole numbers in other spellings, in fields that have a type.
  @Test func wholeNumbersAreReadExactly() throws {
    try folder.write("n\n1.0\n2e3\n-5.00\n", to: "n.csv")
    try folder.write("[{\"n\": 4.0}]", to: "n.json")
    let run = try folder.run([
      "memory:", "--quiet", "-e", "entity create E n:integer", "-e", "import n.csv",
      "-e", "import n.json", "-e", "insert n=1e3", "-e", "insert {\"n\": 7.0}",
      "-e", "list fields n", "-e", "quit!",
    ])
    #expect(run.output == "n\n1\n2000\n-5\n4\n1000\n7\n", "\(run)")
    for value in ["1.5", "1,000", "1e-1", "1,000.00"] {
      let wrong = try folder.run(
        ["memory:", "-e", "entity create E n:integer", "-e", "insert n=\(value)"]
      )
      #expect(wrong.errors.contains("\"\(value)\" is not a whole number"), "\(wrong)")
    }
  }
}
