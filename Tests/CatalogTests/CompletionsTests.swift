import Foundation
import Testing

@Suite struct CompletionsTests {
  /// The completions that are installed; `CATALOG_WRITE_DOCS=1` writes them.
  @Test(arguments: [("bash", "catalog.bash"), ("zsh", "_catalog"), ("fish", "catalog.fish")])
  func completionsAreWhatTheProgramPrints(shell: String, name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("Resources/completions/\(name)")
    let run = try TemporaryFolder().run(["--completions", shell])
    #expect(run.status == 0 && run.errors == "")
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      try Data(run.output.utf8).write(to: file)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == run.output)
  }

  @Test func anUnknownShellIsWrongUsage() throws {
    let run = try TemporaryFolder().run(["--completions", "csh"])
    #expect(run.status == 2)
    #expect(run.errors.contains("unknown shell \"csh\""), "\(run.errors)")
  }
}
