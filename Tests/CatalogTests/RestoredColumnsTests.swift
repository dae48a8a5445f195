import Foundation
import Testing

/// Undoing a change of the columns of separated values brings back every byte.
@Suite struct RestoredColumnsTests {
  private static let text =
    "\"a\",\"b\",c\r\n1,2\r\n\"x\",\"y\",\"z\"\r\n3,4,5,6\r\n7\r\n\"q\"\"r\",,\"s\"\r\n"

  static let changes = [
    "field add r d:text", "field add r d:text=x", "field drop a", "field drop b", "field drop c",
    "field rename a first",
  ]

  private func run(_ commands: [String], _ folder: TemporaryFolder) throws -> String {
    let run = try folder.run(["r.csv"] + commands.flatMap { ["-e", $0] })
    #expect(run.status == 0, "\(commands)\n\(run)")
    return try folder.read("r.csv")
  }

  private func folder(_ text: String = Self.text) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "r.csv")
    return folder
  }

  @Test(arguments: changes) func undoRestoresQuotesAndShortLines(change: String) throws {
    let (undone, redone) = (["undo", "save"], ["redo", "save"])
    let folder = try folder()
    #expect(try run([change, "save"] + undone, folder) == Self.text)
    #expect(try run([change, "save"] + undone + redone + undone, folder) == Self.text)
    #expect(try run([change, "undo", "save"], folder) == Self.text)
    let changed = try run([change, "save"], folder)
    #expect(changed != Self.text)
    try folder.write(Self.text, to: "r.csv")
    #expect(try run([change, "save"] + undone + redone, folder) == changed)
  }

  /// Several changes, undone one after the other.
  @Test func undoRestoresSeveralChanges() throws {
    let lines = Self.changes[1...].filter { $0 != "field drop a" }.flatMap { [$0, "save"] }
    let undone = (1..<Self.changes.count - 1).flatMap { _ in ["undo", "save"] }
    #expect(try run(lines + undone, folder()) == Self.text)
  }

  /// A value that was changed in between stays as it is, and so does the rest of its line.
  @Test func laterChangesStay() throws {
    let text = try run(
      ["field drop b", "save", "set 2 a=new", "field add r b:text", "save"],
      folder()
    )
    #expect(text.contains("\"new\",\"z\",\r\n"), "\(text)")
    let restored = try run(
      ["field drop b", "save", "set 2 a=new", "save", "undo", "save", "undo", "save"],
      folder()
    )
    #expect(restored == Self.text)
  }

  @Test func numbersGetTheirSpellingBack() throws {
    let text = "n;v;w\n1,5;007;x\n\"2,0\";8;y\n"
    let other = "n,v,w\n1.50,1E3,x\n\"2.0\",\"8\",y\n"
    for (text, name) in [(text, "v"), (other, "n"), (other, "v")] {
      #expect(try run(["field drop \(name)", "save", "undo", "save"], folder(text)) == text)
    }
  }
}
