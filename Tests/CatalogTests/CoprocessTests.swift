import Foundation
import Testing

/// Programs that send commands and read an answer for each.
@Suite struct CoprocessTests {
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A program without time-outs: every command has exactly one answer, which arrives at once.
  private static let driver = """
    import json, subprocess, sys
    p = subprocess.Popen([sys.argv[1], "a.catlog", "--answers", "jsonl", "--keep-going"],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    sent = 0
    def ask(line):
        global sent
        sent += 1
        p.stdin.write(line + "\\n")
        p.stdin.flush()
        answer = json.loads(p.stdout.readline())
        assert answer["line"] == sent, (line, answer)
        return answer
    def object(**values):
        return json.dumps(values)
    assert ask("entity create Item key:integer! name:text")["ok"]
    texts = ['a"b', "line\\nend", "; delete where true", "\\U0001F600", "", "$x", "\\\\"]
    ids = {}
    for n in range(2500):
        answer = ask("insert Item " + object(key=n, name=texts[n % len(texts)]))
        assert answer["ok"] and answer["command"] == "insert", answer
        ids[n] = answer["id"]
    saved = ask("save")
    assert (saved["inserted"], saved["updated"], saved["deleted"]) == (2500, 0, 0), saved
    assert len(saved["ids"]) == 2500
    for n in range(2500):
        answer = ask("set " + saved["ids"][ids[n]] + " " + object(key=-n))
        assert answer["ok"] and answer["count"] == 1, answer
        answer = ask("show " + saved["ids"][ids[n]])
        assert answer["record"]["key"] == -n, answer
        assert answer["record"]["name"] == texts[n % len(texts)], answer
        if n % 2:
            answer = ask("set t0 key=1")
            assert not answer["ok"] and answer["code"] == "unknown-record", answer
            assert answer["status"] == 1 and answer["message"], answer
        else:
            answer = ask("count where keey = 1")
            assert answer["code"] == "unknown-field" and answer["column"] == 13, answer
    p.stdin.write("# no command, no answer\\n\\n")
    sent += 2
    assert ask("save")["updated"] == 2499
    p.stdin.close()
    assert p.stdout.read() == ""
    assert p.wait() == 1, p.returncode
    print(sent)
    """

  @Test func aProgramSendsTenThousandCommands() throws {
    guard let python = Self.python else {
      print("SKIPPED: python3 not found; no program drives the coprocess")
      return
    }
    let folder = try TemporaryFolder()
    try folder.write(Self.driver, to: "driver.py")
    let run = try folder.inShell("\(python) driver.py \"$catalog\"")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.output == "10005\n")
  }

  @Test func everyKindOfResultIsOneObject() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["a.json", "--sample", "--answers", "jsonl"],
      input: """
        # a comment
        list where releaseYear > 2025 sort title limit 1 fields title,releaseYear
        insert title="a\\nb"
        changes
        freq releaseYear where releaseYear > 2024
        entities
        check
        expect 32
        save
        undo
        delete where releaseYear < 2000
        quit!

        """
    )
    let lines = withoutIdentifiers(run.output).split(separator: "\n").map(String.init)
    let expected = [
      #"{"line":2,"command":"list","ok":true,"records":[{"title": "Hoppers", "releaseYear": 2026}]}"#,
      #"{"line":3,"command":"insert","ok":true,"id":"t32"}"#,
      nil,
      #"{"line":5,"command":"freq","ok":true,"records":[{"value": 2026, "count": 2},{"value": 2025, "count": 1}]}"#,
      nil,
      #"{"line":7,"command":"check","ok":true,"problems":[]}"#,
      #"{"line":8,"command":"expect","ok":true,"message":"found 32 records","count":32}"#,
      #"{"line":9,"command":"save","ok":true,"inserted":32,"updated":0,"deleted":0,"ids":{"t32":"ID"}}"#,
      nil, nil, #"{"line":12,"command":"quit","ok":true}"#,
    ]
    #expect(lines.count == expected.count, "\(run.output)")
    for (line, expected) in zip(lines, expected) where expected != nil {
      #expect(line == expected)
    }
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["ok"] as? Bool == true, "\(line)")
    }
    #expect(run.status == 0 && run.errors == "")
  }

  @Test func aFailureIsAnAnswerAndEndsTheScript() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["memory:", "--sample", "--answers", "jsonl"],
      input: "count where titel = 1\ncount\n"
    )
    #expect(
      run.output == #"{"line":1,"ok":false,"status":1,"column":13,"code":"unknown-field","#
        + #""message":"Film has no field \"titel\"; did you mean \"title\"?"}"# + "\n"
    )
    #expect(run.status == 1 && run.errors == "")
  }

  @Test(arguments: [
    ("frob", "unknown-command"), ("list Flim", "unknown-entity"),
    ("set t9 title=A", "unknown-record"),
    ("insert title=A releaseYear=x", "invalid-value"), ("count where (", "invalid-predicate"),
    ("count where title = $x", "unknown-parameter"), ("expect 1", "expectation-failed"),
    ("import none.csv", "inaccessible"), ("insert", "invalid-value"),
    ("list limit x", "invalid-command"),
    ("insert title='a", "unclosed-quote"),
  ])
  func failuresHaveCodes(line: String, code: String) throws {
    let run = try TemporaryFolder().run(
      ["memory:", "--sample", "--answers", "jsonl"],
      input: line + "\nsave\n"
    )
    #expect(run.output.contains("\"code\":\"\(code)\""), "\(run.output)")
    #expect(run.errors.split(separator: "\n").count <= 1, "\(run.errors)")
  }
}
