import Foundation
import Testing

/// Reverting to a time when a field had another type, or was not dropped yet.
@Suite struct RevertedTypeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let kinds = ["a.catlog", "a.json", "plain.json", "a.csv", "a.db"]

  /// Writes a store with three records, and returns the token of its first state.
  private func make(_ name: String, _ values: [String]) throws -> Int {
    let rows = zip("ABC", values).map { "\($0),\($1)\n" }.joined()
    try folder.write("title,price\n" + rows, to: "a.csv")
    if name == "plain.json" {
      let all = try folder.run(["a.csv", "--format", "json", "-e", "list fields title,price"])
      try folder.write(all.output, to: name)
    } else if name != "a.csv" {
      #expect(try folder.run(["a.csv", "-e", "saveas \(name)"]).status == 0)
    }
    // A file without a history begins one.
    let lines = ["set where title='A' title=Z", "save", "set where title='Z' title=A", "save"]
    #expect(try folder.run([name] + lines.flatMap { ["-e", $0] }).status == 0)
    return ["a.catlog", "a.db"].contains(name) ? 3 : 2
  }

  /// Runs lines, all in one run or each up to a save in one of its own.
  private func run(_ name: String, _ lines: [String], oneRun: Bool) throws -> ProgramRun {
    var rest = lines[...]
    while !oneRun, let save = rest.firstIndex(of: "save"), save + 1 < rest.endIndex {
      let made = try folder.run([name, "--format", "tsv"] + rest[...save].flatMap { ["-e", $0] })
      #expect(made.status == 0, "\(made)")
      rest = rest[(save + 1)...]
    }
    return try folder.run([name, "--format", "tsv"] + rest.flatMap { ["-e", $0] })
  }

  /// The values after the lines, as they were listed last.
  private func values(_ name: String, _ lines: [String], oneRun: Bool) throws -> [String] {
    let list = "list sort title fields title,price"
    let reverted = try run(name, lines + ["save", list], oneRun: oneRun)
    #expect(reverted.status == 0, "\(reverted)")
    return reverted.output.split(separator: "\n").suffix(3).map(String.init)
  }

  @Test(arguments: kinds, [true, false])
  func valuesThatWereNotChangedStayWhenTheTypeHasChanged(kind: String, oneRun: Bool) throws {
    let first = try make(kind, ["10", "20", "30"])
    let lines = [
      "set where title='A' price=11", "save", "field type price text", "save",
      "set where title='B' price=99", "save", "delete where title='C'",
      "insert title=D price=5", "save", "revert all to \(first)",
    ]
    #expect(try values(kind, lines, oneRun: oneRun) == ["A\t10", "B\t20", "C\t30"])
  }

  /// Values that a conversion has made missing are not missing in the state before it.
  @Test(arguments: kinds) func valuesThatBecameMissingAreNotLeftOut(kind: String) throws {
    let first = try make(kind, ["10", "n/a", "30"])
    let lines = ["-e", "field type price integer missing", "-e", "save"]
    #expect(try folder.run([kind] + lines).status == 0)
    let listed = try run(kind, ["list where title='B' fields id"], oneRun: true).output
    let identifier = try #require(listed.split(separator: "\n").last)
    for records in ["all", String(identifier)] {
      let refused = try run(kind, ["revert \(records) to \(first)"], oneRun: true)
      #expect(refused.status == 1)
      // Row numbers are printed with a check.
      let record = identifier.prefix { $0 != "~" }
      #expect(refused.errors.contains("cannot revert: price of record \(record) was \"n/a\""))
      #expect(refused.errors.contains("use \"field type price text\", and revert again"))
    }
    let back = ["field type price text", "save", "revert all to \(first)"]
    #expect(try values(kind, back, oneRun: true) == ["A\t10", "B\tn/a", "C\t30"])
  }

  /// A value of the new type that reads like the former text is not written as that text.
  @Test(arguments: kinds.filter { $0 != "a.csv" })
  func aFormerValueThatIsSetAgainIsWrittenInTheNewType(kind: String) throws {
    _ = try make(kind, ["10", "20", "30"])
    let texts = try run(kind, ["field type price text", "save"], oneRun: true)
    #expect(texts.status == 0, "\(texts)")
    let lines = [
      "set where title='A' price=11", "save", "field type price integer", "save",
      "set where title='A' price=10", "save",
    ]
    #expect(try values(kind, lines, oneRun: true) == ["A\t10", "B\t20", "C\t30"])
    let numbers = try run(kind, ["count where price > 9"], oneRun: true)
    #expect(numbers.output == "3\n", "\(numbers)")
  }

  @Test(arguments: kinds)
  func formerValuesAreConvertedToTheNewType(kind: String) throws {
    let first = try make(kind, ["Jan 1 2000", "Mar 3 2003", "Apr 4 2004"])
    let lines = [
      "set where title='A' price=\"Feb 2 2001\"", "save", "delete where title='B'", "save",
      "field type price date", "save", "set where title='C' price=2020-01-01", "save",
      "revert all to \(first)",
    ]
    let expected = ["A\t2000-01-01", "B\t2003-03-03", "C\t2004-04-04"]
    #expect(try values(kind, lines, oneRun: false) == expected)
  }

  // In a CSV file, the column has the new type after the change of its last text.
  @Test(arguments: kinds.filter { $0 != "a.csv" })
  func aFormerValueWithoutAMeaningInTheNewTypeIsRefused(kind: String) throws {
    let first = try make(kind, ["n/a", "2", "3"])
    let lines = [
      "set where title='A' price=1", "save", "field type price integer", "save",
      "revert all to \(first)", "save",
    ]
    let refused = try run(kind, lines, oneRun: false)
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("price of record "), "\(refused)")
    #expect(
      refused.errors.contains("was \"n/a\", which is not a valid integer now; use \"field type"),
      "\(refused)"
    )
  }

  @Test(arguments: ["a.catlog", "a.json", "a.db"])
  func aConversionIsUndoneInALaterRun(kind: String) throws {
    _ = try make(kind, ["007", "n/a", "30"])
    let lines = ["field type price integer missing", "save", "undo", "redo", "undo"]
    #expect(try values(kind, lines, oneRun: false) == ["A\t007", "B\tn/a", "C\t30"])
    // The undo was saved, and is undone in the same way.
    #expect(try values(kind, ["undo"], oneRun: true) == ["A\t7", "B\t", "C\t30"])
  }

  /// The history has no values of a field that returned to its type in the same save, and none of a file without types.
  @Test(
    arguments: kinds.map { ($0, ["decimal missing", "text"]) } + [
      ("a.csv", ["integer missing"]), ("plain.json", ["integer missing"]),
    ]
  )
  func aConversionThatTheHistoryMayNotKnowIsNotUndone(kind: String, types: [String]) throws {
    _ = try make(kind, ["1", "0.10", "n/a"])
    let lines = types.map { "field type price \($0)" } + ["save"]
    #expect(try run(kind, lines, oneRun: true).status == 0)
    let refused = try run(kind, ["undo"], oneRun: true)
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("changed the schema and cannot be undone"), "\(refused)")
  }

  /// Nothing is taken for the values before a conversion that were too large for the history.
  @Test func aConversionWhoseValuesWereNotKeptIsNotUndoneInALaterRun() throws {
    _ = try make("a.json", ["007", String(repeating: "x", count: 9 << 20), "30"])
    let refused = try run(
      "a.json",
      ["field type price integer missing", "save", "undo"],
      oneRun: false
    )
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("changed the schema and cannot be undone"), "\(refused)")
  }

  @Test(arguments: kinds, [true, false])
  func aConversionThatWasUndoneLeavesTheValues(kind: String, oneRun: Bool) throws {
    let first = try make(kind, ["10", "20", "30"])
    // The undo needs the run that has made the conversion.
    let made = try run(
      kind,
      ["field type price text", "save", "undo", "save", "set where title='B' price=21", "save"],
      oneRun: true
    )
    #expect(made.status == 0, "\(made)")
    let expected = ["A\t10", "B\t20", "C\t30"]
    #expect(try values(kind, ["revert all to \(first)"], oneRun: oneRun) == expected)
  }

  @Test(arguments: ["a.catlog", "a.json", "a.db"])
  func aValueThatWasDroppedIsNotTakenForMissing(kind: String) throws {
    let first = try make(kind, ["10", "20", "30"])
    let lines = [
      "field drop price", "save", "field add price:integer", "save", "set where title='B' price=5",
      "save", "revert all to \(first)", "save",
    ]
    let refused = try run(kind, lines, oneRun: false)
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("cannot revert: price of record "), "\(refused)")
    #expect(refused.errors.contains("; revert to \(first + 1) or later"), "\(refused)")
    let later = ["revert all to \(first + 1)"]
    #expect(try values(kind, later, oneRun: true) == ["A\t", "B\t", "C\t"])
  }

  @Test(arguments: ["a.catlog", "a.json", "a.db"])
  func valuesOfARenamedFieldAreRestored(kind: String) throws {
    let first = try make(kind, ["10", "20", "30"])
    let lines = [
      "set where title='A' price=11", "save", "field rename price cost", "save",
      "field rename cost price", "save", "field rename price sum", "save",
      "revert all to \(first)", "field rename sum price",
    ]
    #expect(try values(kind, lines, oneRun: false) == ["A\t10", "B\t20", "C\t30"])
  }

  @Test(arguments: kinds)
  func oneRecordIsRevertedInTheSameWay(kind: String) throws {
    let first = try make(kind, ["10", "20", "30"])
    let lines = [
      "set where title='A' price=11", "save", "field type price text", "save",
      "set where title='B' price=99", "save",
    ]
    #expect(try run(kind, lines, oneRun: false).status == 0)
    let rows = try folder.run([kind, "--format", "tsv", "-e", "list sort title"]).output
    let identifiers = rows.split(separator: "\n").suffix(3).compactMap {
      $0.split(separator: "\t").first
    }
    let reverts = identifiers.map { "revert \($0) to \(first)" }
    #expect(try values(kind, reverts, oneRun: true) == ["A\t10", "B\t20", "C\t30"])
  }

  @Test(arguments: kinds, [true, false])
  func valuesThatTheSameSaveConvertsAndChangesAreRestored(kind: String, oneRun: Bool) throws {
    let first = try make(kind, ["10", "20", "30"])
    let lines = [
      "field type price text", "set where title='A' price=11", "set where title='B' price=",
      "delete where title='C'", "save", "revert all to \(first)",
    ]
    let reverted = try run(kind, lines, oneRun: oneRun)
    #expect(reverted.output.contains("reverted: 1 inserted, 2 updated, 0 deleted"), "\(reverted)")
    #expect(reverted.status == 3)
    let later = ["revert all to \(first)"]
    #expect(try values(kind, later, oneRun: true) == ["A\t10", "B\t20", "C\t30"])
  }

  @Test(arguments: kinds)
  func theHistoryShowsTheChangesBesideAConversion(kind: String) throws {
    _ = try make(kind, ["10", "20", "30"])
    let lines = [
      "field type price text", "set where title='A' price=eleven", "delete where title='C'", "save",
    ]
    #expect(try run(kind, lines, oneRun: true).status == 0)
    let history = try folder.run([kind, "-e", "history"]).output
    #expect(history.contains(" price: 10 → \"eleven\"\n"), "\(history)")
    #expect(!history.contains("20 →"), "\(history)")
    let json = try folder.run([kind, "--format", "jsonl", "-e", "history"]).output
    #expect(json.contains(#""before": {"price":10}, "after": {"price":"eleven"}"#), "\(json)")
    #expect(json.contains(#""before": {"title":"C","price":30}"#), "\(json)")
  }

  @Test(arguments: kinds)
  func aConversionByAConventionIsNoChangeOfItsValues(kind: String) throws {
    let first = try make(kind, ["1/2/1999", "n/a", "3/4/1999"])
    let lines = [
      "field type price date order dmy missing", "set where title='C' price=2020-01-01", "save",
      "set where title='C' price=2021-01-01", "save",
    ]
    #expect(try run(kind, lines, oneRun: false).status == 0)
    let refused = try folder.run([kind, "-e", "revert all to \(first)"])
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("was \"3/4/1999\", which is not a valid date now"),
      "\(refused)"
    )
    let later = ["set where title='C' price=1999-04-03", "save"]
    #expect(
      try values(kind, later + ["revert all to \(first + 1)"], oneRun: false)
        == ["A\t1999-02-01", "B\t", "C\t2020-01-01"]
    )
  }

  @Test(arguments: kinds)
  func unsavedChangesShowTheValuesBeforeAConversion(kind: String) throws {
    _ = try make(kind, ["10", "20", "30"])
    let lines = ["field type price text", "changes", "rollback"]
    let changes = try folder.run([kind, "--format", "jsonl"] + lines.flatMap { ["-e", $0] })
    #expect(
      changes.output.contains(#""before": {"price":10}, "after": {"price":"10"}"#),
      "\(changes)"
    )
  }

  /// A field that is added later under the former name of a converted one is not that field.
  @Test(arguments: kinds, [true, false])
  func aLaterFieldWithTheFormerNameIsAnother(kind: String, oneRun: Bool) throws {
    let first = try make(kind, ["10", "20", "30"])
    let lines = [
      "field type price text", "field rename price cost", "delete where title='C'", "save",
      "field add price:integer", "set where title='A' price=7", "save",
      "revert all to \(first)", "save", "list sort title fields title,cost",
    ]
    let reverted = try run(kind, lines, oneRun: oneRun)
    #expect(reverted.status == 0, "\(reverted)")
    #expect(reverted.output.hasSuffix("\nA\t10\nB\t20\nC\t30\n"), "\(reverted)")
  }

  /// The undo brings back the value that the save has changed, the revert the one before.
  @Test(arguments: ["a.catlog", "a.db", "a.json"], ["all", "one"])
  func aValueThatWasChangedAndDroppedInOneSaveIsRestored(kind: String, target: String) throws {
    let first = try make(kind, ["10", "20", "30"])
    // A file has no insertions in its history, so the value must be there in another way.
    let known = ["set where title='A' price=9", "save", "set where title='A' price=10", "save"]
    let made =
      known + [
        "set where title='A' price=99", "field drop price", "save", "undo", "save",
      ]
    #expect(try run(kind, made, oneRun: true).status == 0)
    let list = try folder.run([kind, "--format", "tsv", "-e", "list where title='A' fields id"])
    let identifier = try #require(list.output.split(separator: "\n").last)
    let revert = "revert \(target == "all" ? "all" : String(identifier)) to \(first + 2)"
    #expect(try values(kind, [revert], oneRun: true) == ["A\t10", "B\t20", "C\t30"])
  }

  @Test func compactionKeepsTheValuesBeforeAConversion() throws {
    let first = try make("a.catlog", ["10", "20", "30"])
    let lines = [
      "field type price text", "set where title='A' price=11", "save", "compact",
      "revert all to \(first)",
    ]
    #expect(try values("a.catlog", lines, oneRun: false) == ["A\t10", "B\t20", "C\t30"])
  }
}
