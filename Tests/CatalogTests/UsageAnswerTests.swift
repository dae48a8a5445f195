import Foundation
import Testing

/// Wrong usage is answered with a JSON object for programs that ask for answers.
@Suite struct UsageAnswerTests {
  @Test(arguments: [
    ["--script", "nope"], ["--entity", "Foo"], ["--schema", "nope.json"], ["--args-env", "NOPE"],
    ["--at", "1"], ["--keys", "nope"], ["--config", "nope"], ["--theme", "nope"],
    ["--store", "nope"],
  ])
  func anInvalidOptionIsAnInvalidCommand(option: [String]) throws {
    let folder = try TemporaryFolder()
    let made = try folder.run(["a.db", "-e", "entity create E k:text", "-e", "save"])
    #expect(made.status == 0, "\(made)")
    let run = try folder.run(["a.db", "--answers", "jsonl"] + option, input: "count\n")
    #expect(run.status == 2, "\(run)")
    let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(answer?["code"] as? String == "invalid-command", "\(run)")
    #expect(answer?["status"] as? Int == 2)
  }

  @Test func anArgumentThatIsNotTextIsAnswered() throws {
    let folder = try TemporaryFolder()
    let run = try folder.inShell(
      "\"$catalog\" memory: --answers jsonl --arg A \"$(printf '\\377')\" -e count"
    )
    #expect(run.status == 2, "\(run)")
    let answer = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(answer?["code"] as? String == "invalid-command", "\(run)")
    #expect((answer?["message"] as? String)?.contains("not valid UTF-8") == true, "\(run)")
  }
}
