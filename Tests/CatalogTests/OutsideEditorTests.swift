import SQL
import Testing

@testable import SQLiteStores

/// `E` with programs of all kinds as the editor, on a pseudo-terminal.
@Suite struct OutsideEditorTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("k,v\na,1\nb,2\n", to: "f.csv")
  }

  /// The screen with an editor that runs a script on the file `$1`; `$n` is the number of the call.
  private func screen(_ script: String) throws -> ScreenRun {
    let count = folder.file("count")
    let start = "n=$(($(cat \(count) 2>/dev/null || echo 0) + 1))\necho $n > \(count)\n"
    try folder.write(start + script + "\n", to: "edit.sh")
    let run = try ScreenRun(
      [folder.file("f.csv"), "--history", "none"],
      environment: ["EDITOR=sh \(folder.file("edit.sh"))", "VISUAL="]
    )
    #expect(run.shows("2 of 2"))
    return run
  }

  @Test func lineEndsAreThoseOfTheValue() throws {
    let run = try screen(#"printf 'one\r\n' > "$1""#)
    run.type("E")
    #expect(run.shows("one"))
    run.type("wq")
    #expect(run.wait() == .exited(0))
    #expect(try folder.read("f.csv") == "k,v\none,1\nb,2\n")
  }

  @Test func theEditorOpensAgainWithTheReasonUntilEachLineIsValid() throws {
    let run = try screen(
      #"""
      case $n in
        1) printf 'x\r\n2\r\n' > "$1" ;;
        2) head -n 1 "$1" > "$0.reason"; printf '7\r\n8\r\n' > "$1" ;;
      esac
      """#
    )
    run.type("l*E")
    #expect(run.shows("set v of 2 records?"))
    #expect(try folder.read("edit.sh.reason").hasPrefix("# "))
    #expect(try folder.read("edit.sh.reason").contains("\"x\" is not a whole number"))
    run.type("ywq")
    #expect(run.wait() == .exited(0))
    #expect(try folder.read("f.csv") == "k,v\na,7\nb,8\n")
  }

  /// A text for which the column gets another type is in conflict with nobody.
  @Test(arguments: ["2.5", "007"]) func aColumnGetsAnotherType(text: String) throws {
    let run = try screen("printf '\(text)\\n2\\n' > \"$1\"")
    run.type("l*E")
    #expect(run.shows("set v of 1 record?"))
    run.type("ywq")
    #expect(run.wait() == .exited(0))
    #expect(try folder.read("f.csv") == "k,v\na,\(text)\nb,2\n")
  }

  /// Typed into a cell, a code is another value than the number, and a value of the history another type.
  @Test func aCellTakesCodesAndFormerFractions() throws {
    try folder.write("k,v\na,3\nb,2.5\n", to: "f.csv")
    let saved = try folder.run(["f.csv", "-e", "set 2 v=4", "-e", "save"])
    #expect(saved.status == 0)
    let restored = try ScreenRun([folder.file("f.csv")], environment: ["HOME=\(folder.path)"])
    #expect(restored.shows("2 of 2"))
    restored.type("jlH")
    #expect(restored.shows("history of 2"))
    restored.type("j\r")
    #expect(restored.shows("restored v as before"))
    restored.type("wq")
    #expect(restored.wait() == .exited(0))
    #expect(try folder.read("f.csv") == "k,v\na,3\nb,2.5\n")
    try folder.write("k,v\na,3\nb,4\n", to: "f.csv")
    let run = try screen("exit 1")
    run.type("jlc004\r")
    #expect(run.shows("to keep"))
    run.type("wq")
    #expect(run.wait() == .exited(0))
    #expect(try folder.read("f.csv") == "k,v\na,3\nb,004\n")
  }

  /// A row under the same key that is another one now does not get the value that was typed for the former one.
  @Test(arguments: [true, false]) func aRowThatWasReplacedStays(isAlone: Bool) throws {
    let theirs = try folder.database(
      "d.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT, q INTEGER, city TEXT)",
      "INSERT INTO t VALUES (1, 'Ada', 1, 'Rome'), (2, 'Bob', 2, 'Oslo')"
    )
    let lines = isAlone ? #"1\n22\n"# : #"11\n22\n"#
    let wait = #"touch "$0.open"; while [ ! -e "$0.go" ]; do sleep 0.05; done"#
    try folder.write("\(wait)\nprintf '\(lines)' > \"$1\"\n", to: "edit.sh")
    let run = try ScreenRun(
      [folder.file("d.db"), "--history", "none"],
      environment: ["EDITOR=sh \(folder.file("edit.sh"))", "VISUAL="]
    )
    #expect(run.shows("2 of 2"))
    run.type("ll*E")
    let end = ContinuousClock.now + .seconds(10)
    while (try? folder.read("edit.sh.open")) == nil, ContinuousClock.now < end {
      _ = run.shows("no such text", seconds: 1)
    }
    try theirs.run("DELETE FROM t WHERE id = 2")
    try theirs.run("INSERT INTO t VALUES (2, 'Zoe', 7, 'Wien')")
    try folder.write("", to: "edit.sh.go")
    #expect(run.shows("set q of \(isAlone ? "1 record" : "2 records")?"))
    run.type("y")
    #expect(run.shows(isAlone ? "t record 2:" : "another program replaced 1 record"))
    run.type(isAlone ? "q" : "wq")
    #expect(run.wait() == .exited(0))
    let rows = try theirs.rows("SELECT n, q FROM t ORDER BY id")
    #expect(rows == [[.text("Ada"), .integer(isAlone ? 1 : 11)], [.text("Zoe"), .integer(7)]])
  }

  /// An editor without a person writes the same again and again.
  @Test func theLoopEndsWithTheTerminal() throws {
    let run = try screen(#"printf 'x\n' > "$1"; [ $n -lt 5 ] || touch "$0.again""#)
    run.type("l*E")
    let end = ContinuousClock.now + .seconds(10)
    while (try? folder.read("edit.sh.again")) == nil, ContinuousClock.now < end {
      _ = run.shows("no such text", seconds: 1)
    }
    run.hangUp()
    #expect(run.wait(milliseconds: 5000) != .running)
  }
}
