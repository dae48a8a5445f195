import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// Blobs are given as base 64 in all ways; any other text is rejected, and nothing changes.
@Suite struct BlobInputTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A database with one record whose blob is "ABC".
  private func makeDatabase(_ name: String) throws {
    if name == "other.db" {
      try folder.database(
        name,
        "CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)",
        "INSERT INTO t VALUES (1, x'414243')"
      )
      return
    }
    try folder.write(
      """
      {"entities": [{"name": "t", "attributes": [{"name": "n", "type": "integer"},
        {"name": "b", "type": "text", "blob": true}]}]}
      """,
      to: "schema.json"
    )
    let made = try folder.run(
      [name, "--schema", "schema.json", "-e", "insert t n=1 b=QUJD", "-e", "save"]
    )
    #expect(made.status == 0, "\(made)")
  }

  /// The ways in which a value comes in, for the record that is there or for a new one.
  private func ways(_ text: String) throws -> [[String]] {
    let object = "{\"n\": 1, \"b\": \"\(text)\"}"
    try folder.write("[\(object)]", to: "rows.json")
    try folder.write("n,b\n1,\(text)\n", to: "rows.csv")
    let member = "{\"b\": \"\(text)\"}"
    return [
      ["-e", "set t where n=1 b=\"\(text)\""], ["-e", "set t where n=1 \(member)"],
      ["--arg", "V", text, "-e", "set t where n=1 b=$V"],
      ["-e", "insert t b=\"\(text)\""], ["-e", "insert t \(member)"],
      ["--arg", "V", text, "-e", "insert t b=$V"],
      ["-e", "import rows.json into t"], ["-e", "import rows.csv into t"],
      ["-e", "import rows.json into t by n"], ["-e", "import rows.csv into t by n"],
      ["-e", "upsert t by n \(object)"],
      ["-e", "each rows.json set t where n=1 b=$b"], ["-e", "each rows.csv insert t b=$b"],
      ["-e", "each rows.json upsert t by n b=$b n=$n"],
    ]
  }

  @Test(arguments: ["own.db", "other.db"], ["no bytes", "QUJ", "x'4142'", "Q"])
  func noOtherTextIsTakenForBytes(name: String, text: String) throws {
    try makeDatabase(name)
    let before = try folder.run([name, "-e", "list t fields n,b"]).output
    for way in try ways(text) {
      let run = try folder.run([name] + way + ["-e", "save"])
      #expect(run.status == 1, "\(way): \(run)")
      #expect(run.errors.contains("b: expected bytes in base 64, found "), "\(way): \(run)")
      #expect(run.errors.filter { $0 == "\n" }.count == 1, "\(way): \(run)")
    }
    #expect(try folder.run([name, "-e", "list t fields n,b"]).output == before)
    let answer = try folder.run([
      name, "--answers", "jsonl", "--arg", "V", text, "-e", "insert t b=$V",
    ])
    #expect(answer.output.contains("\"code\":\"invalid-value\""), "\(answer)")
  }

  /// The last digit of base 64 can have bits that are no part of the bytes.
  @Test(arguments: ["own.db", "other.db"], [("QUI=", [65, 66]), ("QR==", [65]), ("", [])])
  func bytesAreStoredAsBytesHoweverTheyComeIn(name: String, value: (text: String, bytes: [UInt8]))
    throws
  {
    // An empty cell is a missing value.
    let ways = try ways(value.text).filter { !value.text.isEmpty || !$0[1].contains(".csv") }
    for way in ways {
      try? FileManager.default.removeItem(atPath: folder.file(name))
      try makeDatabase(name)
      let run = try folder.run([name] + way + ["-e", "save"])
      if name == "other.db", way[1].hasSuffix("into t") {
        // A new record cannot have the key of the one that is there.
        #expect(run.errors.contains("already exists"), "\(way): \(run)")
        continue
      }
      #expect(run.status == 0, "\(way): \(run)")
      let connection = try SQLiteConnection(folder.file(name), isReadOnly: true)
      let stored = try connection.rows("SELECT b FROM t").map { $0[0] }
      #expect(stored.contains(.bytes(value.bytes)), "\(way): \(stored)")
      #expect(
        stored.allSatisfy { $0 == .bytes(value.bytes) || $0 == .bytes([65, 66, 67]) },
        "\(way)"
      )
    }
  }

  @Test func theCheckReportsATextAmongTheBytes() throws {
    try makeDatabase("own.db")
    let other = try SQLiteConnection(folder.file("own.db"), isReadOnly: false)
    #expect(try folder.run(["own.db", "-e", "check"]).status == 0)
    try other.run("UPDATE t SET b = 'no bytes'")
    let run = try folder.run(["own.db", "-e", "check"])
    #expect(run.status != 0 || run.output.contains("b: "), "\(run)")
    #expect((run.output + run.errors).contains("b: \"no bytes\" is not a valid blob"), "\(run)")
    // It can still be replaced.
    let mended = try folder.run(["own.db", "-e", "set t where n=1 b=QUJD", "-e", "save"])
    #expect(mended.status == 0, "\(mended)")
    #expect(try folder.run(["own.db", "-e", "check"]).status == 0)
  }

  /// Rows beyond those that are read when the database is opened.
  @Test func aTextAmongTheBytesOfAnotherProgramTurnsTheColumnIntoText() throws {
    try folder.database(
      "other.db",
      "CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)",
      """
      INSERT INTO t WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500) \
      SELECT i, iif(i = 250, 'a text', x'414243') FROM c
      """
    )
    let run = try folder.run(["other.db", "-e", "list t where n > 248 limit 3 fields n,b"])
    #expect(run.output == "n\tb\n249\tx'414243'\n250\ta text\n251\tx'414243'\n", "\(run)")
    let set = try folder.run([
      "other.db", "-e", "list t where n = 250", "-e", "set t where n=1 b=\"x'41'\"", "-e",
      "set t where n=2 b=QUJD", "-e", "save",
    ])
    #expect(set.status == 0, "\(set)")
    let connection = try SQLiteConnection(folder.file("other.db"), isReadOnly: true)
    let stored = try connection.rows("SELECT b FROM t WHERE n < 3").map { $0[0] }
    #expect(stored == [.bytes([0x41]), .text("QUJD")])
  }

  @Test func theDefaultOfABlobIsBytes() throws {
    try folder.write(
      """
      {"entities": [{"name": "t", "attributes": [
        {"name": "b", "type": "text", "blob": true, "default": "no bytes"}]}]}
      """,
      to: "schema.json"
    )
    let run = try folder.run(["own.db", "--schema", "schema.json", "-e", "insert t", "-e", "save"])
    #expect(run.status != 0 && run.errors.contains("t.b: invalid default"), "\(run)")
    #expect(try folder.names() == ["schema.json"])
  }
}
