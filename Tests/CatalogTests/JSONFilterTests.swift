import Foundation
import Testing

/// Filters of a field with JSON of several types find strings by the text that the cells show.
@Suite struct JSONFilterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let records = #"""
    [
      {"name": "a", "license": "MIT"}, {"name": "b", "license": {"type": "MIT"}},
      {"name": "c", "license": "caf\u00e9 \/ \"x\""}, {"name": "d", "license": 1},
      {"name": "e", "license": "1"}, {"name": "f", "license": null}, {"name": "g", "license": [1, 2]}
    ]
    """#

  /// A condition, and the names of the records that match.
  static let filters: [(condition: String, names: String)] = [
    (#"license = "MIT""#, "a"), (#""MIT" = license"#, "a"), (#"license != "MIT""#, "bcdefg"),
    (#"license = "\"MIT\"""#, "a"), (#"license =[c] "mit""#, "a"), (#"license = "mit""#, ""),
    (#"license = "café / \"x\"""#, "c"), ("license = 1", "de"), (#"license = "1""#, "de"),
    ("license = \"\\\"1\\\"\"", "e"), (#"license in ("MIT", 1)"#, "ade"),
    (#"license = "[1,2]""#, "g"), (#"license = "[1, 2]""#, "g"),
    (#"license beginswith "MI""#, "a"), (#"license endswith[c] "it""#, "a"),
    (#"license like "M*""#, "a"), (#"license matches "M.T""#, "a"),
    (#"license contains "MIT""#, "ab"),
    ("license is null", "f"), (#"not license = "MIT" and license is not null"#, "bcdeg"),
  ]

  @Test(arguments: ["x.json", "x.catlog", "x.db", "memory:"])
  func stringsAreFoundInEveryStore(location: String) throws {
    try folder.write(Self.records, to: "x.json")
    var commands = Self.filters.map { "list where \($0.condition) fields name" }
    if location == "memory:" {
      commands.insert("import x.json into x", at: 0)
    } else if location != "x.json" {
      #expect(try folder.run(["x.json", "-e", "saveas \(location)"]).status == 0)
    }
    let run = try folder.run(
      [location, "--format", "tsv"],
      input: commands.joined(separator: "\n") + "\n"
    )
    // Each list begins with a line that names the column.
    let lists = run.output.components(separatedBy: "name\n").dropFirst()
    try #require(lists.count == Self.filters.count, "\(run)")
    for (list, filter) in zip(lists, Self.filters) {
      #expect(list.filter { $0 != "\n" } == filter.names, "\(filter.condition)")
    }
  }

  @Test func numbersHaveNoOrder() throws {
    try folder.write(Self.records, to: "x.json")
    let run = try folder.run(["x.json", "-e", "list where license > 1"])
    #expect(run.status == 1)
    #expect(
      run.errors.contains("has type json, whose numbers have no order; use = or !="),
      "\(run)"
    )
  }
}
