import Foundation
import Testing

/// What `export` and `saveas` write is read back as the same records, by the rule or as the message says.
@Suite struct OwnSeparatedValuesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Records with one field, of which some values are missing.
  @Test(arguments: ["csv", "tsv"])
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
}
