import Foundation
import Testing

/// What is written into separated values so that other programs read the same.
@Suite struct WrittenForOthersTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("title\nUp\nSoul\n", "films.csv", "insert title='Monsters, Inc.'", "\"Monsters, Inc.\""),
    ("city\nOslo\nRome\n", "c.csv", "set 1 city='Oslo, Norway'", "\"Oslo, Norway\""),
    ("t\na\nb\n", "p.psv", "insert t='a|b'", "\"a|b\""),
    // Its lines have commas without quotes.
    ("line\nOslo, Norway\nRome, Italy\nBern\n", "l.csv", "set 1 line='Oslo, N'", "Oslo, N"),
  ])
  func theOnlyColumnIsNotDivided(text: String, name: String, command: String, expected: String)
    throws
  {
    try folder.write(text, to: name)
    let run = try folder.run([name, "-e", command, "-e", "save"])
    #expect(run.status == 0, "\(run)")
    let lines = try folder.read(name).split(separator: "\n").map(String.init)
    #expect(lines.contains(expected), "\(lines)")
  }

  /// As PostgreSQL writes it with COPY.
  @Test func aWordForAMissingValueIsNotEscaped() throws {
    let text = "id\tname\tqty\n1\tAnn\t\\N\n2\ttab\\there\t5\n"
    try folder.write(text, to: "pg.tsv")
    let run = try folder.run([
      "pg.tsv", "--read", "missing=\\N escape=tsv", "-e", "set 2 qty=", "-e", "save",
    ])
    #expect(run.status == 0, "\(run)")
    #expect(try folder.read("pg.tsv") == text.replacing("\t5\n", with: "\t\\N\n"))
  }

  @Test func aConversionSortsInDescendingOrder() throws {
    try folder.write("sku,price\nA,1\nB,2\n", to: "p.csv")
    let run = try folder.run(["p.csv", "--to", "-", "sort", "-price"])
    #expect(run.output == "sku\tprice\nB\t2\nA\t1\n", "\(run)")
  }

  @Test func equalRecordsDifferOnlyInTheirNumber() throws {
    try folder.write("item,qty\nmilk,1\nbread,2\nmilk,1\nmilk,1\neggs,12\n", to: "a.csv")
    try folder.write("item,qty\nmilk,1\nbread,2\nmilk,1\neggs,12\n", to: "b.csv")
    for (one, other) in [("a.csv", "b.csv"), ("b.csv", "a.csv")] {
      let run = try folder.run([one, "-e", "diff \(other)"])
      #expect(run.errors.contains(": 1 difference: "), "\(run)")
    }
  }

  @Test func whatKeepsNoHistoryRefusesToRevert() throws {
    try folder.database(
      "d.db",
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      "INSERT INTO t VALUES (1, 'x')"
    )
    _ = try folder.run(["d.db", "-e", "set 1 a=y", "-e", "save"])
    let run = try folder.run(["d.db", "-e", "revert all to 0"])
    #expect(run.status == 1 && run.errors.contains("nothing to revert"), "\(run)")
  }

  @Test(arguments: [["help"], ["help", "undo"]]) func helpIsNoFile(arguments: [String]) throws {
    let run = try folder.run(arguments)
    #expect(run.status == 0 && run.output.contains("undo"), "\(run)")
    #expect(try folder.run(arguments + ["-e", "count"]).status != 0)
  }
}
