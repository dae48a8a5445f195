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
  ])
  func whatIsNoFractionAndWhatHasTypesIsRefused(name: String, command: String) throws {
    try folder.write("sku,qty\nA,2\n", to: "q.csv")
    _ = try folder.run([
      "t.json", "-e", "entity create T qty:integer", "-e", "insert qty=1", "-e", "save",
    ])
    let run = try folder.run([name, "-e", command])
    #expect(run.status == 1 && run.errors.contains("is not a whole number"), "\(run)")
    #expect(run.errors.contains("field type qty decimal") == (name == "t.json"))
  }
}
