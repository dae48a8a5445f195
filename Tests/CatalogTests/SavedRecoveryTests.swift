import Foundation
import Glibc
import Testing

/// Recovery files that were left after a save, because the program died before it could remove them.
@Suite struct SavedRecoveryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case catalog = "x.json"
    case array = "p.json"
    case lines = "l.jsonl"
    case separated = "c.csv"
    case log = "x.catlog"
    case database = "x.db"
    case foreign = "y.db"

    var testDescription: String { rawValue }

    var recoveryName: String { ".\(rawValue).catalog-recovery" }
  }

  /// Makes a store with the records `same`, `same`, `k0` and `k1`.
  private func make(_ kind: Kind) throws {
    let names = ["same", "same", "k0", "k1"]
    switch kind {
    case .array:
      let objects = names.map { "{\"name\":\"\($0)\",\"n\":0}" }
      try folder.write("[" + objects.joined(separator: ",\n") + "]\n", to: kind.rawValue)
    case .lines:
      let objects = names.map { "{\"name\":\"\($0)\",\"n\":0}\n" }
      try folder.write(objects.joined(), to: kind.rawValue)
    case .separated:
      try folder.write("name,n\n" + names.map { "\($0),0\n" }.joined(), to: kind.rawValue)
    case .foreign:
      _ = try folder.database(
        kind.rawValue,
        "CREATE TABLE F (id INTEGER PRIMARY KEY, name TEXT, n INTEGER)",
        "INSERT INTO F (name, n) VALUES ('same', 0), ('same', 0), ('k0', 0), ('k1', 0)"
      )
    case .catalog, .log, .database:
      let lines = names.map { "insert F name=\($0) n=0" }
      let made = try folder.run(
        [kind.rawValue]
          + (["entity create F name:text n:integer"] + lines + ["save"]).flatMap { ["-e", $0] }
      )
      #expect(made.status == 0, "\(made)")
    }
  }

  /// The names and numbers, in order.
  private func records(_ kind: Kind) throws -> [String] {
    let listed = try folder.run([
      kind.rawValue, "--format", "tsv", "-e", "list sort name,n fields name,n",
    ])
    #expect(listed.status == 0, "\(listed)")
    return listed.output.split(separator: "\n").dropFirst().map {
      String($0).replacing("\t", with: " ")
    }
  }

  private static let saved = ["k0 55", "new 1", "new 1", "same 0"]
  private static let unsaved = ["k0 0", "k1 0", "same 0", "same 0"]

  private static let changes = [
    "insert name=new n=1", "insert name=new n=1", "set where name='k0' n=55",
    "delete where name='k1'",
  ]

  /// Makes and saves changes, and kills the program as if it had not come to removing the recovery file.
  private func saveAndDie(_ kind: Kind) throws {
    // Of two equal records only one is deleted.
    let first = try folder.run([
      kind.rawValue, "--format", "tsv", "-e", "list where name='same' limit 1 fields id",
    ])
    let id = first.output.split(separator: "\n").last.map(String.init) ?? ""
    try saveAndDie(
      kind,
      ["delete \(id)"] + Self.changes,
      status: "deleted: 2",
      saved: "2 inserted, 1 updated, 2 deleted"
    )
  }

  private func saveAndDie(_ kind: Kind, _ lines: [String], status: String, saved: String) throws {
    let run = try ScreenRun([folder.file(kind.rawValue), "--plain"])
    #expect(run.shows("catalog> "))
    for line in lines { run.type(line + "\n") }
    run.type("status\n")
    #expect(run.shows(status), "\(run.received)")
    #expect(run.shows("catalog> "))
    // Whatever is written to the file until it is removed stays under this name.
    let place = folder.file(kind.recoveryName)
    try FileManager.default.linkItem(atPath: place, toPath: place + ".kept")
    run.type("save\n")
    #expect(run.shows("saved: \(saved)"), "\(run.received)")
    #expect(run.shows("catalog> "))
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    #expect(!FileManager.default.fileExists(atPath: place))
    try FileManager.default.moveItem(atPath: place + ".kept", toPath: place)
  }

  @Test(arguments: Kind.allCases)
  func changesThatWereSavedAreNotRecovered(kind: Kind) throws {
    try make(kind)
    try saveAndDie(kind)
    #expect(try folder.read(kind.recoveryName).contains("{\"saving\":"))
    let run = try folder.run([kind.rawValue, "-e", "recover", "-e", "save", "-e", "check"])
    #expect(run.status == 0, "\(run)")
    #expect(run.output.contains("were saved before the program ended"), "\(run)")
    #expect(try records(kind) == Self.saved)
    #expect(try !folder.names().contains(kind.recoveryName))
  }

  /// Another program has saved since, so that the file is neither as before the save nor as after it.
  @Test(arguments: Kind.allCases)
  func aLaterSaveOfAnotherProgramDoesNotHideTheSave(kind: Kind) throws {
    try make(kind)
    try saveAndDie(kind)
    let aside = folder.file(kind.recoveryName)
    try FileManager.default.moveItem(atPath: aside, toPath: aside + ".kept")
    let other = try folder.run([kind.rawValue, "-e", "insert name=other n=2", "-e", "save"])
    #expect(other.status == 0, "\(other)")
    try FileManager.default.moveItem(atPath: aside + ".kept", toPath: aside)
    let run = try folder.run([kind.rawValue, "-e", "recover", "-e", "save"])
    #expect(run.output.contains("were saved before the program ended"), "\(run)")
    #expect(try records(kind) == (Self.saved + ["other 2"]).sorted())
  }

  @Test(arguments: Kind.allCases)
  func changesThatWereNotSavedAreRecovered(kind: Kind) throws {
    try make(kind)
    let companions = ["", "-wal", "-shm"].map { kind.rawValue + $0 }
    for name in companions where FileManager.default.fileExists(atPath: folder.file(name)) {
      try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file("old" + name))
    }
    try saveAndDie(kind)
    // The store as it was before the save.
    for name in companions {
      // Not every store has all of these files.
      try? FileManager.default.removeItem(atPath: folder.file(name))
      if FileManager.default.fileExists(atPath: folder.file("old" + name)) {
        try FileManager.default.moveItem(
          atPath: folder.file("old" + name),
          toPath: folder.file(name)
        )
      }
    }
    #expect(try records(kind) == Self.unsaved)
    let run = try folder.run([kind.rawValue, "-e", "recover", "-e", "save"])
    #expect(run.output.contains("saved: 2 inserted, 1 updated, 2 deleted"), "\(run)")
    #expect(try records(kind) == Self.saved)
    #expect(try !folder.names().contains(kind.recoveryName))
  }

  /// The file had the content of the save before, and was changed back.
  @Test func anEarlierSaveOfTheSameContentIsAnotherOne() throws {
    try make(.array)
    let name = Kind.array.rawValue
    let before = try folder.read(name)
    let change = "set where name='k0' n=55"
    let earlier = try folder.run([name, "-e", change, "-e", "save", "-e", "undo", "-e", "save"])
    #expect(earlier.status == 0, "\(earlier)")
    #expect(try folder.read(name) == before)
    try saveAndDie(.array, [change], status: "updated: 1", saved: "0 inserted, 1 updated")
    try folder.write(before, to: name)
    let run = try folder.run([name, "-e", "recover", "-e", "save"])
    #expect(run.output.contains("0 inserted, 1 updated, 0 deleted"), "\(run)")
    #expect(try records(.array).contains("k0 55"))
  }

  /// Another program has given one of the records the value that the save was to give it.
  @Test func oneRecordDoesNotShowThatAnInterruptedSaveWasMade() throws {
    try make(.foreign)
    let name = Kind.foreign.rawValue
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    let changes = ["set where name='k0' n=55", "set where name='k1' n=66"]
    try saveAndDie(.foreign, changes, status: "updated: 2", saved: "0 inserted, 2 updated")
    try before.write(to: URL(fileURLWithPath: folder.file(name)))
    _ = try folder.database(name, "UPDATE F SET n = 55 WHERE name = 'k0'")
    let run = try folder.run([name, "-e", "recover", "-e", "save"])
    #expect(run.output.contains("cannot tell whether it was made"), "\(run)")
    #expect(try records(.foreign).suffix(4).contains("k1 66"))
  }

  /// What a script recovers is taken over into its own file before a save, which removes both.
  @Test func aScriptThatRecoversAndSavesLeavesNoFile() throws {
    try make(.array)
    let run = try ScreenRun([folder.file("p.json"), "--plain"])
    #expect(run.shows("catalog> "))
    run.type("insert name=new n=1\nstatus\n")
    #expect(run.shows("inserted: 1"))
    #expect(run.shows("catalog> "))
    kill(run.process, SIGKILL)
    #expect(run.wait() == .killed(SIGKILL))
    let place = folder.file(Kind.array.recoveryName)
    let script = try folder.run([
      "p.json", "-e", "recover", "-e", "save", "-e", "count",
    ])
    #expect(script.status == 0 && script.output.hasSuffix("5\n"), "\(script)")
    #expect(!FileManager.default.fileExists(atPath: place))
  }
}
