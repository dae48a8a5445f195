import Foundation
import Testing

/// A field of days and a field of moments are compared by days in UTC, whatever keeps them.
@Suite struct DayAndMomentTests {
  private static let rows = [
    ("1", "2024-09-08", "2024-09-08T10:00:00Z"), ("2", "2024-09-09", "2024-09-08T10:00:00Z"),
    ("3", "2024-09-08", "2024-09-08T00:00:00Z"), ("4", "2024-09-07", "2024-09-08T23:59:59Z"),
    ("5", "", "2024-09-08T23:59:00Z"), ("6", "2024-09-08", ""),
    ("7", "1969-12-31", "1969-12-31T23:59:59Z"),
  ]

  private static let cases: [(predicate: String, found: [String])] = [
    ("ordered <= shipped", ["1", "3", "4", "7"]), ("ordered < shipped", ["4"]),
    ("ordered = shipped", ["1", "3", "7"]), ("ordered != shipped", ["2", "4", "5", "6"]),
    ("ordered > shipped", ["2"]), ("shipped >= ordered", ["1", "3", "4", "7"]),
    ("shipped > ordered", ["4"]), ("shipped = ordered", ["1", "3", "7"]),
    ("not ordered <= shipped", ["2", "5", "6"]),
    ("shipped = 2024-09-08", ["1", "2", "3", "4", "5"]),
    ("ordered = 2024-09-08 and shipped <= 2024-09-08", ["1", "3"]),
    ("shipped in (2024-09-08, 1969-12-31)", ["1", "2", "3", "4", "5", "7"]),
    ("shipped between 2024-09-07 and 2024-09-08", ["1", "2", "3", "4", "5"]),
  ]

  @Test(arguments: ["o.csv", "o.json", "o.jsonl", "o.catlog", "o.db", "f.db", "memory"])
  func predicatesAndFiltersFindTheSameRecords(store: String) throws {
    let folder = try TemporaryFolder()
    let lines = Self.rows.map { "\($0.0),\($0.1),\($0.2)\n" }.joined()
    try folder.write("id,ordered,shipped\n" + lines, to: "o.csv")
    if store == "f.db" {
      let values = Self.rows.map { row in
        "(" + [row.0, row.1, row.2].map { $0.isEmpty ? "NULL" : "'\($0)'" }.joined(separator: ", ")
          + ")"
      }
      _ = try folder.database(
        store,
        "CREATE TABLE o (id INTEGER PRIMARY KEY, ordered DATE, shipped DATETIME)",
        "INSERT INTO o VALUES " + values.joined(separator: ", ")
      )
    } else if store != "o.csv", store != "memory" {
      _ = try folder.run(["o.csv", "-e", "saveas \(store)"])
    }
    let opening = store == "memory" ? ["memory:", "-e", "import o.csv into o"] : [store]
    let ways: [(String) -> [String]] = [
      { ["list o where \($0) sort id fields id"] },
      { ["filter \($0)", "list sort id fields id"] },
    ]
    // An unsaved change is tested in memory, beside what the store finds.
    let edits = [[], ["set where id = 5 shipped=2024-09-08T23:58:00Z"]]
    // All records in memory are unsaved.
    for edit in edits.prefix(store == "memory" ? 1 : 2) {
      for way in ways {
        let lines = edit + Self.cases.flatMap { way($0.predicate) } + ["quit!"]
        let run = try folder.run(opening + lines.flatMap { ["-e", $0] })
        let lists = run.output.components(separatedBy: "id\n").dropFirst()
        #expect(lists.count == Self.cases.count, "\(run)")
        for ((predicate, found), list) in zip(Self.cases, lists) {
          // New records have temporary identifiers.
          let numbers = list.split(separator: "\n").map { String($0.trimmingPrefix("t")) }
          #expect(numbers == found, "\(predicate)")
        }
      }
    }
  }
}
