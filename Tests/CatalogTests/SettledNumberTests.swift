import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Numbers that SQLite keeps in another form than the one in which they come in.
@Suite struct SettledNumberTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.database(
      "m.db",
      "CREATE TABLE m (k INTEGER PRIMARY KEY, sku INTEGER, n NUMERIC, r REAL, name TEXT)",
      "INSERT INTO m VALUES (1, 5, 5, 5, 'a'), (2, 'abc', 'xyz', 'x', 'b')"
    )
    try folder.write("sku,name\n8.0,x\n1e3,y\n", to: "new.csv")
    try folder.write("k,sku,n,r\n1,5.0,5e0,5\n2,abc,xyz,x\n", to: "same.csv")
  }

  @Test(arguments: [
    ("upsert by sku sku=8.0 name=x", "1 inserted", "1 unchanged", 3),
    ("upsert by n n=1e3", "1 inserted", "1 unchanged", 3),
    ("upsert by r r=7", "1 inserted", "1 unchanged", 3),
    ("upsert by sku {\"sku\": \"8.0\"}", "1 inserted", "1 unchanged", 3),
    ("import new.csv by sku", "2 inserted", "2 unchanged", 4),
    ("each new.csv upsert by sku sku=$sku name=$name", "2 inserted", "2 unchanged", 4),
    ("import same.csv by k", "2 unchanged", "2 unchanged", 2),
    ("import same.csv by sku,n,r", "2 unchanged", "2 unchanged", 2),
  ])
  func aRowThatComesAgainChangesNothing(line: String, first: String, later: String, count: Int)
    throws
  {
    for (place, expected) in [first, later].enumerated() {
      let run = try folder.run(["m.db", "-e", line, "-e", "save", "-e", line])
      let lines = run.output.split(separator: "\n")
      #expect(lines.first?.contains(expected) == true, "\(place): \(run)")
      #expect(lines.last?.contains(later) == true, "\(place): \(run)")
    }
    #expect(try folder.run(["m.db", "-e", "count"]).output == "\(count)\n")
  }

  @Test func aTextThatIsNoNumberStaysAsItIs() throws {
    let words = ["0x10", "inf", "nan", "1.2.3", "--5", "1e"]
    for word in words {
      let run = try folder.run(["m.db", "-e", "upsert by sku sku=\(word)", "-e", "save"])
      #expect(run.status == 0, "\(run)")
    }
    let run = try folder.run(["m.db", "-e", "list where k > 2 fields sku"])
    #expect(run.output == "sku\n" + words.map { $0 + "\n" }.joined(), "\(run)")
  }
}
