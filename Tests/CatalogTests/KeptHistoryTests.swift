import Foundation
import Testing

/// The history of files that do not keep it themselves, over several runs.
@Suite struct KeptHistoryTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("name,size\na,1\nb,2\nc,3\n", to: "x.csv")
  }

  /// Runs commands on the file as a user.
  @discardableResult
  private func run(_ commands: String..., author: String = "ann", options: [String] = []) throws
    -> ProgramRun
  {
    try folder.run(["x.csv", "--author", author] + options + commands.flatMap { ["-e", $0] })
  }

  /// The lines of the history without their times.
  private func history() throws -> [String] {
    try run("history").output.split(separator: "\n").dropFirst()
      .map { String($0).replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "T") }
  }

  private var state: String { folder.file(".local/state/catalog/history") }

  /// The only file in the folder of histories.
  private func historyFile() throws -> URL {
    let names = try FileManager.default.contentsOfDirectory(atPath: state)
    let name = try #require(names.first { !$0.hasSuffix(".damaged") && $0 != "paths" })
    return URL(fileURLWithPath: state + "/" + name)
  }

  @Test func recordsAreFollowedThoughTheirNumbersChange() throws {
    try run("set where name='b' size=7", "save")
    try run("delete where name='a'", "save", author: "bob")
    try run("set where name='b' name=bb", "save")
    #expect(
      try history() == [
        "1\tT\tann\t~ 1 size: 2 → 7", "2\tT\tbob\t- 3 a",
        "3\tT\tann\t~ 1 name: \"b\" → \"bb\"",
      ]
    )
    let reverted = try run("revert all to 0", "list")
    #expect(reverted.output.hasSuffix("1\tb\t2\n2\tc\t3\n3\ta\t1\n"), "\(reverted)")
  }

  /// A file that was never saved has no history yet, unlike a store that keeps none.
  @Test(arguments: [
    (["x.csv"], "H", "no saved changes of this record in the history yet"),
    (["x.csv"], "e C-u z Enter w j H", "no saved changes of this record in the history yet"),
  ])
  func theScreenTellsWhetherThereIsAHistory(options: [String], keys: String, text: String) throws {
    let run = try folder.run(options + ["--keys", "-"], input: keys)
    #expect(run.output.contains(text), "\(run.output)")
  }

  @Test func aChangeByAnotherProgramIsMarkedAndKept() throws {
    try run("set where name='b' size=7", "save")
    try folder.write("name,size\na,1\nb,7\nc,4\n", to: "x.csv")
    #expect(
      try history() == [
        "1\tT\tann\t~ 2 size: 2 → 7",
        "2\tT\t\tchanged by another program",
      ]
    )
    let forPrograms = try folder.run([
      "x.csv", "--format", "jsonl", "-e", "history since 1 limit 1",
    ])
    #expect(forPrograms.output.contains(#""token": 2"#), "\(forPrograms)")
    #expect(forPrograms.output.contains(#""op": "unknown""#), "\(forPrograms)")
    let later = try folder.run(["x.csv", "-e", "history since 3"])
    #expect(later.errors.contains("unknown token 3"), "\(later)")
    #expect(try run("undo", "save").status == 0)
    #expect(try folder.read("x.csv").hasSuffix("b,2\nc,4\n"))
    #expect(try history().last == "3\tT\tann\t~ 2 size: 7 → 2")
  }

  @Test func aValueThatAnotherProgramChangedIsAConflict() throws {
    try run("set where name='b' size=7", "save")
    try folder.write("name,size\na,1\nb,8\nc,3\n", to: "x.csv")
    let undone = try run("undo", "save")
    #expect(undone.status == 5, "\(undone)")
  }

  @Test func theStatusTellsTheNumberOfSavesAndThePlace() throws {
    try run("set where name='b' size=7", "save")
    let file = try historyFile().path
    #expect(try run("status").output.contains("history: 1 save in "), "\(file)")
    let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect(permissions as? Int == 0o600)
  }

  @Test func itCanBeSwitchedOff() throws {
    try run("set where name='b' size=7", "save", options: ["--history", "none"])
    try folder.write("remember-history off\n", to: "config")
    try run("set where name='b' size=8", "save", options: ["--config", "config"])
    try run("set where name='b' size=9", "save", options: ["--dry-run"])
    try run("history", options: ["--read-only"])
    #expect(!FileManager.default.fileExists(atPath: state))
  }

  @Test func aFrameThatWasWrittenInPartIsIgnored() throws {
    try run("set where name='b' size=7", "save")
    let whole = try Data(contentsOf: historyFile())
    try run("set where name='c' size=9", "save")
    let both = try Data(contentsOf: historyFile())
    for count in [whole.count + 1, whole.count + 20, both.count - 1] {
      try both.prefix(count).write(to: historyFile())
      #expect(try history().first == "1\tT\tann\t~ 2 size: 2 → 7")
    }
    let saved = try run("set where name='a' size=5", "save")
    #expect(saved.status == 0 && saved.errors == "", "\(saved)")
    #expect(try history().count == 3, "the lost save is marked")
  }

  @Test func aDamagedHistoryIsPutAsideWithOneLine() throws {
    try run("set where name='b' size=7", "save")
    var bytes = try Data(contentsOf: historyFile())
    bytes[bytes.count - 3] ^= 1
    try bytes.write(to: historyFile())
    let saved = try run("set where name='c' size=9", "save")
    #expect(saved.status == 0)
    #expect(saved.errors.contains("history was damaged; the damaged file is now "), "\(saved)")
    #expect(saved.errors.split(separator: "\n").count == 1)
    #expect(try history() == ["1\tT\tann\t~ 3 size: 3 → 9"])
  }

  @Test func theOldestSavesAreDroppedBeyondTheLimit() throws {
    for size in 10...14 {
      try run("set where name='b' size=\(size)", "save", options: ["--history", "3"])
    }
    #expect(try history().map { $0.prefix(1) } == ["3", "4", "5"])
  }

  @Test func aNewFileOfTheSameNameHasNoPast() throws {
    try run("delete where name='b'", "save")
    try FileManager.default.removeItem(atPath: folder.file("x.csv"))
    try run("entity create x name:text", "insert name=n", "save")
    #expect(try history().count { $0.contains("- ") } == 0)
  }

  /// The run that creates such a file knows the entity by the name that it had before.
  @Test(arguments: ["copy.csv", "copy.jsonl"])
  func theEntityOfANewFileHasItsNameInTheHistory(name: String) throws {
    let made = try folder.run(["memory:", "--sample", "-e", "saveas \(name)", "-e", "quit!"])
    #expect(made.status == 0, "\(made)")
    let change = "set where title = 'Up' releaseYear=1"
    #expect(try folder.run([name, "-e", change, "-e", "save"]).status == 0)
    let run = try folder.run([name, "--format", "jsonl", "-e", "history copy since 0 limit 1"])
    let first = try #require(run.output.split(separator: "\n").first)
    #expect(first.contains(#""op": "insert", "entity": "copy""#), "\(run)")
    let reverted = try folder.run([
      name, "-e", "revert all to 1", "-e", "save", "-e", "count where releaseYear = 2009",
    ])
    #expect(
      reverted.output
        == "reverted: 0 inserted, 1 updated, 0 deleted\nsaved: 0 inserted, 1 updated, 0 deleted\n1\n",
      "\(reverted)"
    )
  }
}
