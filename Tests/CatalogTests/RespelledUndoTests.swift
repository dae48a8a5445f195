import Foundation
import Testing

/// Undoing in a later run a save that has taken the last value of its column.
@Suite struct RespelledUndoTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    arguments: [
      "1.50", "1E5", "\"1.50\"", "2024-01-01T02:00:00+02:00", "TRUE", "12",
    ],
    ["set 1 a=", "delete 1"]
  )
  func theValueIsSpelledAsBefore(value: String, command: String) throws {
    let text = "name,a\nx,\(value)\ny,\n"
    for (name, back) in [("u.csv", "undo"), ("r.csv", "revert all to 0")] {
      try folder.write(text, to: name)
      let saved = try folder.run([name, "-e", command, "-e", "save"])
      #expect(saved.status == 0, "\(saved)")
      let run = try folder.run([name, "-e", back, "-e", "save"])
      #expect(run.status == 0, "\(run)")
      let lines = try folder.read(name).split(separator: "\n").sorted()
      #expect(lines == text.split(separator: "\n").sorted(), "\(back)")
    }
  }

  /// Without the last backslash, the file does not tell that they stand for themselves.
  @Test(arguments: ["set 1 path=new", "delete 1"])
  func backslashesStandForThemselvesAsBefore(command: String) throws {
    let text = "path\tq\nC:\\temp\t1\nx\t2\n"
    try folder.write(text, to: "t.tsv")
    #expect(try folder.run(["t.tsv", "-e", command, "-e", "save"]).status == 0)
    let run = try folder.run(["t.tsv", "-e", "undo", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    let lines = try folder.read("t.tsv").split(separator: "\n").sorted()
    #expect(lines == text.split(separator: "\n").sorted())
  }

  /// The columns of a file that is imported are of the file's types, unless a code makes one text.
  @Test(arguments: ["02/03/2024", "02:30", "007a", "01.02.2024"])
  func whatIsNoNumberIsRefusedInAnImport(text: String) throws {
    try folder.write("k,f\na,1\nb,20\n", to: "t.csv")
    try folder.write("k,f\na,\(text)\n", to: "i.csv")
    let run = try folder.run(["t.csv", "-e", "import i.csv by k"])
    #expect(run.status == 1 && run.errors.contains("is not a whole number"), "\(run)")
  }
}
