import Foundation
import Testing

/// Saves of programs that run beside others, and the comparison of stores.
@Suite struct CronTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Changes a record, lets another program change the same value, and goes on with the last lines.
  private func conflicting(_ store: String, _ lines: [String], options: String = "--keep-going")
    throws -> ProgramRun
  {
    let made = try folder.run([
      store, "-e", "entity create Item name:text n:integer", "-e", "insert name=a n=0", "-e",
      "save",
    ])
    #expect(made.status == 0, "\(made.errors)")
    try folder.write(lines.map { $0 + "\n" }.joined(), to: "rest")
    return try folder.inShell(
      """
      rm -f out
      { echo 'set where name = "a" n=1'; echo count; i=0
        while [ ! -s out ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
        "$catalog" \(store) -e 'set where name = "a" n=2' -e save >other 2>&1
        cat rest; } | "$catalog" \(store) \(options) >out 2>err
      status=$?; cat out err; exit $status
      """
    )
  }

  private func value(_ store: String) throws -> String {
    try folder.run([store, "-e", "list fields n"]).output
  }

  @Test(arguments: ["a.json", "a.catlog"], ["mine", "theirs"])
  func aSaveKeepsOneSide(store: String, side: String) throws {
    let run = try conflicting(store, ["save keep \(side)"])
    #expect(run.status == 0, "\(run.output)")
    #expect(try value(store) == (side == "mine" ? "n\n1\n" : "n\n2\n"))
  }

  @Test func aConflictFailsTheSaveUntilItIsResolved() throws {
    let failed = try conflicting("a.catlog", ["save"])
    #expect(failed.status == 5, "\(failed.output)")
    let resolved = try conflicting("b.catlog", ["save", "resolve all mine", "save"])
    #expect(resolved.status == 0, "\(resolved.output)")
    #expect(try value("b.catlog") == "n\n1\n")
    let kept = try conflicting("c.catlog", ["save", "resolve all theirs"])
    #expect(kept.status == 0, "\(kept.output)")
    let given = try conflicting("d.catlog", ["save", "rollback"])
    #expect(given.status == 5, "\(given.output)")
    let other = try conflicting("e.catlog", ["save", "nonsense", "save keep mine"])
    #expect(other.status == 1, "\(other.output)")
  }

  @Test func theSaveAtTheEndKeepsASide() throws {
    let run = try conflicting("a.catlog", ["save keep mine message nightly"], options: "--atomic")
    #expect(run.status == 0, "\(run.output)")
    #expect(try value("a.catlog") == "n\n1\n")
    let history = try folder.run(["a.catlog", "--format", "jsonl", "-e", "history limit 1"])
    #expect(history.output.contains(#""message": "nightly""#))
  }

  @Test func messagesAndAuthorsAreInTheHistory() throws {
    let text = "He said \"no\"\nand left"
    let run = try folder.run(
      [
        "a.catlog", "--author", "cron", "--arg", "M", text, "-e", "entity create Item name:text",
        "-e", "save message 'the schema'", "-e", "insert name=a", "-e", "save message $M", "-e",
        "insert name=b", "-e", "save",
      ],
      environment: ["USER": "ann"]
    )
    #expect(run.status == 0, "\(run.errors)")
    func history(_ options: String...) throws -> String {
      try folder.run(["a.catlog"] + options + ["-e", "history"]).output
    }
    let table = try history()
    #expect(table.contains("\tcron\tmessage: the schema\n"), "\(table)")
    let json = try history("--format", "jsonl").split(separator: "\n")
    #expect(
      json[1].contains(#""author": "cron", "message": "He said \"no\"\nand left""#),
      "\(json)"
    )
    #expect(json[2].contains(#""message": null"#))
    #expect(try folder.run(["a.catlog", "--history", "2", "-e", "compact"]).status == 0)
    #expect(try history("--format", "jsonl").contains(#"He said \"no\""#), "after compaction")
    #expect(try folder.run(["a.catlog", "-e", "check"]).output == "ok\n")
    let screen = try folder.run(["a.catlog", "--keys", "-"], input: "H").output
    #expect(screen.contains("by cron: He said \"no\""), "\(screen)")
  }

  @Test func theAuthorIsTheUserByDefault() throws {
    let commands = ["-e", "entity create E x:text", "-e", "save", "-e", "history"]
    let named = try folder.run(["a.catlog"] + commands, environment: ["USER": "ann"])
    #expect(named.output.contains("\tann\t"))
    let nameless = try folder.run(
      ["b.catlog"] + commands,
      environment: ["USER": "", "LOGNAME": ""]
    )
    let user = try folder.inShell("id -un").output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(nameless.output.contains("\t\(user)\t"), "\(nameless.output)")
  }

  @Test func aJSONFileWithoutAHistoryDoesNotKeepTheMessage() throws {
    let run = try folder.run(["a.json", "--history", "none", "--sample", "-e", "save message x"])
    #expect(run.status == 0)
    #expect(run.errors == "catalog: note: a.json does not keep the message\n")
  }

  @Test(arguments: [
    (["-e", "save keep yours"], 1, "keep: expected mine or theirs"),
    (["-e", "save message"], 1, "missing text after \"message\""),
    (["-e", "save message ''"], 1, "message: empty text"),
    (["-e", "save copy.json"], 1, "to copy the store, use \"saveas copy.json\""),
    (["--author", " ", "-e", "count"], 2, "--author: empty name"),
    (
      ["--wait", "soon", "-e", "count"], 2,
      "--wait: expected seconds from 0 to 86400, found \"soon\""
    ),
    (["--wait", "-1", "-e", "count"], 2, "--wait: expected seconds"),
  ])
  func wrongArgumentsAreExplained(arguments: [String], status: Int, message: String) throws {
    let run = try folder.run(["memory:", "--sample"] + arguments)
    #expect(run.status == Int32(status) && run.errors.contains(message), "\(run.errors)")
  }

  @Test func aBusyStoreIsWaitedFor() throws {
    #expect(try folder.run(["a.json", "--sample", "-e", "save"]).status == 0)
    let locked = """
      import fcntl, struct, sys, time
      f = open(".a.json.lock", "a+")
      fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
      open("held", "w").close()
      time.sleep(float(sys.argv[1]))
      """
    try folder.write(locked, to: "lock.py")
    let script = """
      command -v python3 >/dev/null || { echo skipped; exit; }
      python3 lock.py 3 & holder=$!
      while [ ! -e held ]; do sleep 0.02; done
      "$catalog" a.json --wait 0.1 -e 'insert title=x' -e save; echo $?
      "$catalog" a.json --wait 30 -e 'insert title=y' -e save >/dev/null; echo $?
      wait $holder
      """
    let run = try folder.inShell(script)
    guard !run.output.contains("skipped") else { return print("SKIPPED: python3 not found") }
    #expect(run.output.hasSuffix("5\n0\n"), "\(run.output)\(run.errors)")
  }

  // MARK: Answers

  @Test func failuresOutsideOfCommandsAreAnswers() throws {
    let lost = try folder.run([
      "memory:", "--sample", "--answers", "jsonl", "-e", "set where title = 'Up' releaseYear=1",
    ])
    #expect(lost.status == 3 && lost.errors == "")
    let last = try #require(lost.output.split(separator: "\n").last)
    #expect(last.hasPrefix(#"{"ok":false,"status":3,"code":"discarded","message":"discarded 1 "#))
    try folder.write("{", to: "bad.json")
    let bad = try folder.run(["bad.json", "--answers", "jsonl", "-e", "count"])
    #expect(bad.status == 4 && bad.errors == "")
    #expect(bad.output.hasPrefix(#"{"ok":false,"status":4,"code":"#), "\(bad.output)")
    let unknown = try folder.run(["memory:", "--answers=jsonl", "--size", "large"])
    #expect(unknown.status == 2 && unknown.errors == "")
    #expect(
      unknown.output.hasPrefix(
        #"{"ok":false,"status":2,"code":"invalid-command","message":"--size: invalid size"#
      ),
      "\(unknown.output)"
    )
    let text = try folder.run(["--size", "large", "--", "--answers=jsonl"])
    #expect(text.status == 2 && text.output == "" && text.errors.hasPrefix("catalog: --size:"))
  }

  @Test func upsertedRecordsAreInTheAnswers() throws {
    let run = try folder.run([
      "memory:", "--sample", "--answers", "jsonl", "-e", "upsert by title title=New releaseYear=1",
      "-e", "upsert by title title=Up releaseYear=2009", "-e", "save",
    ])
    let answers = run.output.split(separator: "\n")
    let id = try #require(answers[0].firstMatch(of: /"id":"(t[0-9]+)"/)?.1)
    #expect(answers[1].contains(#""id":""#) && answers[1].contains(#""unchanged":1"#))
    #expect(answers[2].contains("\"ids\":{\"\(id)\":\""), "\(answers)")
    let text = try folder.run([
      "memory:", "--sample", "-e", "upsert by title title=New", "-e", "save",
    ])
    #expect(text.output.split(separator: "\n").count == 2, "scripts print no identifier of it")
  }

  // MARK: Comparing

  @Test func storesAreCompared() throws {
    let made = try folder.run([
      "a.catlog", "-e", "entity create Item sku:text n:integer", "-e", "insert sku=A n=1", "-e",
      "insert sku=B n=2", "-e", "save", "-e", "saveas b.json",
    ])
    #expect(made.status == 0, "\(made.errors)")
    func diff(_ words: String, _ options: String...) throws -> ProgramRun {
      try folder.run(["a.catlog"] + options + ["-e", "diff \(words)"])
    }
    let same = try diff("b.json by sku")
    #expect(same.status == 0 && same.output == "" && same.errors == "", "\(same.errors)")
    let changed = try folder.run([
      "b.json", "-e", "set where sku = 'A' n=5", "-e", "delete where sku = 'B'", "-e",
      "insert sku=C",
      "-e", "save",
    ])
    #expect(changed.status == 0)
    let run = try diff("b.json by sku")
    #expect(run.status == 1)
    #expect(run.errors == "catalog: 1: 3 differences: 1 added, 1 changed, 1 removed\n")
    #expect(
      withoutIdentifiers(run.output) == """
        op\tentity\tid\tsku\tchange
        +\tItem\tID\tC\tC
        ~\tItem\tID\tA\tn: 1 → 5
        -\tItem\tID\tB\tB

        """
    )
    let json = try diff("b.json Item by sku", "--format", "jsonl").output.split(separator: "\n")
    #expect(
      json.count == 3
        && json.dropFirst().first?.contains(#""before": {"n":1}, "after": {"n":5}"#) == true,
      "\(json)"
    )
    let answer = try diff("b.json by sku", "--answers", "jsonl").output
    #expect(
      answer.contains(#""code":"different""#) && answer.contains(#""records":[{"op": "insert""#)
    )
    let missing = try diff("none.json by sku")
    #expect(missing.status == 4 && missing.errors.contains("none.json"), "\(missing.errors)")
    #expect(try !folder.names().contains("none.json"))
    let wrong = try diff("b.json by colour")
    #expect(wrong.status == 1 && wrong.errors.contains("Item has no field \"colour\""))
    let twice = try folder.run(["b.json", "-e", "insert sku=A", "-e", "diff a.catlog by sku"])
    #expect(twice.errors.contains("have the same sku"), "\(twice.errors)")
  }
}
