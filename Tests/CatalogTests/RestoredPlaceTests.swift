import Foundation
import Testing

/// A saved deletion that is undone brings the records back to their places in the file.
@Suite struct RestoredPlaceTests {
  private static let files: [(name: String, text: String)] = [
    (
      "a.json",
      "[ {\"n\": 1, \"x\" : 1.50},\n  {\"n\": 2},\n {\"n\": 3}, {\"n\": 4}, {\"n\": 5} ]\n"
    ),
    ("a.jsonl", "{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n{\"n\": 4}\n{\"n\": 5}\n"),
    ("a.csv", "n,x\n1,a\n2,\"b\"\n3,c\n4,d\n5,e"),
    ("b.csv", "n\r\n1\r\n2\r\n3\r\n4\r\n5\r\n"),
  ]
  private static let deletions = [
    "n = 1", "n = 3", "n = 5", "n in (2, 3)", "n in (1, 2, 4)", "n in (1, 3, 5)", "n > 3", "true",
  ]

  /// The values of `n` in the order of the file.
  private func numbers(_ folder: TemporaryFolder, _ name: String) throws -> [String] {
    let run = try folder.run([name, "--no-header", "-e", "list fields n"])
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test(arguments: files, deletions)
  func undoRestoresThePlaces(file: (name: String, text: String), deletion: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(file.text, to: file.name)
    let run = try folder.run(
      [file.name] + ["delete where \(deletion)", "save", "undo", "save"].flatMap { ["-e", $0] }
    )
    #expect(run.status == 0, "\(run)")
    #expect(try numbers(folder, file.name) == ["1", "2", "3", "4", "5"])
    guard file.name != "a.json", file.name != "a.csv" else { return }
    #expect(try folder.read(file.name) == file.text)
  }

  /// Others are changed, deleted and added in the same save, and none of their bytes differ.
  @Test func otherRecordsChangeInTheSameSave() throws {
    let folder = try TemporaryFolder()
    try folder.write("[ {\"n\": 1},\n  {\"n\" :2},\n {\"n\":3}, {\"n\": 4} ]\n", to: "a.json")
    let commands = [
      "delete where n in (2, 3)", "save", "undo", "delete where n = 1", "set where n = 3 n=7",
      "insert n=9", "save",
    ]
    let run = try folder.run(["a.json"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(try numbers(folder, "a.json") == ["2", "7", "4", "9"])
    #expect(try folder.read("a.json").contains("{\"n\": 4}"))
  }

  /// A catalog keeps its order, too, and the next save finds every record.
  @Test func catalogsKeepTheirOrder() throws {
    let folder = try TemporaryFolder()
    let made = try folder.run(["a.json", "--sample", "-e", "save"])
    #expect(made.status == 0, "\(made)")
    let before = try folder.read("a.json")
    let commands = [
      "delete where releaseYear < 2005", "save", "undo", "save",
      "set where title = \"Cars\" director=X",
      "save", "undo", "save", "check",
    ]
    let run = try folder.run(["a.json"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.output.hasSuffix("ok\n"), "\(run)")
    #expect(try folder.read("a.json") == before)
  }

  // MARK: Texts

  private static let spelled: [(name: String, text: String)] = [
    ("a.csv", "n,x\n1,1.50\n2,1E5,more,\"yet\"\n3,\"7.0\"\n4\n5,9\n"),
    ("a.tsv", "n\tx\r\n1\t1.50\r\n2\t1E5\tmore\r\n3\t7.0\r\n4\r\n5\t9\r\n"),
    (
      "a.jsonl", "{\"n\":1,\"x\" : 1.50}\n{\"x\":1E5,\"n\":2}\n{\"n\": 3}\n{ \"n\":4 }\n{\"n\":5}\n"
    ),
    (
      "a.json",
      "{\"r\": [\n  {\"n\":1,\"x\" : 1.50},\n  {\"x\":1E5,\"n\":2},\n  {\"n\": 3, \"x\": null},\n"
        + "  {\"n\":4},\n  {\"n\": 5}\n]}\n"
    ),
  ]

  @Test(arguments: spelled, ["n = 2", "n in (1, 2, 4)", "n < 5"])
  func undoRestoresTheTextOfRecords(file: (name: String, text: String), deletion: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(file.text, to: file.name)
    let deleted = ["delete where \(deletion)", "save"]
    let run = try folder.run(
      [file.name] + (deleted + ["undo", "save"]).flatMap { ["-e", $0] }
    )
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read(file.name) == file.text)
    // With many records deleted, the type of the column follows from the remaining ones.
    guard deletion == "n = 2" else { return }
    // A later run has the texts from the history, but not the places.
    _ = try folder.run([file.name] + deleted.flatMap { ["-e", $0] })
    let undone = try folder.run([file.name, "-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone)")
    func lines(_ text: String) -> [String] {
      text.split(whereSeparator: \.isNewline)
        .map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }.sorted()
    }
    #expect(lines(try folder.read(file.name)) == lines(file.text))
  }

  @Test func aRestoredRecordThatChangesKeepsTheRest() throws {
    let folder = try TemporaryFolder()
    try folder.write("n,x,y\n1,1.50,2.50\n2,1E5,3.00,more\n3,7,8\n", to: "a.csv")
    let commands = ["delete where n = 2", "save", "undo", "set where n = 2 y=4", "save"]
    let run = try folder.run(["a.csv"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("a.csv") == "n,x,y\n1,1.50,2.50\n2,1E5,4,more\n3,7,8\n")
  }

  @Test func unknownMembersOfACatalogComeBack() throws {
    let folder = try TemporaryFolder()
    #expect(try folder.run(["a.json", "--sample", "-e", "save"]).status == 0)
    let made = try folder.read("a.json").replacing(
      ", \"title\":",
      with: ", \"mine\": [1.0, 2], \"title\":"
    )
    try folder.write(made, to: "a.json")
    let commands = ["delete where releaseYear < 2005", "save", "undo", "save"]
    let run = try folder.run(["a.json"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("a.json") == made && made.contains("\"mine\""))
  }

  /// A field that was dropped in between does not come back with the text.
  @Test func textsOfOtherFieldsAreNotUsed() throws {
    let folder = try TemporaryFolder()
    try folder.write("n,x,y\n1,1.50,2.50\n2,1E5,3.00\n3,7,8\n", to: "a.csv")
    let commands = ["delete where n = 2", "save", "field drop x", "save", "undo", "undo", "save"]
    let run = try folder.run(["a.csv"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(run)")
    #expect(try numbers(folder, "a.csv") == ["1", "2", "3"])
    let listed = try folder.run(["a.csv", "--no-header", "-e", "list where n = 2 fields x,y"])
    #expect(listed.output == "100000\t3\n")
  }

  // MARK: New records

  @Test(arguments: ["a.csv", "a.catlog", "a.db"])
  func newRecordsReturnToTheirPlacesBeforeTheyAreSaved(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("n\n1\n2\n", to: "a.csv")
    if name != "a.csv" {
      #expect(try folder.run(["a.csv", "-e", "saveas \(name)"]).status == 0)
    }
    let commands = [
      "insert n=3", "insert n=4", "insert n=5", "delete t1 t2", "undo", "list fields n", "save",
    ]
    let run = try folder.run([name, "--no-header"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.output.contains("\n1\n2\n3\n4\n5\n"), "\(run)")
    #expect(try numbers(folder, name) == ["1", "2", "3", "4", "5"])
  }
}
