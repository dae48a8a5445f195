import Foundation
import Testing

/// Files and folders that are missing, in the words of the commands that need them.
@Suite struct MissingPlaceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["nope.csv", "nope.json", "nope.catlog", "nope.db"])
  func aMissingFileIsNamed(file: String) throws {
    let run = try folder.run([file, "-e", "count"])
    #expect(
      run.status == 1
        && run.errors.contains("no entities yet: \(file) does not exist; create one with"),
      "\(run)"
    )
    let none = try folder.run(["memory:", "-e", "count"])
    #expect(none.errors.contains("no entities yet; create one with"), "\(none)")
  }

  /// The folder for histories follows from the environment.
  @Test func withoutAHomeTheStatusSaysThatNoHistoryIsKept() throws {
    try folder.write("a\n1\n", to: "f.csv")
    let script = "unset HOME XDG_STATE_HOME; \"$catalog\" f.csv -e status -e history"
    let run = try folder.inShell(script)
    #expect(
      run.output.contains(
        "history: not kept when the store is closed: neither XDG_STATE_HOME nor HOME is set\n"
      ),
      "\(run)"
    )
    #expect(run.errors.contains("only while it is open, because neither XDG_STATE_HOME"), "\(run)")
    let log = try folder.inShell(script.replacing("f.csv", with: "f.catlog"))
    #expect(!log.output.contains("history:"), "\(log)")
    let unwanted = try folder.inShell(
      script.replacing("-e status", with: "--history none -e status")
    )
    #expect(!unwanted.output.contains("history:"), "\(unwanted)")
  }
}
