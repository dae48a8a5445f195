import Foundation
import Testing

/// Histories with saves that convert fields and change them in other ways, too.
@Suite struct ConvertedHistoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let kinds = ["a.catlog", "a.json", "plain.json", "a.csv", "a.db"]

  /// Writes a store with three records, and returns the token of its first state.
  private func make(_ name: String) throws -> Int {
    try folder.write("title,price\nA,007\nB,n/a\nC,30\n", to: "a.csv")
    if name == "plain.json" {
      let all = try folder.run(["a.csv", "--format", "json", "-e", "list fields title,price"])
      try folder.write(all.output, to: name)
    } else if name != "a.csv" {
      #expect(try folder.run(["a.csv", "-e", "saveas \(name)"]).status == 0)
    }
    // A file without a history begins one.
    let made = try run(name, ["set where title='A' title=\"Z\"", "save", "undo", "save"])
    #expect(made.status == 0, "\(made)")
    return ["a.catlog", "a.db"].contains(name) ? 3 : 2
  }

  private func run(_ name: String, _ lines: [String], format: String = "tsv") throws -> ProgramRun {
    try folder.run([name, "--format", format] + lines.flatMap { ["-e", $0] })
  }

  static let sequences: [[String]] = [
    ["field type price integer missing", "save", "undo", "save"],
    [
      "field type price integer missing", "field rename price cost", "save",
      "set where title='A' cost=8", "save", "field type cost text", "field rename cost price",
      "save",
    ],
    [
      "field rename price cost", "field type cost integer missing", "insert title=D cost=4",
      "delete where title='B'", "save", "field rename cost price", "field type price text", "save",
    ],
    ["field rename price cost", "field drop cost", "save", "undo", "undo", "save"],
    ["field type price decimal missing", "undo", "redo", "save", "undo", "save"],
    ["field type price integer missing", "field type price text", "save"],
    [
      "field type price boolean missing", "save", "field type price integer missing", "save",
      "field type price text", "save",
    ],
    [
      "delete where title='C'", "field type price integer missing", "set where title='B' price=5",
      "save", "undo", "undo", "undo", "save",
    ],
    [
      "field rename price cost", "field rename title price", "save",
      "set where price='A' cost='1'", "save", "field rename price title",
      "field rename cost price", "save",
    ],
    [
      "field rename title name", "field add title:text", "set where name='A' title=\"x\"", "save",
      "field drop title", "field rename name title", "save",
    ],
  ]

  @Test(arguments: kinds, sequences)
  func revertingRestoresWhatTheStoreHad(kind: String, sequence: [String]) throws {
    let first = try make(kind)
    let look = ["schema", "list sort id"]
    var lines = look + sequence.flatMap { $0 == "save" ? ["save"] + look : [$0] }
    let count = sequence.count { $0 == "save" }
    for token in first..<(first + count) {
      lines += ["revert all to \(token)"] + look + ["rollback"]
    }
    let outcome = try run(kind, lines)
    #expect(outcome.status == 0, "\(outcome)")
    var states: [String] = [""]
    for line in outcome.output.split(separator: "\n") {
      if line.hasPrefix("saved: ") || line.hasPrefix("reverted: ") {
        states.append("")
      } else if !line.hasPrefix("schema: "), !line.contains(" -> "), line != "t1" {
        states[states.count - 1] += line + "\n"
      }
    }
    #expect(states.count == 1 + 2 * count, "\(outcome)")
    var compared = 0
    for place in 0..<count where schema(states[place]) == schema(states[count]) {
      #expect(states[count + 1 + place].hasPrefix(states[place]), "\(first + place): \(outcome)")
      compared += 1
    }
    #expect(compared > 0)
    // Another run, if it finds the records and has the types of the columns.
    guard ["a.catlog", "a.json", "a.db"].contains(kind) else { return }
    let later = try run(kind, ["revert all to \(first)", "list sort title fields title,price"])
    #expect(later.output.hasSuffix("A\t007\nB\tn/a\nC\t30\n"), "\(later)")
  }

  /// The part of a state that describes the schema, before the list.
  private func schema(_ state: String) -> Substring {
    state.range(of: "\nid\t").map { state[..<$0.lowerBound] } ?? ""
  }

  @Test(arguments: kinds)
  func theHistoryHasTheValuesBeforeAConversion(kind: String) throws {
    _ = try make(kind)
    let lines = [
      "field type price integer missing", "field rename price cost",
      "set where title='C' cost=31", "set where title='B' cost=9",
    ]
    let changes = try run(kind, lines + ["changes", "rollback"])
    #expect(
      changes.output.contains("field type a price: text → integer (1 value)")
        || changes.output.contains("field type plain price: text → integer (1 value)"),
      "\(changes)"
    )
    #expect(changes.output.contains("cost: \"30\" → 31\n"), "\(changes)")
    #expect(changes.output.contains("cost: \"n/a\" → 9\n"), "\(changes)")
    #expect(!changes.output.contains("→ 7"), "\(changes)")
    #expect(try run(kind, lines + ["save"]).status == 0)
    let history = try run(kind, ["history"]).output
    #expect(history.contains("cost: \"30\" → 31\n"), "\(history)")
    #expect(!history.contains("→ 7"), "\(history)")
    let json = try run(kind, ["history"], format: "jsonl").output
    for pair in [("\"007\"", "7"), ("\"n/a\"", "9"), ("\"30\"", "31")] {
      let words = "\"before\": {\"cost\":\(pair.0)}, \"after\": {\"cost\":\(pair.1)}"
      #expect(json.contains(words), "\(json)")
    }
  }

  @Test(arguments: kinds)
  func unsavedEditsOfConvertedFieldsAreShownOnTheScreen(kind: String) throws {
    _ = try make(kind)
    try folder.write(
      """
      : "field rename price cost" Enter : "field type cost json" Enter y
      : "set where title='C' cost='31'" Enter D
      """,
      to: "keys"
    )
    let screen = try folder.run([kind, "--keys", "keys", "--size", "100x24"]).output
    #expect(screen.contains("cost: \"30\" → 31"), "\(screen)")
    // Identifiers may have these digits, too.
    #expect(!screen.contains("\"007\""), "\(screen)")
  }
}
