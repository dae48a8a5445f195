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
}
