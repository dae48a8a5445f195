import Foundation
import Glibc
import Testing

/// Undoing saves of earlier runs that have changed the type of a field, or the encoding, which follow from the values.
@Suite struct GuessedTypeUndoTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ file: String, _ commands: String...) throws -> ProgramRun {
    try folder.run([file] + commands.flatMap { ["-e", $0] })
  }

  /// Formerly refused, because a column of numbers has no place for such a text.
  @Test(
    arguments: ["undo", "revert all to 0"],
    [
      ("f.csv", "k,v\na,1.50\nb,n/a\nc,3\n", "text"), ("f.csv", "k,v\na,1\nb,007\nc,3\n", "text"),
      ("f.csv", "k,v\na,1\nb,2.50\nc,3\n", "decimal"),
      ("f.csv", "k,v\na,2020-01-01\nb,soon\nc,\n", "text"),
      ("f.json", #"[{"v":1},{"v":[1, 2]},{"v":3}]"#, "json"),
      ("f.json", #"{"f":[{"v":1},{"v":true},{"v":3}],"g":[{}]}"#, "json"),
      ("f.jsonl", "{\"v\":1.50}\n{\"v\":{\"a\": 1}}\n", "json"),
    ]
  )
  func theFieldHasItsFormerTypeAgain(command: String, file: (String, String, String)) throws {
    let (name, text, type) = file
    try folder.write(text, to: name)
    let value = text.contains("2020") ? "2021-01-01" : "5"
    #expect(try run(name, "set f/2 v=\(value)", "save").status == 0)
    let edited = try folder.read(name)
    #expect(edited != text)
    #expect(try !run(name, "schema f").output.contains("v\t\(type)\t"))
    let undone = try run(name, "list f", command, "schema f", "save")
    #expect(undone.status == 0 && undone.output.contains("v\t\(type)\t"), "\(undone)")
    #expect(try folder.read(name) == text)
    if command == "undo" {
      #expect(try run(name, "undo", "save").status == 0)
      #expect(try folder.read(name) == edited)
    }
  }

  @Test func aRevertedRecordAndAFieldWithoutValuesHaveThemAgain() throws {
    try folder.write("k,v\na,1\nb,x\n", to: "f.csv")
    let saves = ["set 1 v=2", "save", "set 2 v=5", "save"]
    #expect(try folder.run(["f.csv"] + saves.flatMap { ["-e", $0] }).status == 0)
    #expect(try run("f.csv", "revert 2 to 1", "save").status == 0)
    #expect(try folder.read("f.csv") == "k,v\na,2\nb,x\n")
    try folder.write(#"[{"v":1},{"v":2}]"#, to: "f.json")
    #expect(try run("f.json", "set f where true v=", "save").status == 0)
    let undone = try run("f.json", "undo", "save")
    #expect(undone.status == 0, "\(undone)")
    #expect(try folder.read("f.json") == #"[{"v":1},{"v":2}]"#)
  }

  /// Formerly the letter came back in UTF-8.
  @Test(arguments: ["set 1 v=plain", "set where true v=z"])
  func aFileKeepsItsEncodingWithoutLettersThatShowIt(edit: String) throws {
    let bytes = Data("k,v\na,caf".utf8) + [0xE9] + Data("\nb,x\n".utf8)
    let url = URL(fileURLWithPath: folder.file("f.csv"))
    try bytes.write(to: url)
    #expect(try run("f.csv", edit, "save").status == 0)
    #expect(try run("f.csv", "undo", "save").status == 0)
    #expect(try Data(contentsOf: url) == bytes)
    // What another program has written decides itself.
    #expect(try run("f.csv", edit, "save").status == 0)
    try folder.write("k,v\na,plain\n", to: "f.csv")
    #expect(try run("f.csv", "set 1 v=é", "save").status == 0)
    #expect(try folder.read("f.csv") == "k,v\na,é\n")
  }

  @Test(arguments: ["k,v\na,1.50\nb,n/a\nc,3\n", "k,v\na,1\nb,2.5\nc,3\n"])
  func anUndoIsRecoveredAfterACrash(text: String) throws {
    try folder.write(text, to: "f.csv")
    let run = try ScreenRun([folder.file("f.csv"), "--plain"])
    #expect(run.shows("catalog> "))
    run.type("set 2 v=5\nsave\nundo\n")
    #expect(run.shows("undone"), "\(run.received)")
    usleep(200_000)
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    #expect(try folder.read("f.csv") != text)
    let recovered = try self.run("f.csv", "recover", "save")
    #expect(recovered.status == 0, "\(recovered)")
    #expect(try folder.read("f.csv") == text)
  }

  /// What is unsaved keeps the spelling that it has in the file, or had.
  @Test func unsavedNumbersStayAsTheyAreSpelled() throws {
    let text = "k,v\na,1.50\nb,n/a\nc,2.50\n"
    try folder.write(text, to: "f.csv")
    #expect(try run("f.csv", "set 2 v=5", "save").status == 0)
    #expect(try run("f.csv", "set 1 v=7", "save").status == 0)
    let refused = try run("f.csv", "undo", "undo")
    #expect(refused.status != 0 && refused.errors.contains("; save first"), "\(refused)")
    #expect(try run("f.csv", "undo", "save", "undo", "save").status == 0)
    #expect(try folder.read("f.csv") == text)
  }
}
