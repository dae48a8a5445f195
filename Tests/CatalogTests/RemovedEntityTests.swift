import Foundation
import Testing

/// An entity that is removed takes its records along: they are shown as deleted.
@Suite struct RemovedEntityTests {
  private let folder: TemporaryFolder
  private static let removal = ["entity create A n:text", "insert n=x", "save", "undo", "undo"]

  init() throws { folder = try TemporaryFolder() }

  private func run(_ location: String, _ commands: [String], _ options: [String] = []) throws
    -> ProgramRun
  {
    try folder.run([location] + options + (Self.removal + commands).flatMap { ["-e", $0] })
  }

  @Test(arguments: ["a.json", "a.catlog", "memory:"])
  func theSaveCountsItsRecords(location: String) throws {
    let run = try run(location, ["status", "save"])
    #expect(run.output.contains("deleted: 1\n"), "\(run)")
    #expect(run.output.contains("saved: 0 inserted, 0 updated, 1 deleted\n"), "\(run)")
  }

  @Test(arguments: ["a.json", "a.catlog", "memory:"])
  func changesListsItsRecords(location: String) throws {
    let run = try run(location, ["changes", "quit!"], ["--format", "jsonl"])
    let lines = run.output.split(separator: "\n").suffix(2)
    #expect(
      lines.first?.hasPrefix(#"{"op": "schema", "entity": "A", "id": null, "#) == true,
      "\(run)"
    )
    #expect(lines.last?.hasPrefix(#"{"op": "delete", "entity": "A", "id": ""#) == true, "\(run)")
    #expect(lines.last?.contains(#""before": {"n":"x"}"#) == true, "\(run)")
  }

  @Test(arguments: ["a.json", "memory:"])
  func theHistoryOfTheSessionHasItsRecords(location: String) throws {
    let run = try run(location, ["save", "history"], ["--format", "jsonl"])
    let last = run.output.split(separator: "\n").last ?? ""
    #expect(last.contains(#""op": "delete", "entity": "A""#), "\(run)")
  }
}
