import Foundation
import Glibc
import Testing

/// Recovery of records that are known only by their position, after other records moved.
@Suite struct MovedRecordsRecoveryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Types commands and kills the program; then another program may change the file, and a script recovers and saves.
  private func recovered(
    _ text: String,
    _ commands: [String],
    showing last: String,
    others: [String] = []
  ) throws -> (run: ProgramRun, text: String) {
    try folder.write(text, to: "x.json")
    let run = try ScreenRun([folder.file("x.json"), "--plain"])
    #expect(run.shows("catalog> "))
    run.type(commands.map { $0 + "\n" }.joined())
    #expect(run.shows(last), "\(run.received)")
    usleep(200_000)
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    if !others.isEmpty {
      let other = try folder.run([folder.file("x.json")] + others.flatMap { ["-e", $0] })
      #expect(other.status == 0, "\(other.errors)")
    }
    let next = try folder.run([folder.file("x.json"), "-e", "recover", "-e", "save"])
    return (next, try folder.read("x.json"))
  }

  private static let words = #"[{"t":"one"},{"t":"two"},{"t":"three"},{"t":"four"}]"#

  @Test func aDeletionAfterASavedDeletionIsRecovered() throws {
    let (run, text) = try recovered(
      Self.words,
      ["delete 1", "save", "delete 3"],
      showing: "deleted 3"
    )
    #expect(run.output.contains("saved: 0 inserted, 0 updated, 1 deleted"), "\(run.output)")
    #expect(text == #"[{"t":"two"},{"t":"four"}]"#)
    #expect(try folder.names() == ["x.json"])
  }

  @Test func changesOfRecordsThatMovedAreRecovered() throws {
    let (run, text) = try recovered(
      Self.words,
      ["delete 1", "save", "set 3 t=TWO2", "set 4 t=FOUR4"],
      showing: "set t of 4"
    )
    #expect(run.output.contains("2 updated"), "\(run.output)")
    #expect(text == #"[{"t":"two"},{"t":"TWO2"},{"t":"FOUR4"}]"#)
  }

  @Test func whatAnotherProgramDeletedBeforeARecordIsNoReasonToLoseItsChange() throws {
    let (run, text) = try recovered(
      Self.words,
      ["delete 4", "set 2 t=two"],
      showing: "deleted 4",
      others: ["delete 1", "save"]
    )
    #expect(run.output.contains("1 deleted"), "\(run.output)")
    #expect(text == #"[{"t":"two"},{"t":"three"}]"#)
  }

  @Test func aRecordWithOtherValuesIsReportedAndTheChangesAreKept() throws {
    let (run, text) = try recovered(
      Self.words,
      ["delete 4"],
      showing: "deleted 4",
      others: ["set 4 t=five", "delete 1", "save"]
    )
    #expect(run.errors.contains("nothing recovered"), "\(run.output)")
    #expect(text == #"[{"t":"two"},{"t":"three"},{"t":"five"}]"#)
    #expect(try folder.names().contains { $0.contains("catalog-recovery") })
  }

  // MARK: Records with a key

  private static let shop =
    #"[{"sku":"A1","name":"Pen","stock":1},{"sku":"B2","name":"Ink","stock":2},{"sku":"C3","name":"Cap","stock":3}]"#

  /// Formerly a record with another value was not found.
  @Test func aRecordWithAKeyMayHaveMovedAndChanged() throws {
    let (run, text) = try recovered(
      Self.shop,
      ["set where sku = \"B2\" name=Tinte"],
      showing: "set name of 2",
      others: ["delete where sku = \"A1\"", "set where sku = \"B2\" stock=7", "save"]
    )
    #expect(run.output.contains("1 updated"), "\(run)")
    #expect(text == #"[{"sku":"B2","name":"Tinte","stock":7},{"sku":"C3","name":"Cap","stock":3}]"#)
  }

  @Test func aValueThatAlsoChangedElsewhereIsNotRecovered() throws {
    let (run, text) = try recovered(
      Self.shop,
      ["set where sku = \"B2\" stock=9"],
      showing: "set stock of 2",
      others: ["delete where sku = \"A1\"", "set where sku = \"B2\" stock=7", "save"]
    )
    #expect(!run.output.contains("1 updated"), "\(run)")
    #expect(text.contains(#"{"sku":"B2","name":"Ink","stock":7}"#))
  }

  /// The fields after `by` are in the recovery file.
  @Test func aRecordThatWasNamedIsFoundByItsName() throws {
    let (run, text) = try recovered(
      Self.shop,
      ["upsert by name name=Ink stock=9"],
      showing: "1 updated",
      others: ["set where sku = \"B2\" sku=\"Z9\"", "delete where sku = \"A1\"", "save"]
    )
    #expect(run.output.contains("1 updated"), "\(run)")
    #expect(text.contains(#"{"sku":"Z9","name":"Ink","stock":9}"#), "\(text)")
  }

  @Test func anotherRecordWithTheKeyIsLeftAlone() throws {
    let (run, text) = try recovered(
      Self.shop,
      ["set where sku = \"B2\" stock=9"],
      showing: "set stock of 2",
      others: ["set where sku = \"B2\" name=Hat stock=8", "save"]
    )
    #expect(run.errors.contains("nothing recovered"), "\(run)")
    #expect(text.contains(#"{"sku":"B2","name":"Hat","stock":8}"#))
  }

  /// Formerly two records had the key then.
  @Test(
    arguments: [
      ("insert sku=D4 name=Bag stock=4", "t1"), ("set where sku = \"B2\" sku=D4", "set sku of 2"),
    ]
  )
  func aKeyThatAnotherProgramHasUsedSinceIsNotRecovered(command: String, shown: String) throws {
    let (run, text) = try recovered(
      Self.shop,
      [command],
      showing: shown,
      others: ["insert sku=D4 name=Mug stock=9", "save"]
    )
    #expect(run.output.contains("record 4 has sku D4 now; skipped: "), "\(run)")
    #expect(text == Self.shop.dropLast() + #",{"sku":"D4","name":"Mug","stock":9}]"#, "\(text)")
    #expect(try folder.names().contains { $0.contains("catalog-recovery") })
  }

  /// Their own record has given up the key before.
  @Test func aKeyThatTheChangesThemselvesFreeIsRecovered() throws {
    let (run, text) = try recovered(
      Self.shop,
      ["delete where sku = \"B2\"", "insert sku=B2 name=Bag stock=4"],
      showing: "t1",
      others: ["set where sku = \"A1\" stock=8", "save"]
    )
    #expect(run.output.contains("saved: 1 inserted, 0 updated, 1 deleted"), "\(run)")
    #expect(text.contains(#"{"sku":"B2","name":"Bag","stock":4}"#) && !text.contains("Ink"))
  }

  /// Which of two equal records another program has removed cannot be known.
  @Test(arguments: [
    ("set 3 qty=7", "set qty of 3"), ("delete 3", "deleted 3"),
  ])
  func theLastOfEqualRecordsIsNotTakenForAnother(command: String, shown: String) throws {
    let (run, text) = try recovered(
      #"[{"name":"a","qty":1},{"name":"b","qty":2},{"name":"a","qty":1}]"#,
      [command],
      showing: shown,
      others: ["delete 3", "set 2 qty=5", "save"]
    )
    #expect(run.output.contains("fewer equal records are left than before"), "\(run)")
    #expect(text == #"[{"name":"a","qty":1},{"name":"b","qty":5}]"#, "\(text)")
  }

  @Test func aDeletionOfARecordThatIsGoneNamesNoFieldOfAnother() throws {
    let (run, _) = try recovered(
      Self.shop,
      ["delete where sku = \"B2\""],
      showing: "deleted",
      others: ["delete where sku = \"B2\"", "save"]
    )
    #expect(run.output.contains("not deleted: no record has these values"), "\(run)")
  }
}
