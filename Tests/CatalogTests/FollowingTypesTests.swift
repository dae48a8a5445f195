import Foundation
import Testing

/// Fractions in a column of whole numbers: the types of a file without a schema follow from its values.
@Suite struct FollowingTypesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    "set where sku=\"A\" qty=2.5", "upsert by sku sku=A qty=2.5", "set 1 {\"qty\": \"2.5\"}",
    "import in.csv by sku", "import in.json by sku", "each in.csv set where sku=$sku qty=$qty",
  ])
  func aColumnOfWholeNumbersTakesAFraction(command: String) throws {
    let text = "sku,qty\nA,2\nB,3\n"
    try folder.write(text, to: "q.csv")
    try folder.write("sku,qty\nA,2.5\n", to: "in.csv")
    try folder.write("[{\"sku\": \"A\", \"qty\": 2.5}]", to: "in.json")
    let run = try folder.run(["q.csv", "-e", command, "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(run.errors.contains("qty: integer became decimal, to keep \"2.5\""), "\(run)")
    #expect(try folder.read("q.csv") == "sku,qty\nA,2.5\nB,3\n")
    let undone = try folder.run(["q.csv", "-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone)")
    #expect(try folder.read("q.csv") == text)
  }

  /// The editor of a cell keeps what commands keep, says so, and sees no change of another program in it.
  @Test(arguments: [("2.5", "decimal"), ("007", "text")])
  func theEditorOfACellKeepsText(text: String, type: String) throws {
    try folder.write("sku,qty\nA,2\nB,3\n", to: "q.csv")
    let typed = try folder.run(["q.csv", "--keys", "-"], input: "l Enter C-u \"\(text)\"")
    #expect(
      typed.output.contains("Enter makes the column \(type), to keep \"\(text)\""),
      "\(typed)"
    )
    let run = try folder.run(["q.csv", "--keys", "-"], input: "l Enter C-u \"\(text)\" Enter w q")
    #expect(run.status == 0 && !run.output.contains("another program"), "\(run)")
    #expect(try folder.read("q.csv") == "sku,qty\nA,\(text)\nB,3\n")
  }

  /// The types that unsaved values need stay while other fields get theirs and another program changes the file.
  @Test(arguments: ["q.csv", "q.json"], [false, true])
  func severalFractionsAreKept(name: String, othersChange: Bool) throws {
    let isCSV = name == "q.csv"
    try folder.write(
      isCSV
        ? "sku,qty,num\nA,3,1\nB,10,2\n"
        : #"[{"sku":"A","qty":3,"num":1},{"sku":"B","qty":10,"num":2}]"#,
      to: name
    )
    let other =
      othersChange ? "\"$catalog\" \(name) -e 'set where sku=\"B\" qty=11' -e save >&2\n" : ""
    let run = try folder.inShell(
      """
      { printf '%s\n' 'set where sku="A" qty=2.5'; sleep 1
      \(other)printf '%s\n' 'set where sku="B" num=1.5' 'set where sku="A" num=0.5' save; } \
        | "$catalog" \(name)
      """
    )
    #expect(run.output.contains("2 updated"), "\(run)")
    let qty = othersChange ? "11" : "10"
    #expect(
      try folder.read(name)
        == (isCSV
          ? "sku,qty,num\nA,2.5,0.5\nB,\(qty),1.5\n"
          : #"[{"sku":"A","qty":2.5,"num":0.5},{"sku":"B","qty":\#(qty),"num":1.5}]"#)
    )
  }

  /// Two undos in one run bring back two types.
  @Test func twoUndosBringBackTwoTypes() throws {
    let text = "k,a,b\nK0,1.5,2.5\nK1,3,4\n"
    try folder.write(text, to: "q.csv")
    for line in ["set 1 a=7", "set 1 b=9"] {
      #expect(try folder.run(["q.csv", "-e", line, "-e", "save"]).status == 0)
    }
    let run = try folder.run(["q.csv", "-e", "undo", "-e", "undo", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("q.csv") == text)
  }

  @Test func oneCommandTakesFractionsForSeveralColumns() throws {
    try folder.write("sku,qty,num\nA,3,1\n", to: "q.csv")
    let run = try folder.run(["q.csv", "-e", "set 1 qty=2.5 num=1.5", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("q.csv") == "sku,qty,num\nA,2.5,1.5\n")
  }

  @Test func aFractionImportedIntoJSON() throws {
    try folder.write("[{\"n\":1,\"s\":\"a\"},{\"n\":2,\"s\":\"b\"}]", to: "n.json")
    try folder.write("n,s\n1.5,a\n", to: "in.csv")
    let run = try folder.run(["n.json", "-e", "import in.csv by s", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("n.json") == "[{\"n\":1.5,\"s\":\"a\"},{\"n\":2,\"s\":\"b\"}]")
  }

  @Test func aFractionInJSONIsUndone() throws {
    try folder.write("[{\"n\": 1}, {\"n\": 2}]", to: "n.json")
    let run = try folder.run([
      "n.json", "-e", "set 1 n=1.5", "-e", "list fields n", "-e", "undo", "-e", "save",
    ])
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("1.5"), "\(run)")
    #expect(try folder.read("n.json") == "[{\"n\": 1}, {\"n\": 2}]")
  }

  @Test(arguments: [
    ("q.csv", "set 1 qty=abc"), ("q.csv", "set 1 qty=2.x"), ("t.json", "set where qty=1 qty=2.5"),
    // The columns of other programs have the types that these gave them.
    ("d.db", "set 1 qty=2.5"),
  ])
  func whatIsNoFractionAndWhatHasTypesIsRefused(name: String, command: String) throws {
    try folder.write("sku,qty\nA,2\n", to: "q.csv")
    _ = try folder.run([
      "t.json", "-e", "entity create T qty:integer", "-e", "insert qty=1", "-e", "save",
    ])
    try folder.database(
      "d.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, qty INTEGER)",
      "INSERT INTO t VALUES (1, 2)"
    )
    let run = try folder.run([name, "-e", command])
    #expect(run.status == 1 && run.errors.contains("is not a whole number"), "\(run)")
    #expect(run.errors.contains("field type qty decimal") == (name == "t.json"))
  }
}
