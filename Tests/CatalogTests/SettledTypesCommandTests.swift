import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Commands that read many records of a table in which a value far from its ends has another type.
@Suite struct SettledTypesCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @discardableResult
  private func database(_ type: String, _ odd: String, _ normal: String, count: Int = 300) throws
    -> SQLiteConnection
  {
    try folder.database(
      "s.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v \(type))",
      """
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(count)) \
      INSERT INTO t SELECT i, CASE i WHEN \(count - 120) THEN \(odd) ELSE \(normal) END FROM c
      """
    )
  }

  @Test(arguments: ["o.catlog", "o.json", "o.db", "o.csv"], [false, true])
  func aCopyHasAllValues(_ target: String, _ isCommand: Bool) throws {
    try database("int", "'abc'", "i")
    let copy = try folder.run(
      isCommand ? ["s.db", "-e", "saveas \(target)"] : ["s.db", "--to", target]
    )
    #expect(copy.status == 0, "\(copy)")
    let run = try folder.run([
      target, "-e", "count where v = \"abc\"", "-e", "count where v = \"7\"",
    ])
    #expect(run.output == "1\n1\n", "\(run)")
  }

  /// More records than a database copies one by one.
  @Test(arguments: [300, 12_000]) func aCopyOfBytesAndTextsIsSound(_ count: Int) throws {
    try database("blob", "'text'", "x'01'", count: count)
    #expect(try folder.run(["s.db", "--to", "o.db"]).status == 0)
    let run = try folder.run(["o.db", "-e", "check", "-e", "count where v = \"text\""])
    #expect(run.status == 0 && run.output.hasSuffix("1\n"), "\(run)")
  }

  @Test func allRecordsGetTheSameValue() throws {
    let other = try database("text", "x'42'", "'a'", count: 6000)
    let run = try folder.run(["s.db", "-e", "set where true v=\"x'45'\"", "-e", "save"])
    #expect(run.status == 0, "\(run)")
    let found = try other.rows("SELECT DISTINCT typeof(v), hex(v) FROM t")
    #expect(found == [[.text("blob"), .text("45")]])
  }

  @Test(arguments: ["export o.csv", "export - fields v", "list", "list fields v distinct"])
  func aListHasOneSpelling(_ line: String) throws {
    try database("blob", "'text'", "x'01'", count: 3000)
    let run = try folder.run(["s.db", "--format", "csv", "-e", line])
    let isFile = line.hasPrefix("export o")
    let text =
      isFile ? try String(contentsOfFile: folder.file("o.csv"), encoding: .utf8) : run.output
    #expect(text.contains("text") && text.contains("x'01'") && !text.contains("AQ=="), "\(run)")
    if line.contains("distinct") { #expect(text == "v\r\nx'01'\r\ntext\r\n") }
  }

  /// A key that only text can be, far from the records that are read first.
  @Test(arguments: [
    "upsert by v v=abc id=1180", "import u.csv by v", "each u.csv upsert by v v=$v id=$id",
  ])
  func aKeyOfAnotherTypeIsFound(_ line: String) throws {
    try database("int", "'abc'", "i", count: 1300)
    try folder.write("v,id\nabc,1180\n", to: "u.csv")
    let run = try folder.run(["s.db", "-e", line, "-e", "save"])
    #expect(run.output.hasPrefix("imported: 0 inserted, 0 updated, 1 unchanged"), "\(run)")
  }

  @Test func aCopyHasNoDifferences() throws {
    try database("int", "'abc'", "i", count: 3000)
    #expect(try folder.run(["s.db", "--to", "o.json"]).status == 0)
    for line in ["diff o.json by id", "diff s.db by v"] {
      let run = try folder.run([line.hasPrefix("diff o") ? "s.db" : "o.json", "-e", line])
      #expect(run.status == 0, "\(run)")
    }
  }
}
