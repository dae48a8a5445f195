import Foundation
import Testing

/// The confirmation of a save is printed as soon as the save is durable.
@Suite struct AnswersTests {
  /// Runs the program with a script that blocks after a save, and kills it once the confirmation
  /// arrives.
  private func answerBeforeTheEnd(_ arguments: String, _ folder: TemporaryFolder) throws -> String {
    // The pipe has no end, so that the command after the save blocks forever.
    let run = try folder.inShell(
      """
      sh -c 'echo $$ >waiting; exec sleep 20' | {
        exec 3<&0
        "$catalog" \(arguments) >out 2>err & program=$!
        i=0
        while ! grep -q '^saved' out && [ $i -lt 200 ]; do sleep 0.02; i=$((i + 1)); done
        kill -9 $program $(cat waiting)
      }
      cat out
      """
    )
    return run.output
  }

  @Test(arguments: ["a.json", "a.catlog"])
  func aSaveIsAnsweredBeforeAnythingElseIsDone(name: String) throws {
    for kind in ["-e", "--script", "<"] {
      let folder = try TemporaryFolder()
      let lines = ["entity create E k:text", "insert k=a", "save", "import /dev/fd/3 into E"]
      try folder.write(lines.joined(separator: "\n") + "\n", to: "script")
      let arguments =
        kind == "-e" ? lines.map { "-e '\($0)'" }.joined(separator: " ") : "\(kind) script"
      let output = try answerBeforeTheEnd("\(name) \(arguments)", folder)
      #expect(output.contains("saved: 1 inserted, 0 updated, 0 deleted\nt1 -> "), "\(kind)")
    }
  }

  @Test(arguments: ["schema", "schema Film", "schema export -"])
  func theAnswerOfSchemaIsTheSchema(command: String) throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(["memory:", "--sample", "--answers", "jsonl", "-e", command])
    let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    let schema = answer?["schema"] as? [String: Any]
    let entities = schema?["entities"] as? [[String: Any]]
    #expect(entities?.first?["name"] as? String == "Film", "\(run)")
    #expect(answer?["records"] == nil)
  }

  @Test func aCopyIsAnsweredBeforeAnythingElseIsDone() throws {
    let folder = try TemporaryFolder()
    let output = try answerBeforeTheEnd(
      "memory: --sample -e 'saveas b.json' -e 'import /dev/fd/3'",
      folder
    )
    #expect(output == "saved 31 records to b.json\n")
  }

  @Test func revertNamesTheDiscardedTransaction() throws {
    let folder = try TemporaryFolder()
    let saves = (1...4).flatMap { ["-e", "set where true t=\($0)", "-e", "save"] }
    let made = try folder.run(
      ["l.catlog", "-e", "entity create E t:text", "-e", "insert t=0"] + saves
    )
    #expect(made.status == 0, "\(made.errors)")
    #expect(try folder.run(["l.catlog", "--history", "2", "-e", "compact"]).status == 0)
    let record = try #require(
      try folder.run(["l.catlog", "-e", "list fields id"]).output.split(separator: "\n").last
    )
    for (token, message) in [
      (1, "transaction 1 is no longer in the history; run \"history\" to list the remaining ones"),
      (99, "unknown transaction \"99\""),
    ] {
      let run = try folder.run(["l.catlog", "-e", "revert \(record) to \(token)"])
      #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
    }
  }
}
