import Foundation
import Testing

/// Undoing saves of earlier runs.
@Suite struct EarlierUndoTests {
  private let folder: TemporaryFolder
  private static let stores = ["a.catlog", "a.db", "a.json"]

  init() throws { folder = try TemporaryFolder() }

  /// Runs commands as a user.
  @discardableResult
  private func run(_ store: String, _ commands: String..., author: String = "ann") throws
    -> ProgramRun
  {
    try folder.run([store, "--author", author] + commands.flatMap { ["-e", $0] })
  }

  /// A store with two saves of a record.
  private func make(_ store: String) throws {
    let made = try run(
      store,
      "entity create Item name:text size:integer",
      "save",
      "insert name=a size=1",
      "save",
      "set where name = 'a' size=5",
      "save"
    )
    #expect(made.status == 0, "\(made.errors)")
  }

  private static let list = "list fields name,size"

  @Test(arguments: stores) func undoGoesOnWithTheSavesOfEarlierRuns(store: String) throws {
    try make(store)
    let undone = try run(store, "undo", Self.list, "undo", "count", "redo", Self.list, "save")
    #expect(undone.status == 0, "\(undone.errors)")
    let lines = undone.output.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "name\tsize", "a\t1", "0", "name\tsize", "a\t1",
        "saved: 0 inserted, 1 updated, 0 deleted",
      ]
    )
    #expect(try run(store, Self.list).output.contains("a\t1"))
  }

  /// The values of a file have other types when a column changes; formerly the record was gone then.
  @Test(arguments: [
    ("n.csv", "k,v\na,1.5\nb,2\n", "v=0.00001"), ("n.csv", "k,v\na,1.5\nb,2\n", "v=1e23"),
    ("d.csv", "d,v\nn/a,1\n2020-01-01 10:00,2\n", "d=\"2020-01-02 10:00\""),
    ("j.json", #"[{"k":"a","v":{"x":1}},{"k":"b","v":{"x":2}}]"#, "v=null"),
    ("j.jsonl", "{\"v\":{\"x\":1}}\n{\"v\":[2]}\n", "v=null"),
  ])
  func aRecordIsFoundWhenItsSaveHasChangedATypeOfTheFile(
    store: String,
    text: String,
    values: String
  ) throws {
    try folder.write(text, to: store)
    #expect(try run(store, "set 1 \(values)", "save").status == 0)
    #expect(try folder.read(store) != text)
    let undone = try run(store, "undo", "save")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try folder.read(store) == text)
  }

  private static let towns = "town,name,qty\na,b,1\nc,d,2\n"

  /// Which of two equal records another program has removed cannot be known.
  @Test(arguments: [
    ("c,d,2\na,b,1\n", nil), ("a,b,1\nc,d,2\ne,f,3\n", nil),
    ("c,d,2\na,b,1\na,b,1\n", "c,d,2\na,b,1\n"),
    ("a,b,1\ne,f,3\nc,d,2\na,b,1\na,b,1\n", "a,b,1\ne,f,3\nc,d,2\na,b,1\n"),
  ])
  func theLastOfEqualRecordsIsNotTakenForAnother(theirs: String, expected: String?) throws {
    try folder.write(Self.towns, to: "u.csv")
    #expect(try run("u.csv", "insert town=a name=b qty=1", "save").status == 0)
    try folder.write("town,name,qty\n" + theirs, to: "u.csv")
    let undone = try run("u.csv", "undo", "save")
    #expect(undone.status == (expected == nil ? 1 : 0), "\(undone.errors)")
    #expect(
      expected != nil || undone.errors.contains("fewer equal records are left"),
      "\(undone.errors)"
    )
    let text = try folder.read("u.csv")
    let equal = text.components(separatedBy: "a,b,1").count - 1
    #expect(equal == (expected ?? theirs).components(separatedBy: "a,b,1").count - 1, "\(text)")
  }

  /// Two equal records of one save are both undone.
  @Test func equalRecordsOfOneSaveAreAllUndone() throws {
    try folder.write(Self.towns, to: "u.csv")
    let insert = "insert town=a name=b qty=1"
    #expect(try run("u.csv", insert, insert, "save").status == 0)
    try folder.write(Self.towns + "a,b,1\na,b,1\nx,y,9\n", to: "u.csv")
    #expect(try run("u.csv", "undo", "save").status == 0)
    #expect(try folder.read("u.csv").components(separatedBy: "a,b,1").count == 2)
  }

  private static let people = "name,town\nAda,Rome\nBob,Oslo\nCid,Bern\n"

  /// Records are known by positions; formerly those of earlier runs were looked for in the file as this run had left it.
  @Test(arguments: [
    (
      [["set 1 town=Paris"], ["set 1 town=Berlin"]],
      ["set 1 town=London", "set 2 name=Ada town=Berlin", "save", "revert all to 1"],
      "name,town\nAda,Paris\nBob,Oslo\nCid,Bern\n"
    ),
    (
      [["insert name=Dan town=Graz"]],
      ["set 4 name=Eve town=Ulm", "set 2 name=Dan town=Graz", "save", "undo", "undo", "undo"],
      people
    ),
    (
      [["set 1 town=Paris"], ["insert name=Dan town=Graz"]],
      ["set 4 name=Zed town=Graz", "save", "revert all to 1"],
      "name,town\nAda,Paris\nBob,Oslo\nCid,Bern\n"
    ),
    (
      [["set 1 town=Paris"]],
      ["delete 1", "insert name=Ada town=Paris", "save", "undo", "undo", "undo"], people
    ),
    (
      [["set 1 town=Paris"]], ["set 1 name=Eve town=Kiel", "save", "history", "undo", "undo"],
      people
    ),
    // Another record has the values before the change, or the same ones in another spelling.
    ([["duplicate 2", "set 2 town=Ulm"]], ["undo"], people),
    ([["delete 1", "duplicate 2"]], ["undo"], people),
  ])
  func savesOfEarlierRunsAreUndoneWhateverThisRunHasSaved(
    earlier: [[String]],
    commands: [String],
    expected: String
  ) throws {
    try folder.write(Self.people, to: "p.csv")
    let options = ["p.csv", "--read", "header=yes"]
    for commands in earlier + [commands] {
      let run = try folder.run(options + (commands + ["save"]).flatMap { ["-e", $0] })
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try folder.read("p.csv") == expected)
  }

  /// Neither the copy nor the original is written as the other one.
  @Test func aCopyIsUndoneAndNotTheRecordWithTheSameValueInAnotherSpelling() throws {
    let text = "id,q\n1000,1\n1002,1e1\n1003,3\n"
    try folder.write(text, to: "c.csv")
    #expect(try run("c.csv", "delete 1", "duplicate 2", "save").status == 0)
    #expect(try run("c.csv", "undo", "save").status == 0)
    #expect(try folder.read("c.csv") == text)
  }

  /// A column becomes one of numbers, in which an empty text is a missing value.
  @Test func aRecordIsFoundWhoseEmptyTextIsMissingNow() throws {
    try folder.write("c,a\nn,x\n", to: "e.csv")
    #expect(try run("e.csv", #"insert c="" a=y"#, "set 1 c=1", "save").status == 0)
    #expect(try run("e.csv", "undo", "save").status == 0)
    #expect(try folder.read("e.csv") == "c,a\nn,x\n")
  }

  /// A text in a file with decimal commas is a number when its column has nothing else.
  @Test func aRecordIsFoundWhoseTextWithADecimalCommaIsANumberNow() throws {
    try folder.write("k;v\na;1,125\nb;x\nc;2,5\n", to: "d.csv")
    let options = ["d.csv", "--read", "decimal=comma"]
    let set = try folder.run(options + ["-e", #"set 2 v="3,25""#, "-e", "save"])
    #expect(set.status == 0, "\(set.errors)")
    let undone = try folder.run(options + ["-e", "undo", "-e", "save"])
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try folder.read("d.csv") == "k;v\na;1,125\nb;x\nc;2,5\n")
  }

  /// Formerly the record came back without its values.
  @Test(arguments: ["revert all to 1", "revert 2 to 1"])
  func aRevertToFieldsThatAreGoneBringsThemBack(command: String) throws {
    try folder.write(#"[{"n":"a","v":1,"w":{"x":[1,2]}},{"n":"b"}]"#, to: "f.json")
    #expect(try run("f.json", "set 2 n=x", "save").status == 0)
    #expect(try run("f.json", "delete 1", "save").status == 0)
    let reverted = try run("f.json", command, "save")
    #expect(reverted.status == 0, "\(reverted)")
    #expect(try folder.read("f.json") == #"[{"n":"a","v":1,"w":{"x":[1,2]}},{"n":"x"}]"#)
  }

  private static let shop =
    "sku,note,price,code,size\nS100,aa,10,k1,x\nS107,bb,1.5,k2,word\nS114,cc,2,k3,y\nS135,zz,1000,k4,v\n"

  /// A save in the same run refuses that as well.
  @Test func aKeyThatWasExchangedLeadsToNoOtherRecord() throws {
    try folder.write(Self.shop, to: "w.csv")
    #expect(try run("w.csv", "set 2 note=zz", "save").status == 0)
    let theirs = try folder.read("w.csv").replacing("S107", with: "TMP")
      .replacing("S135", with: "S107").replacing("TMP", with: "S135")
    try folder.write(theirs, to: "w.csv")
    let undone = try run("w.csv", "undo", "save")
    #expect(undone.errors.contains("sku S107 is on a record with other values"), "\(undone)")
    #expect(try folder.read("w.csv") == theirs)
  }

  /// Its column is one of texts, in which the record had a number.
  @Test func aDeletedRecordKeepsItsSpellingsWhenAnotherProgramHasChangedTheFile() throws {
    try folder.write("{\"k\":\"a\",\"v\":1.50}\n{\"k\":\"b\",\"v\":\"w\"}\n", to: "l.jsonl")
    #expect(try run("l.jsonl", "delete 1", "save").status == 0)
    let theirs = try folder.read("l.jsonl") + "{\"k\":\"c\",\"v\":2}\n"
    try folder.write(theirs, to: "l.jsonl")
    let undone = try run("l.jsonl", "undo", "save")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try folder.read("l.jsonl") == theirs + "{\"k\":\"a\",\"v\":1.50}\n")
  }

  /// A file without records shows no fields; those of its last save are known.
  @Test(arguments: [
    ("f.json", "[\n  {\"a\": 1.50, \"b\": \"x\"},\n  {\"a\": 2}\n]\n"),
    ("f.jsonl", "{\"a\": 1.50, \"b\": \"x\"}\n{\"a\": 2}\n"),
    ("f.json", "{\"f\": [{\"a\": 1.50, \"b\": \"x\"}], \"other\": [{\"c\": 1}]}\n"),
  ])
  func anEmptiedFileOfAnotherProgramIsRestored(store: String, text: String) throws {
    try folder.write(text, to: store)
    #expect(try run(store, "delete f where true", "save").status == 0)
    let list = try run(store, "list f fields a,b")
    #expect(list.output == "a\tb\n", "\(list)")
    let undone = try run(store, "undo", "save")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try folder.read(store) == text)
  }

  /// Another program has emptied the file: what it had before does not count.
  @Test func aFileThatAnotherProgramHasEmptiedHasNoFields() throws {
    try folder.write("[{\"a\": 1}]\n", to: "f.json")
    #expect(try run("f.json", "delete f where true", "save").status == 0)
    try folder.write("[ ]\n", to: "f.json")
    #expect(try !run("f.json", "schema f").output.contains("integer"))
  }

  @Test(arguments: stores) func theScreenTellsWhichSaveItUndoes(store: String) throws {
    try make(store)
    let screen = try folder.run(
      [store, "--author", "ann", "--size", "120x24", "--keys", "-"],
      input: "u"
    ).output
    #expect(
      screen.contains(
        /undone: the save of \d{4}-\d\d-\d\d \d\d:\d\d \(1 updated\); saved before/
      ),
      "\(screen)"
    )
  }

  @Test(arguments: stores) func changesOfThisRunAreUndoneFirst(store: String) throws {
    try make(store)
    let undone = try run(
      store,
      "set where name = 'a' size=7",
      "save",
      "undo",
      Self.list,
      "undo",
      Self.list,
      "redo",
      "redo",
      Self.list,
      "rollback"
    )
    let sizes = undone.output.split(separator: "\n").filter { $0.hasPrefix("a\t") }
    #expect(sizes == ["a\t5", "a\t1", "a\t7"], "\(undone.output)\(undone.errors)")
  }

  @Test(arguments: stores) func savesOfOthersAreLeftAlone(store: String) throws {
    try make(store)
    #expect(try run(store, "insert name=b", "save", author: "bob").status == 0)
    let undone = try run(store, "undo", Self.list, "rollback")
    #expect(undone.output.contains("a\t1\nb\t"), "\(undone.output)\(undone.errors)")
    let other = try run(store, "undo", author: "eve")
    #expect(other.errors.contains("nothing to undo"), "\(other.errors)")
  }

  /// They were not made before the session, even if they are older than its own.
  @Test(arguments: stores, [false, true])
  func savesDuringTheSessionAreLeftAlone(store: String, savesItself: Bool) throws {
    try make(store)
    // The history of a JSON file is in the home folder.
    let home = "HOME=\(folder.path)"
    let arguments = [folder.file(store), "--author", "ann"]
    let screen = try ScreenRun(arguments, environment: [home], columns: 120)
    #expect(screen.shows("Item"))
    #expect(try run(store, "insert name=b", "save").status == 0)
    #expect(screen.shows(": 1 new"))
    if savesItself {
      screen.type(":insert name=c\rw")
      #expect(screen.shows("1 inserted"))
      screen.type("u")
      #expect(screen.shows("undone: insert"))
    }
    screen.type("u")
    #expect(screen.shows("(1 updated); saved before this session"))
    screen.type("wq")
    #expect(screen.wait() == .exited(0))
    #expect(try run(store, Self.list).output == "name\tsize\na\t1\nb\t\n")
  }

  @Test(arguments: stores) func aValueThatAnotherUserChangedSinceIsAConflict(store: String) throws {
    try make(store)
    #expect(try run(store, "set where name = 'a' size=9", "save", author: "bob").status == 0)
    let undone = try run(store, "undo", "save")
    #expect(undone.status == 5, "\(undone.output)\(undone.errors)")
    #expect(
      undone.errors.contains("changed by another program") || undone.errors.contains("size"),
      "\(undone.errors)"
    )
    #expect(try run(store, Self.list).output.contains("a\t9"))
  }

  @Test(arguments: stores) func aRecordThatIsGoneIsNamed(store: String) throws {
    try make(store)
    #expect(try run(store, "delete where name = 'a'", "save", author: "bob").status == 0)
    let undone = try run(store, "undo")
    #expect(undone.status == 1, "\(undone.output)\(undone.errors)")
    #expect(undone.errors.contains("no longer exists"), "\(undone.errors)")
  }

  @Test(arguments: stores) func aDeletionIsUndoneWithItsIdentifier(store: String) throws {
    try make(store)
    let before = try run(store, "list").output
    #expect(try run(store, "delete where name = 'a'", "save").status == 0)
    #expect(try run(store, "undo", "save").status == 0)
    #expect(try run(store, "list").output == before)
  }

  @Test(arguments: stores) func aChangeOfTheSchemaIsNotUndone(store: String) throws {
    try make(store)
    #expect(try run(store, "field add Item note:text", "save").status == 0)
    let undone = try run(store, "undo")
    #expect(undone.errors.contains("changed the schema and cannot be undone"), "\(undone.errors)")
  }

  /// What another program has saved since this run began is no earlier save, in a file that had no history then either.
  @Test func aSaveDuringTheRunIsNoEarlierSave() throws {
    try folder.write("k,p,n\na,12.50,1\nb,9.99,2\nc,4.25,3\n", to: "v.csv")
    let run = try folder.inShell(
      """
      { printf '%s\n' 'set where k="b" n=9'; sleep 1
      "$catalog" v.csv -e 'set where k="a" n=4' -e save >&2
      printf '%s\n' save undo 'history' undo; } | "$catalog" v.csv --keep-going
      """
    )
    #expect(run.errors.contains("nothing to undo"), "\(run)")
    #expect(run.output.ranges(of: "n: 1 → 4").count == 1, "\(run)")
  }
}
