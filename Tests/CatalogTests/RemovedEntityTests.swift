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

  @Test(arguments: ["a.json", "a.catlog", "memory:"])
  func itsRecordsCannotBeReverted(location: String) throws {
    let run = try run(location, ["save", "revert all to 1"])
    #expect(run.status == 1, "\(run)")
    #expect(
      run.errors.contains(
        "revert all: nothing to revert; 1 record skipped: the entities no longer exist"
      ),
      "\(run)"
    )
  }

  /// Another program has removed one or both of the entities since.
  @Test func anUndoNamesTheEntitiesOfRecordsThatItCannotRestore() throws {
    let deletions = ["delete a where true", "delete b where true", "save"]
    func undo(after theirs: String) throws -> ProgramRun {
      try folder.write(#"{"a": [{"n": 1}], "b": [{"n": 2}]}"#, to: "o.json")
      let deleted = try folder.run(["o.json"] + deletions.flatMap { ["-e", $0] })
      try #require(deleted.status == 0, "\(deleted)")
      try folder.write(theirs, to: "o.json")
      return try folder.run(["o.json", "-e", "undo", "-e", "save"])
    }
    let partial = try undo(after: #"{"b": []}"#)
    #expect(
      partial.status == 0
        && partial.output.hasSuffix(
          "; not undone: 1 record of a, which no longer exists\n"
            + "saved: 1 inserted, 0 updated, 0 deleted\n"
        ),
      "\(partial)"
    )
    let whole = try undo(after: #"{"c": []}"#)
    #expect(whole.status == 1 && whole.output == "", "\(whole)")
    #expect(whole.errors.contains("2 records of a, b, which no longer exist;"), "\(whole)")
  }

  private static let kept = [
    "entity create A n:text", "save", "insert n=x", "insert n=y", "save",
    #"set where n="y" n=z"#, "save",
  ]

  /// Removes an entity with records, and returns the commands that another run then prints.
  private func after(_ location: String, _ commands: [String], _ options: [String] = []) throws
    -> ProgramRun
  {
    let removal = Self.kept + ["undo", "undo", "undo", "undo", "save"]
    let run = try folder.run([location] + removal.flatMap { ["-e", $0] })
    #expect(run.status == 0 && run.output.contains("0 updated, 2 deleted"), "\(run)")
    return try folder.run([location] + options + commands.flatMap { ["-e", $0] })
  }

  @Test(arguments: ["a.json", "a.catlog"], [["history"], ["history A"], ["history since 3"]])
  func laterRunsShowItsRecordsInTheHistory(location: String, commands: [String]) throws {
    let run = try after(location, commands, ["--format", "jsonl"])
    let lines = run.output.split(separator: "\n").filter { $0.contains("\"token\": 4,") }
    #expect(lines.count == 3 && lines[0].contains("entity drop A"), "\(run)")
    let deleted = lines.dropFirst().joined()
    for part in [#""op": "delete", "entity": "A""#, #""before": {"n":"x"}"#] {
      #expect(deleted.contains(part), "\(run)")
    }
  }

  @Test func theHistoryOfARemovedRecordEndsWithItsDeletion() throws {
    let all = try after("a.catlog", ["history"]).output.split(separator: "\n")
    let inserted = try #require(all.first { $0.contains("+ ") })
    let identifier = String(inserted.suffix(16))
    let run = try folder.run(["a.catlog", "-e", "history \(identifier)"])
    let lines = run.output.split(separator: "\n").map { $0.split(separator: "\t").last ?? "" }
    #expect(lines.first == "change" && lines.last == "- \(identifier)", "\(run)")
    let followed = try folder.run(["a.catlog", "-e", "history since 3 limit 1 --follow"])
    #expect(followed.output.contains("- \(identifier)"), "\(followed)")
  }
}
