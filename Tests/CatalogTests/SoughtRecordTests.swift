import Testing

/// Records that a command updates or adds, while other programs add them.
@Suite struct SoughtRecordTests {
  /// Formerly every program that found no record added one.
  @Test(arguments: ["t.csv", "t.jsonl", "t.json", "t.catlog", "t.db"])
  func upsertsAtTheSameTimeLeaveOneRecord(name: String) throws {
    let folder = try TemporaryFolder()
    switch name {
    case "t.csv": try folder.write("a,b\n1,x\n", to: name)
    case "t.jsonl": try folder.write("{\"a\": 1, \"b\": \"x\"}\n", to: name)
    default:
      let made = try folder.run(
        [name, "-e", "entity create t a:integer b:text", "-e", "insert a=1 b=x", "-e", "save"]
      )
      #expect(made.status == 0, "\(made)")
    }
    let run = try folder.inShell(
      """
      seq 8 | xargs -P 8 -I % "$catalog" \(name) -e "upsert by a a=5 b=w" -e save >/dev/null 2>>errors
      cat errors
      "$catalog" \(name) -e 'count where a = 5' -e 'count where b = "w"'
      """
    )
    #expect(run.output == "1\n1\n", "\(run)")
  }

  /// The values of the later command are set on the record of the earlier one.
  @Test(arguments: ["t.csv", "t.catlog"])
  func eachCommandSetsItsFields(name: String) throws {
    let folder = try TemporaryFolder()
    if name == "t.csv" {
      try folder.write("a,b,c\n1,x,y\n", to: name)
    } else {
      let create = "entity create t a:integer b:text c:text"
      #expect(try folder.run([name, "-e", create, "-e", "save"]).status == 0)
    }
    let run = try folder.inShell(
      """
      printf 'b=w\\nc=z\\n' | xargs -P 2 -I % "$catalog" \(name) -e "upsert by a a=5 %" -e save >/dev/null
      "$catalog" \(name) -e 'list where a = 5 fields a,b,c'
      """
    )
    #expect(run.output == "a\tb\tc\n5\tw\tz\n", "\(run)")
  }
}
