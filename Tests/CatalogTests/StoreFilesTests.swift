import Foundation
import Testing

/// The real program with resource limits, odd names, closed streams and other users; log history.
@Suite struct StoreFilesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
  }

  /// The prefix of a command line that runs as a user without permissions; nil, with a note, if
  /// there is no such user.
  private func commandOfAnotherUser() throws -> String? {
    guard getuid() == 0, FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else {
      print("SKIPPED: only root can become another user, by setpriv")
      return nil
    }
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    guard try folder.inShell("\(nobody) \"$catalog\" --version").status == 0 else {
      print("SKIPPED: another user cannot run the program where it was built")
      return nil
    }
    return nobody
  }

  // MARK: The process

  // Covers E11.
  @Test(arguments: [("000", 0o666), ("022", 0o644), ("077", 0o600), ("777", 0o600)])
  func aNewStoreHasTheRightsThatTheUmaskLeaves(mask: String, rights: Int) throws {
    for name in ["a.json", "a.catlog"] {
      let run = try folder.inShell(#"umask \#(mask); "$catalog" --sample \#(name) -e save"#)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try mode(name) == rights)
    }
  }

  /// A file of one user needs no lock file after it is closed.
  ///
  /// If others may write the file but cannot create files in its folder, the lock file stays.
  @Test(arguments: ["a.json", "a.catlog"])
  func noLockFileStaysWhereEveryWriterCanMakeOne(name: String) throws {
    let lock = folder.file(".\(name).lock")
    let shell = #"umask 022; "$catalog" --sample \#(name) -e save; "$catalog" \#(name) -e count"#
    #expect(try folder.inShell(shell).status == 0)
    #expect(!FileManager.default.fileExists(atPath: lock))
    func edit(_ year: Int) -> String {
      #""$catalog" \#(name) -e 'set where title = "Up" releaseYear=\#(year)' -e save"#
    }
    #expect(try folder.inShell("chmod 755 .; chmod 666 \(name); \(edit(1))").status == 0)
    #expect(FileManager.default.fileExists(atPath: lock))
    #expect(try folder.inShell("chmod 1777 .; \(edit(2))").status == 0)
    #expect(!FileManager.default.fileExists(atPath: lock))
  }

  // Covers C12.
  @Test(arguments: ["a.json", "a.catlog"])
  func aLimitOnTheSizeOfFilesIsAFailedSave(name: String) throws {
    #expect(try folder.run(["--sample", name, "-e", "save"]).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    let text = String(repeating: "long ", count: 20_000)
    try folder.write("set where title = \"Up\" title=\"\(text)\"\nsave\n", to: "script")
    // In blocks of 512 bytes: enough for the existing content, not for the new text.
    let run = try folder.inShell(#"ulimit -f 30; "$catalog" \#(name) --script script"#)
    #expect(run.status == 5, "\(run.status) \(run.errors)")
    #expect(run.errors.contains("file too large"), "\(run.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) == before)
    #expect(try folder.names() == [name, "script"])
    #expect(try folder.run([name, "--script", "script"]).status == 0)
  }

  // Covers C13.
  @Test(arguments: ["a.json", "a.catlog"])
  func aLimitOnOpenFilesIsAnErrorAndLosesNothing(name: String) throws {
    #expect(try folder.run(["--sample", name, "-e", "save"]).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
    var failures = 0
    for limit in 3...12 {
      let run = try folder.inShell(
        #"ulimit -n \#(limit); "$catalog" \#(name) -e 'set where title = "Up" releaseYear=1' -e save"#
      )
      if run.status == 0 { break }
      failures += 1
      // With fewer than six, the loader or the runtime fails before the program starts.
      #expect(
        run.status == 4 || run.status == 5 || limit < 6,
        "\(limit): \(run.status) \(run.errors)"
      )
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) == before)
    }
    #expect(failures > 0)
    #expect(try folder.names() == [name])
    let count = try folder.run([name, "-e", "count where releaseYear = 1"])
    #expect(count.output == "1\n", "with enough of them it was saved")
  }

  @Test func anExportLeavesNothingBesideItsFile() throws {
    for _ in 1...2 {
      let run = try folder.run([
        "--store", "memory", "--sample", "--replace", "-e", "export films.csv", "-e",
        "export new.json",
      ])
      #expect(run.status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.sorted() == ["films.csv", "new.json"])
    }
  }

  @Test func aPipeOfTheShellIsNoStoreButCanBeASchema() throws {
    let store = try folder.inShell(
      #"echo '[]' | "$catalog" /dev/fd/0 -e count; echo $?"#
    )
    #expect(store.output == "4\n")
    #expect(store.errors.contains("pipe"), "\(store.errors)")
    let schema = try folder.inShell(
      #"echo '{"entities": [{"name": "A", "attributes": []}]}' | "$catalog" a.json --schema /dev/fd/0 -e entities"#
    )
    #expect(schema.status == 0, "\(schema.errors)")
    #expect(schema.output.contains("A"))
  }

  // Covers J07.
  @Test(arguments: ["a.json", "a.catlog"])
  func aSchemaBesideAStoreWithAnotherIsRefused(name: String) throws {
    #expect(try folder.run(["--sample", name, "-e", "save"]).status == 0)
    try folder.write(#"{"entities": [{"name": "A", "attributes": []}]}"#, to: "schema.json")
    let run = try folder.run(["--schema", "schema.json", name, "-e", "count"])
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors.contains("has a different schema than schema.json"))
    try folder.write("{\"entities\": [\n  {]}", to: "schema.json")
    let broken = try folder.run(["--schema", "schema.json", "b.json", "-e", "count"])
    #expect(broken.status == 2)
    #expect(broken.errors.contains("expected a key in double quotes"), "\(broken.errors)")
  }

  /// If descriptors 0, 1 and 2 are closed, the next opened file would get one of their numbers.
  ///
  /// Covers E15.
  @Test(arguments: ["a.json", "a.catlog"])
  func closedStandardStreamsDoNotEndUpInTheStore(name: String) throws {
    #expect(try folder.run(["--sample", name, "-e", "save"]).status == 0)
    let line =
      #""$catalog" \#(name) -e 'set where title = "Up" releaseYear=1' -e save -e list -e nonsense"#
    _ = try folder.inShell("\(line) <&- >&- 2>&-")
    let check = try folder.run([name, "-e", "count where releaseYear = 1", "-e", "check"])
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.output.hasPrefix("1\n"))
  }

  // Covers E18.
  @Test func aWorkingFolderThatIsGoneIsAnError() throws {
    for name in ["x.json", "x.catlog"] {
      let run = try folder.inShell(
        #"mkdir d; cd d; rmdir ../d; "$catalog" \#(name) --sample -e save"#
      )
      #expect(run.status == 4, "\(run.status) \(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1)
    }
    let path = folder.file("y.catlog")
    let run = try folder.inShell(
      #"mkdir e; cd e; rmdir ../e; "$catalog" '\#(path)' --sample -e save"#
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.names() == ["y.catlog"])
  }

  // Covers E13.
  @Test(arguments: ["a b.catlog", "line\nfeed.catlog", "\u{1B}[31mred.catlog", "é\u{202E}.json"])
  func oddNamesWorkAndAreShownWithoutHarm(name: String) throws {
    #expect(try folder.run(["--sample", name, "-e", "save"]).status == 0)
    #expect(try folder.names() == [name])
    try folder.write("", to: name)
    let run = try folder.run([name, "-e", "count"])
    #expect(run.status == 4)
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(!run.errors.contains("\u{1B}") && !run.errors.contains("\u{202E}"))
  }

  /// Root can write everywhere, so the test runs as another user.
  ///
  /// Covers E01, E02.
  @Test func usersWithoutWritePermissionReadTheLog() throws {
    guard let nobody = try commandOfAnotherUser() else { return }
    #expect(try folder.run(["--sample", "a.catlog", "-e", "save"]).status == 0)
    #expect(try folder.run(["--sample", "a.json", "-e", "save"]).status == 0)
    let names = try folder.names()
    _ = try folder.inShell("chmod 755 .; chmod 644 a.catlog a.json; rm -f .a.*.lock")
    let read = try folder.inShell("\(nobody) \"$catalog\" a.catlog -e count")
    #expect(read.output == "31\n")
    #expect(
      read.errors.contains("note: ") && read.errors.contains("opened read-only"),
      "\(read.errors)"
    )
    for name in ["a.catlog", "a.json"] {
      let before = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      let run = try folder.inShell(
        "\(nobody) \"$catalog\" \(name) -e 'set where title = \"Up\" releaseYear=1' -e save"
      )
      #expect(run.status == 5, "\(run.status) \(run.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))) == before)
    }
    #expect(try folder.names() == names)
  }

  @Test(arguments: ["022", "077", "007"])
  func anExportHasTheRightsThatTheUmaskLeaves(mask: String) throws {
    let run = try folder.inShell(
      """
      umask \(mask); "$catalog" --store memory --sample -e 'export a.csv' -e 'export b.json'
      touch reference; stat -c %a a.csv b.json reference
      """
    )
    let modes = run.output.split(separator: "\n").suffix(3)
    #expect(Set(modes).count == 1 && modes.count == 3, "\(run.output) \(run.errors)")
  }

  @Test func aLockThatIsNotSharedIsNamed() throws {
    guard let nobody = try commandOfAnotherUser() else { return }
    for name in ["a.catlog", "a.json"] {
      #expect(try folder.run(["--sample", name, "-e", "save"]).status == 0)
      func save(_ year: Int, as user: String = "") throws -> ProgramRun {
        try folder.inShell(
          "\(user) \"$catalog\" \(name) -e 'set where title = \"Up\" releaseYear=\(year)' -e save"
        )
      }
      #expect(try save(1).status == 0)
      // Left by a program that crashed before the file was shared.
      _ = try folder.inShell(
        "chmod 777 .; chmod 666 \(name); touch .\(name).lock; chmod 600 .\(name).lock"
      )
      let refused = try save(2, as: nobody)
      #expect(refused.status == 5 && refused.errors.contains(".\(name).lock"), "\(refused.errors)")
      #expect(refused.errors.contains("chmod g+rw"))
      // After another save by the owner, the others can save.
      #expect(try save(3).status == 0)
      let saved = try save(4, as: nobody)
      #expect(saved.status == 0, "\(saved.errors)")
    }
  }

  // MARK: History

  /// A script that saves a long text the given number of times.
  private func writeSaves(_ count: Int) throws {
    let text = String(repeating: "long ", count: 20_000)
    let saves = (0..<count).map { "set where title != \"\" title=\"\($0) \(text)\"\nsave\n" }
    try folder.write(
      "entity create Note title:text\ninsert title=x\nsave\n" + saves.joined(),
      to: "script"
    )
  }

  private func size(_ name: String) throws -> Int { try folder.read(name).utf8.count }

  @Test func aLogWithoutHistoryIsCompactedBehindASaveWithANote() throws {
    try writeSaves(14)
    let run = try folder.run(["a.catlog", "--history", "none", "--script", "script"])
    #expect(run.status == 0)
    let notes = run.errors.split(separator: "\n")
    #expect((1...4).contains(notes.count), "\(run.errors)")
    #expect(notes.allSatisfy { $0.contains(/^catalog: note: compacted \d\.\d MB to \d+\.\d kB$/) })
    let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("saved") }
    #expect(lines.count == 15)
    #expect(lines.dropFirst().allSatisfy { $0 == "saved: 0 inserted, 1 updated, 0 deleted" })
    #expect(try size("a.catlog") < 1 << 20)
    #expect(try folder.run(["a.catlog", "-e", "count", "-e", "check"]).output.hasPrefix("1\n"))
  }

  @Test func aLogKeepsItsHistoryUnlessItIsToldOtherwise() throws {
    try writeSaves(14)
    let run = try folder.run(["a.catlog", "--script", "script"])
    #expect(run.status == 0 && run.errors == "")
    let whole = try size("a.catlog")
    #expect(whole > 2 << 20)
    let nothing = try folder.run(["a.catlog", "-e", "compact"])
    #expect(nothing.output.hasPrefix("nothing to compact"))
    #expect(try size("a.catlog") == whole)
    let some = try folder.run(["a.catlog", "--history", "3", "-e", "compact", "-e", "history"])
    let lines = some.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("compacted ") == true)
    #expect(lines.filter { $0.contains(/^\d+\t/) }.count == 3, "\(lines.map { $0.prefix(40) })")
    #expect(try size("a.catlog") < whole / 3)
  }

  @Test func theConfigurationSaysItAndTheOptionHasTheLastWord() throws {
    try writeSaves(14)
    try folder.write("history none\n", to: "config")
    let kept = try folder.run([
      "a.catlog", "--config", "config", "--history", "all", "--script", "script",
    ])
    #expect(kept.status == 0 && kept.errors == "")
    let compacted = try folder.run(["a.catlog", "--config", "config", "-e", "compact"])
    #expect(compacted.output.hasPrefix("compacted "), "\(compacted.output)")
    try folder.write("history some\n", to: "config")
    let wrong = try folder.run(["a.catlog", "--config", "config", "-e", "count"])
    #expect(wrong.status == 2 && wrong.errors.contains("history: expected all, none or a number"))
  }

  @Test func theScreenSaysWhatWasGained() throws {
    try writeSaves(14)
    _ = try folder.run(["a.catlog", "--script", "script"])
    try folder.write(#"":set where title != \"\" title=short" Enter w"#, to: "keys")
    let run = try folder.run(["a.catlog", "--history", "none", "--keys", "keys"])
    #expect(
      run.output.contains(
        /saved: 0 inserted, 1 updated, 0 deleted; compacted 2\.\d MB to \d+ bytes/
      ),
      "\(run.output) \(run.errors)"
    )
  }

  @Test(arguments: ["", "some", "-1", "1.5"])
  func anythingElseIsWrongUsage(text: String) throws {
    let run = try folder.run(["a.catlog", "--history", text, "-e", "count"])
    #expect(run.status == 2)
    #expect(run.errors.contains("--history: expected all, none or a number of saves"))
    #expect(try folder.names() == [])
  }
}
