import Foundation
import Testing

/// Keys of other programs, of which nothing is a beginning; and values that need quotes.
@Suite struct ShortKeyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.database(
      "other.db",
      "CREATE TABLE a (id INTEGER PRIMARY KEY, n TEXT)",
      "CREATE TABLE b (id INTEGER PRIMARY KEY, k INTEGER REFERENCES a)",
      "CREATE TABLE c (x TEXT, y TEXT, PRIMARY KEY (x, y))",
      "INSERT INTO a VALUES (1, 'true'), (22, 'y')",
      "INSERT INTO b VALUES (1, 1)",
      "INSERT INTO c VALUES ('p', 'q')"
    )
  }

  @Test(arguments: [
    ("show a/zz", "record \"a/zz\" not found"), ("show zz", "record \"zz\" not found"),
    ("set b/1 k=zz", "record \"zz\" not found in a"),
    ("insert b k=zz", "record \"zz\" not found in a"),
    ("show c/p", "record \"c/p\" not found"), ("delete p/", "record \"p/\" not found"),
  ]) func aMissingKeyIsNotTooShort(_ line: String, _ message: String) throws {
    let run = try folder.run(["other.db", "-e", line])
    #expect(run.status == 1)
    #expect(run.errors.hasSuffix(message + "\n"), "\(run)")
  }

  @Test func aDeletedRecordWithAShortKeyHasAHistory() throws {
    let run = try folder.run(["other.db", "-e", "delete a/22", "-e", "save", "-e", "history a/22"])
    #expect(run.status == 0 && run.output.contains("y"), "\(run)")
  }

  @Test(arguments: ["true", "false", "True", "no"]) func aTruthValueForATextNeedsQuotes(
    _ word: String
  )
    throws
  {
    let run = try folder.run(["other.db", "-e", "count a where n = \(word)"])
    #expect(run.errors.contains("field \"n\" has type text; write \"\(word)\""), "\(run)")
    #expect(try folder.run(["other.db", "-e", "count a where n = \"true\""]).output == "1\n")
    let number = try folder.run(["other.db", "-e", "count a where id = \(word)"])
    #expect(number.errors.contains("\"\(word)\" is a truth value"), "\(number)")
  }
}
