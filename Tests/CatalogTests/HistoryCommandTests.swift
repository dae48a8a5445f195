import Foundation
import Testing

/// The history as programs read it.
@Suite struct HistoryCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs commands on a log.
  @discardableResult
  private func run(_ commands: String..., options: [String] = []) throws -> ProgramRun {
    try folder.run(["a.catlog"] + options + commands.flatMap { ["-e", $0] })
  }

  /// The lines of the history as objects.
  private func history(_ arguments: String = "", options: [String] = []) throws -> [[String: Any]] {
    let run = try run("history \(arguments)", options: options + ["--format", "jsonl"])
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    return try run.output.split(separator: "\n").map { line in
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      )
    }
  }

  /// A log with one entity and three transactions: its schema, two records, and changes of both.
  private func makeLog() throws {
    let made = try run(
      "entity create Item name:text size:integer",
      "save",
      "insert name=a size=1",
      "insert name=b size=2",
      "save",
      "set where name = 'a' size=5",
      "delete where name = 'b'",
      "save"
    )
    #expect(made.status == 0, "\(made.errors)")
  }

  /// A log begins with the schema of its first save, so no step of it is stored as a change of the schema.
  @Test(arguments: [1, 300]) func theFirstSaveTellsWhichEntitiesItMade(count: Int) throws {
    try folder.write(
      "name\n" + (1...count).map { "item \($0)\n" }.joined(),
      to: "items.csv"
    )
    try run("import items.csv into Item", "save")
    let changes = try history()
    #expect(changes.count == count + 1)
    #expect(changes.first?["op"] as? String == "schema")
    #expect((changes.first?["after"] as? String)?.contains("create Item") == true, "\(changes[0])")
    #expect(try history("Item").count == count + 1)
    try run("entity create Other size:integer", "save")
    #expect(try history("Other").count == 1)
  }

  @Test(arguments: ["none", "1"]) func discardedTransactionsAreReported(kept: String) throws {
    try makeLog()
    try run("compact", options: ["--history", kept])
    let note =
      kept == "none"
      ? "note: the history is empty; earlier transactions were discarded"
      : "note: the history begins with transaction 3; earlier ones were discarded"
    let since = try run("history since 2020-01-01")
    #expect(since.status == 0 && since.errors == "catalog: \(note)\n", "\(since)")
    if kept == "none" {
      let all = try run("history")
      #expect(all.status == 0 && all.errors == "catalog: \(note)\n", "\(all)")
    }
    for command in ["revert all to 2", "revert all to 2020-01-01", "history since 1"] {
      let run = try run(command, options: ["--answers", "jsonl"])
      #expect(run.status == 1 && run.output.contains("\"code\":\"history-expired\""), "\(run)")
    }
  }

  @Test func eachChangeIsAnObject() throws {
    try makeLog()
    let changes = try history(options: ["--author", "Eco"])
    #expect(changes.map { $0["token"] as? Int } == [1, 2, 2, 3, 3])
    #expect(
      changes.map { $0["op"] as? String } == ["schema", "insert", "insert", "update", "delete"]
    )
    #expect(
      Set(changes[0].keys) == [
        "token", "time", "author", "message", "op", "entity", "id", "before", "after",
      ]
    )
    #expect(changes[0]["after"] as? String == "entity create Item")
    #expect(changes[1]["before"] is NSNull)
    #expect((changes[1]["after"] as? [String: Any])?["name"] as? String == "a")
    #expect(changes[3]["before"] as? [String: Int] == ["size": 1])
    #expect(changes[3]["after"] as? [String: Int] == ["size": 5])
    #expect((changes[4]["before"] as? [String: Any])?["size"] as? Int == 2)
    #expect(changes[3]["id"] as? String == changes[1]["id"] as? String)
  }

  @Test func noTransactionIsShortened() throws {
    let rows = (1...300).map { "\($0)\n" }.joined()
    let made = try folder.run(
      ["a.catlog", "-e", "import - into Item", "-e", "save"],
      input: "number\n" + rows
    )
    #expect(made.status == 0, "\(made.errors)")
    #expect(try history("Item").count { $0["op"] as? String == "insert" } == 300)
    #expect(try run("history Item").output.contains("+ 300 records"))
  }

  @Test func theListCanBeLimited() throws {
    try makeLog()
    func tokens(_ arguments: String) throws -> [Int] {
      try history(arguments).compactMap { $0["token"] as? Int }
    }
    #expect(try tokens("since 1") == [2, 2, 3, 3])
    #expect(try tokens("since 3") == [])
    #expect(try tokens("until 1") == [1])
    #expect(try tokens("since 1 until 2") == [2, 2])
    #expect(try tokens("limit 1") == [3, 3], "without since, the last ones")
    #expect(try tokens("since 0 limit 2") == [1, 2, 2], "after since, the first ones")
    #expect(try tokens("since 2000-01-01") == [1, 2, 2, 3, 3])
    #expect(try tokens("until 2000-01-01T00:00:00Z") == [])
    let time = try #require(try history("until 1")[0]["time"] as? String)
    #expect(try tokens("since \(time)").contains(1))
    #expect(try tokens("until \(time)").contains(1))
    let day = try #require(try history("since 2")[0]["time"] as? String).prefix(10)
    #expect(try tokens("until \(day)") == [1, 2, 2, 3, 3], "all of the day")
    let id = try #require(try history("since 1")[0]["id"] as? String)
    #expect(try tokens("\(id) since 2") == [3])
  }

  @Test(arguments: [
    ("history since yesterday", "column 15: since: \"yesterday\" is not a token or a time"),
    ("history until", "missing token or time after \"until\""),
    ("history where author = \"Eco\"", "unexpected \"where\"; print it with --format jsonl"),
    ("history limit x", "limit: \"x\" is not a whole number of 0 or more"),
    ("history since 1 since 2", "duplicate \"since\""),
    ("history Itme", "unknown entity \"Itme\"; available: Item"),
    ("history since 9", "unknown token 9 (last is 3)"),
    ("history until 2 --follow", "--follow cannot be combined with \"until\""),
    ("history zzzzzz", "record \"zzzzzz\" not found"),
  ])
  func wrongArgumentsAreExplained(line: String, message: String) throws {
    try makeLog()
    let run = try run(line)
    #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func schemaStepsKeepTheirOrder() throws {
    let made = try run(
      "entity create B x:text",
      "save",
      "field add B y:text",
      "entity create A z:text",
      "field rename B x w",
      "field drop B y",
      "field add B v:integer",
      "save"
    )
    #expect(made.status == 0, "\(made.errors)")
    let words = [
      "field add B y:text", "entity create A", "field rename B x w", "field drop B y",
      "field add B v:integer",
    ]
    #expect(try history("since 1").compactMap { $0["after"] as? String } == words)
    #expect(try history("A").compactMap { $0["after"] as? String } == ["entity create A"])
    #expect(try run("history since 1").output.contains(words.joined(separator: ", ")))
    let compacted = try run("compact", options: ["--history", "1"])
    #expect(compacted.status == 0, "\(compacted.errors)")
    #expect(try history().compactMap { $0["after"] as? String } == words)
  }

  @Test func aJSONFileWithoutAHistoryFileSaysThatItKeepsNone() throws {
    func run(_ arguments: String...) throws -> ProgramRun {
      try folder.run(["a.json", "--history", "none"] + arguments)
    }
    let made = try run("--sample", "-e", "save", "-e", "history")
    #expect(made.status == 0 && made.output.contains("\t+ "))
    #expect(made.errors == "", "its own save is in it")
    let later = try run("-e", "history")
    #expect(later.status == 0 && later.output == "token\ttime\tauthor\tchange\n")
    let note = "a.json keeps a history only while it is open; use a log (.catlog) to keep it"
    #expect(later.errors == "catalog: note: \(note)\n")
    let since = try run("-e", "history since 2000-01-01")
    #expect(since.errors == "catalog: note: \(note)\n")
    let answer = try run("--answers", "jsonl", "-e", "history")
    #expect(answer.output.contains(#""records":[],"notes":["a.json keeps a history only"#))
    #expect(answer.errors == "")
  }

  @Test func aJSONFileCannotBeFollowed() throws {
    #expect(try folder.run(["a.json", "--sample", "-e", "save"]).status == 0)
    let followed = try folder.run(["a.json", "-e", "history --follow"])
    #expect(followed.status == 1 && followed.output == "")
    #expect(followed.errors.contains("history --follow: a.json cannot be followed; use a log"))
  }

  @Test func followingPrintsWhatOthersSaveInOrder() throws {
    try makeLog()
    let script = """
      "$catalog" a.catlog --format jsonl -e 'history since 1 limit 12 --follow' >out 2>err & follower=$!
      i=0
      while [ ! -s out ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
      for n in 1 2 3 4 5 6 7 8 9 10; do
        "$catalog" a.catlog -e "insert name=n$n" -e save >/dev/null 2>&1
        if [ $n = 5 ]; then sleep 0.5; "$catalog" a.catlog --history 2 -e compact >/dev/null 2>&1; fi
      done
      wait $follower; echo $?
      """
    let run = try folder.inShell(script)
    let errors = try folder.read("err")
    #expect(run.output == "0\n", "\(errors)")
    let tokens = try folder.read("out").matches(of: /"token": ([0-9]+)/).compactMap { Int($0.1) }
    #expect(tokens == [2, 2, 3, 3] + Array(4...13))
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func followingEndsByASignal(signal: String, status: Int) throws {
    try makeLog()
    let run = try folder.inShell(
      """
      timeout --preserve-status -s \(signal) 2 "$catalog" a.catlog -e 'history --follow' >out 2>err
      echo $?
      """
    )
    #expect(run.output == "\(status)\n")
    #expect(try folder.read("err") == "")
    #expect(try folder.read("out").split(separator: "\n").count == 6)
  }

  @Test func followingWithALimitHasOneAnswer() throws {
    try makeLog()
    let run = try run("history since 1 limit 2 --follow", options: ["--answers", "jsonl"])
    #expect(run.status == 0 && run.output.split(separator: "\n").count == 1, "\(run)")
    let tokens = run.output.matches(of: /"token": ([0-9]+)/).compactMap { Int($0.1) }
    #expect(Set(tokens) == [2, 3], "\(run.output)")
    let endless = try self.run("history --follow", options: ["--answers", "jsonl"])
    #expect(endless.output.contains("add \\\"limit N\\\""), "\(endless.output)")
  }

  @Test func followingReportsAnExpiredHistory() throws {
    try makeLog()
    #expect(try run("compact", options: ["--history", "none"]).status == 0)
    let run = try run("history since 1 --follow")
    #expect(
      run.status == 1 && run.errors.contains("history starts after transaction 3; 1 is too old")
    )
    let answer = try self.run("history since 1", options: ["--answers", "jsonl"])
    #expect(answer.output.contains(#""code":"history-expired""#), "\(answer.output)")
  }

  @Test func aViewShowsThePast() throws {
    try makeLog()
    let past = try run(
      "list fields name,size sort name",
      "history limit 1",
      options: ["--at", "2"]
    )
    #expect(past.status == 0, "\(past.errors)")
    #expect(past.output.hasPrefix("name\tsize\na\t1\nb\t2\n") && !past.output.contains("\n3\t"))
    #expect(try run("entities", options: ["--at", "0"]).output.contains("Item") == false)
    let late = try run("count", options: ["--at", "2999-01-01"])
    #expect(late.output == "1\n")
    let edit = try run("insert name=c", options: ["--at", "2"])
    #expect(edit.status == 1 && edit.errors.contains("read-only store (opened with --at)"))
    let copied = try run("saveas past.json", options: ["--at", "2"])
    #expect(copied.output == "saved 2 records to past.json\n", "\(copied.errors)")
    let refused = try run("saveas no.json", options: ["--at", "2", "--read-only"])
    #expect(refused.errors.contains("opened with --read-only"))
    let screen = try folder.run(["a.catlog", "--at", "2", "--keys", "-"], input: "d")
    #expect(screen.output.contains("a.catlog at 2") && screen.output.contains("opened with --at"))
    for (time, status, message) in [
      ("9", 4, "unknown token 9 (last is 3)"),
      ("soon", 2, "--at: \"soon\" is not a token or a time"),
    ] {
      let wrong = try run("count", options: ["--at", time])
      #expect(wrong.status == Int32(status) && wrong.errors.contains(message), "\(wrong.errors)")
    }
    let json = try folder.run(["b.json", "--at", "1", "-e", "count"])
    #expect(json.status == 2 && json.errors.contains("only a log (.catlog) can be opened at T"))
    #expect(try run("compact", options: ["--history", "1"]).status == 0)
    let gone = try run("count", options: ["--at", "1"])
    #expect(gone.status == 4 && gone.errors.contains("1 is too old"), "\(gone.errors)")
    #expect(try run("count", options: ["--at", "2"]).output == "2\n")
  }

  @Test func allRecordsAreReverted() throws {
    try makeLog()
    #expect(try run("insert name=c", "insert name=d", "save").status == 0)
    let reverted = try run("revert all to 2", "list fields name,size sort name", "undo", "count")
    #expect(
      reverted.output == """
        reverted: 1 inserted, 1 updated, 2 deleted
        name\tsize
        a\t1
        b\t2
        3

        """,
      "\(reverted.errors)"
    )
    let saved = try run("revert all to 2", "save", "revert all to 4", "save")
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(saved.output.contains("saved: 1 inserted, 1 updated, 2 deleted"))
    #expect(try run("list fields name sort name").output == "name\na\nc\nd\n")
    #expect(try run("diff a.catlog").status == 0)
    let busy = try run("insert name=x", "revert all to 2")
    #expect(busy.errors.contains("revert all: unsaved changes"))
    #expect(try run("revert all to 99").errors.contains("unknown transaction \"99\""))
    #expect(try run("revert all to 1999-01-01", "count").output.hasSuffix("deleted\n0\n"))
  }

  @Test func linksBetweenRevertedRecordsAreRestored() throws {
    let made = try run(
      "entity create Author name:text",
      "entity create Book title:text author:link:Author",
      "save",
      "insert Author name=Eco",
      "insert Book title=Rose author=t1",
      "save",
      "delete Book where true",
      "delete Author where true",
      "insert Author name=Levi",
      "save",
      "revert all to 2",
      "save"
    )
    #expect(made.status == 0, "\(made.errors)")
    let list = try run("list Author fields id,name", "list Book fields author").output
      .split(separator: "\n")
    #expect(list.count == 4 && list[1].hasPrefix(list[3] + "\tEco"), "\(list)")
  }

  /// Such a token is of another copy of the store; to wait for it would take forever.
  @Test(arguments: ["b.catlog", "b.db"])
  func aTokenAfterTheLastTransactionIsAnError(store: String) throws {
    let made = try folder.run([
      store, "-e", "entity create Item n:integer", "-e", "insert n=1", "-e", "save",
    ])
    #expect(made.status == 0, "\(made)")
    for command in ["history since 9", "history since 9 limit 1 --follow"] {
      let run = try folder.run([store, "-e", command])
      #expect(run.status == 1 && run.errors.contains("unknown token 9 (last is 1)"), "\(run)")
    }
    let last = try folder.run([store, "--format", "jsonl", "-e", "history since 1"])
    #expect(last.status == 0 && last.output == "", "\(last)")
  }
}
