import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Recovery of unsaved changes after a crash.
@Suite struct RecoveryTests {
  private let disk = MemoryRecoveryStorage.Disk()

  /// A program on the same store and the same disk.
  private struct Run {
    let script: ScriptFixture
    let session: Session
    let storage: MemoryRecoveryStorage
    let screen: ScreenFixture

    init(_ script: ScriptFixture, _ disk: MemoryRecoveryStorage.Disk) {
      self.script = script
      session = Session(
        container: script.session.context.container,
        storeName: "films",
        services: script.services,
        format: .tsv
      )
      storage = MemoryRecoveryStorage(disk)
      session.store.recovery = Recovery(storage)
      screen = ScreenFixture(script, session: session)
    }

    /// Presses keys and updates the recovery file, as the program does before each drawing.
    func press(_ keys: String) throws {
      for event in try KeyFile.parse(keys) {
        screen.runner.handle(event)
        screen.runner.keepEdits()
      }
    }

    /// All records as text.
    func list() throws -> [[String]] {
      try session.context.schema.entities.flatMap { entity in
        try session.context.fetchSnapshots(matching: Query(entity.name)).map { snapshot in
          snapshot.orderedValues.map { value in
            switch value {
            case .link, .links: value.isNull ? "" : "link"
            default: value.text
            }
          }
        }
      }
    }
  }

  private static let edits = """
    : "set where title = 'Up' title='Up!' rating=" Enter
    : "insert title=\\"a\\\\n b\\" boxOffice=0.10 released=2009-05-29 rating=0.1" Enter
    : "delete Film where title = 'Soul'" Enter
    """

  @Test func editsComeBackAsOneUndoStep() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    let saved = try first.list()
    try first.press(Self.edits)
    let edited = try first.list()
    #expect(edited != saved)
    first.storage.die()

    let second = Run(script, disk)
    #expect(try second.list() == saved)
    #expect(second.screen.text.contains("3 unsaved changes from 2026-09-21"))
    try second.press("r")
    #expect(try second.list().sorted { $0[0] < $1[0] } == edited.sorted { $0[0] < $1[0] })
    #expect(disk.files.isEmpty, "the own file has them now")
    try second.press("u")
    #expect(try second.list() == saved)
    #expect(second.screen.message.contains("undone: recover"))
    try second.press("C-r w")
    #expect(second.storage.ownPath == nil)
    #expect(second.session.context.hasChanges == false)
    #expect(
      try Run(script, disk).list().sorted { $0[0] < $1[0] } == edited.sorted { $0[0] < $1[0] }
    )
  }

  @Test func undoneAndSavedChangesAreNotKept() throws {
    let run = Run(try ScriptFixture.withFilms(), disk)
    try run.press(": \"set where title = 'Up' title=X\" Enter")
    #expect(run.storage.ownLines?.count == 2)
    try run.press("u")
    #expect(run.storage.ownLines == nil)
    try run.press(": \"set where title = 'Up' title=X\" Enter : \"insert title=Y\" Enter u")
    run.storage.die()
    let lines = try #require(disk.files.first)
    #expect(lines.last?.contains("\"change\":\"none\"") == true)
    let next = Run(try ScriptFixture.withFilms(), disk)
    #expect(next.screen.text.contains("1 unsaved change from"))
  }

  @Test func aSaveRemovesTheFile() throws {
    let run = Run(try ScriptFixture.withFilms(), disk)
    try run.press(": \"insert title=Y\" Enter")
    #expect(run.storage.ownPath != nil)
    try run.press("w")
    #expect(run.storage.ownPath == nil)
  }

  /// If the program is killed now, the recovery file must not contain saved changes.
  @Test func aSaveRemovesTheFileBeforeAnythingElseHappens() throws {
    let run = Run(try ScriptFixture.withFilms(), disk)
    try run.press(": \"insert title=Y\" Enter")
    #expect(run.storage.ownPath != nil)
    for event in try KeyFile.parse("w") { run.screen.runner.handle(event) }
    run.storage.die()
    #expect(disk.files.isEmpty)
  }

  @Test func changesAlreadySavedAreNotOfferedAgain() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(": \"set where title = 'Up' title='Up!'\" Enter")
    try first.press(": \"delete Film where title = 'Soul'\" Enter")
    first.storage.die()
    try script.run("set where title = 'Up' title='Up!'\ndelete Film where title = 'Soul'\nsave")
    let second = Run(script, disk)
    try second.press("r")
    #expect(
      second.screen.message.contains("nothing to recover: the store already has these changes")
    )
    #expect(!second.session.context.hasChanges)
    #expect(disk.files.isEmpty)
    #expect(Run(script, disk).session.store.recovery?.note == nil)
  }

  @Test func recoverySkipsConflictsAndRestoresTheRest() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(
      """
      : "set where title = 'Up' title=Mine rating=1" Enter
      : "delete Film where title = 'Soul'" Enter
      : "set where releaseYear = 2003 title=Nemo" Enter
      """
    )
    first.storage.die()
    disk.version = "2"
    try script.run(
      """
      set where title = 'Up' title=Theirs
      set where title = 'Soul' rating=2
      delete Film where releaseYear = 2003
      save
      """
    )
    let second = Run(script, disk)
    #expect(second.screen.text.contains("the store has changed since"))
    try second.press("r")
    let text = second.screen.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("3 changes no longer apply"))
    #expect(text.contains("title not set to \"Mine\": it changed from \"Up\" to \"Theirs\""))
    #expect(text.contains("not deleted: rating has changed"))
    #expect(text.contains("the record no longer exists"))
    #expect(try second.list().map { $0[0] + $0[4] }.sorted() == ["Soul2", "Theirs1"])
    #expect(disk.copies.count == 1, "nothing is lost")
  }

  @Test func recoveryFileWithoutMatchesIsKept() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(": \"set where title = 'Up' title=X\" Enter")
    first.storage.die()
    // The store was moved away and replaced by a new one.
    let other = Run(try ScriptFixture(), disk)
    try other.press("r")
    #expect(
      other.screen.text.contains("nothing recovered: none of the records"),
      "\(other.screen.text)"
    )
    #expect(other.screen.text.contains("kept (run"))
    #expect(disk.files.count == 1 && disk.copies.isEmpty)
    try other.press(": \"insert title=Y\" Enter w q")
    #expect(disk.files.count == 1)
    let again = Run(script, disk)
    try again.press("r")
    #expect(try again.list().contains { $0[0] == "X" })
  }

  @Test func ofSeveralFilesThoseThatDoNotFitStay() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(": \"set where title = 'Up' title=X\" Enter")
    first.storage.die()
    disk.files.insert(
      disk.files[0].map { $0.replacing("\"entity\":\"Film\"", with: "\"entity\":\"Play\"") },
      at: 0
    )
    let second = Run(script, disk)
    try second.press("r Escape w")
    #expect(try second.list().contains { $0[0] == "X" })
    #expect(disk.files.isEmpty && disk.kept.count == 1)
    #expect(disk.kept.first?.last?.contains("Play") == true)
  }

  @Test func undoneRecoveredChangesAreOfferedAgain() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(Self.edits)
    let edited = try first.list()
    first.storage.die()
    let second = Run(script, disk)
    try second.press("r u q")
    #expect(second.screen.runner.exitStatus == 0)
    try second.session.store.recovery?.leave(second.session.context)
    #expect(second.storage.ownPath == nil)
    #expect(disk.files.count == 1)
    // The same without an update of the recovery file in between.
    let third = Run(script, disk)
    for event in try KeyFile.parse("r u q") { third.screen.runner.handle(event) }
    try third.session.store.recovery?.leave(third.session.context)
    #expect(disk.files.count == 1)
    let fourth = Run(script, disk)
    try fourth.press("r u")
    try fourth.press(": recover Enter")
    #expect(try fourth.list().sorted { $0[0] < $1[0] } == edited.sorted { $0[0] < $1[0] })
    #expect(disk.files.isEmpty && fourth.storage.ownPath != nil)
    try fourth.press("u C-r")
    #expect(disk.files.isEmpty && fourth.storage.ownPath != nil, "known again, and not kept twice")
    fourth.storage.die()
    #expect(disk.files.count == 1)
  }

  @Test func editsFromBeforeTheRecoveryAreKeptApartWhenItIsUndone() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(Self.edits)
    first.storage.die()
    let found = disk.files
    let second = Run(script, disk)
    try second.press("Escape : \"insert title=Own\" Enter : recover Enter")
    #expect(disk.files.isEmpty)
    try second.press("u")
    #expect(disk.files.map { $0.dropFirst().sorted() } == found.map { $0.dropFirst().sorted() })
    let own = try #require(second.storage.ownLines)
    #expect(own.count == 2 && own[1].contains("Own"), "\(own)")
    try second.press("C-r")
    #expect(disk.files.isEmpty && second.storage.ownLines?.count == 5)
    try second.press("u : \"set where title = Own title=Mine\" Enter q d")
    try second.session.store.recovery?.leave(second.session.context)
    #expect(disk.files.count == 1 && second.storage.ownPath == nil)
  }

  @Test func savingRemovesUndoneRecoveredChanges() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(Self.edits)
    first.storage.die()
    let second = Run(script, disk)
    try second.press("r u : \"insert title=Y\" Enter")
    #expect(disk.files.count == 1 && second.storage.ownPath != nil)
    try second.press("w")
    #expect(disk.files.isEmpty && second.storage.ownPath == nil)
    #expect(second.session.store.recovery?.note == nil)
  }

  @Test func theQuestionIsWrappedAndNotCut() throws {
    disk.folder = "/home/ada/" + String(repeating: "long/", count: 20)
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(": \"set where title = 'Up' title=X\" Enter")
    first.storage.die()
    let text = Run(script, disk).screen.text
    let question = text.split(separator: "\n").drop { !$0.contains("unsaved change") }
    #expect(!question.contains { $0.contains("…") }, "\(text)")
    #expect(text.contains("store0"))
  }

  @Test func newRecordsKeepTheirLinksToEachOther() throws {
    let script = try ScriptFixture(ScriptFixture.linked)
    let first = Run(script, disk)
    try first.press(
      """
      : "insert Studio name=Pixar" Enter
      : "insert Film title=Up studio=t1 notes='{\\"a\\": [1.50]}'" Enter
      : "insert Film title='Up 2' studio=t1" Enter
      : "set t2 sequels='t3 t2'" Enter
      """
    )
    first.storage.die()
    let second = Run(script, disk)
    // Different numbers of new records must not matter.
    try second.press("Escape : \"insert Studio name=Other\" Enter : recover Enter")
    let films = try second.session.context.fetchSnapshots(matching: Query("Film"))
    let up = try #require(films.first { $0["title"] == .text("Up") })
    let other = try #require(films.first { $0["title"] == .text("Up 2") })
    #expect(
      up["sequels"] == .links([other.persistentIdentifier, up.persistentIdentifier])
    )
    #expect(up["studio"] == other["studio"])
    #expect(up["notes"] == .json("{\"a\":[1.50]}"))
  }

  @Test func lookingDiscardingAndLaterDoWhatTheySay() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(": \"set where title = 'Up' title=X\" Enter")
    first.storage.die()

    let later = Run(script, disk)
    try later.press("l")
    #expect(later.screen.text.contains("title: \"Up\" → \"X\""))
    try later.press("Escape Escape")
    #expect(later.screen.message.contains("use :recover to restore them"))
    #expect(disk.files.count == 1)

    let discarding = Run(script, disk)
    try discarding.press("z")
    #expect(discarding.screen.message.contains("press r, l, d or Esc"))
    try discarding.press("d")
    #expect(disk.files.isEmpty && disk.aside.count == 1)
    #expect(!discarding.session.context.hasChanges)
    #expect(Run(script, disk).session.store.recovery?.offer == nil)
  }

  @Test func fullDiskIsReportedOnceAndEditingContinues() throws {
    let run = Run(try ScriptFixture.withFilms(), disk)
    disk.isFull = true
    try run.press(": \"insert title=A\" Enter")
    #expect(
      run.screen.text.contains("cannot write the recovery file")
    )
    #expect(run.session.context.hasChanges)
    try run.press(": \"insert title=B\" Enter")
    #expect(!run.screen.text.contains("cannot write the recovery file"))
    disk.isFull = false
    try run.press(": \"insert title=C\" Enter")
    #expect(run.storage.ownLines?.count == 4, "everything, once there is room")
  }

  @Test func scriptsAreToldAndKeepTheFileUntilTheySave() throws {
    let script = try ScriptFixture.withFilms()
    let first = Run(script, disk)
    try first.press(": \"set where title = 'Up' title=X\" Enter")
    first.storage.die()
    script.session.store.recovery = Recovery(MemoryRecoveryStorage(disk))
    let note = try #require(script.session.store.recovery?.note)
    #expect(note.contains("1 unsaved change from 2026-09-21") && note.contains(" UTC found in "))
    #expect(note.contains("\"recover discard\""))
    #expect(try script.run("recover\nstatus").output.contains("unsaved: 1"))
    #expect(disk.files.count == 1)
    #expect(try script.run("recover").status == 1)
    #expect(try script.run("save").status == 0)
    #expect(disk.files.isEmpty)
    #expect(try script.run("recover").errors.contains("nothing to recover"))
  }

  @Test func editsOfAnotherStoreAreSaidToBeThat() throws {
    let first = Run(try ScriptFixture.withFilms(), disk)
    try first.press(": \"set where title = 'Up' title=X\" Enter : \"insert title=New\" Enter")
    first.storage.die()
    disk.files[0][0].replace("\"store\":\"", with: "\"store\":\"another ")
    let run = Run(try ScriptFixture.withFilms(), disk)
    #expect(run.screen.text.contains("made in a different store"))
  }

  @Test func recordsKnownByTheirPlaceAreComparedAsAWhole() throws {
    let line = """
      {"change":"update","fields":{"rating":{"after":"9","before":"8"},\
      "title":{"after":"Soul","before":"Soul"}},"record":{"entity":"Film","key":"1"}}
      """
    let found = RecoveryFileEdits(
      RecoveryFileLines(
        path: "/x",
        modified: Date(timeIntervalSince1970: 0),
        lines: ["{\"recovery\":1,\"store\":\"s\",\"version\":\"1\"}", line]
      )
    )
    for (title, isSame) in [("Soul", true), ("Other", false)] {
      let entity = ScriptFixture.film
      let container = try ModelContainer(
        configurations: [ReferenceStoreConfiguration(name: "s", schema: Schema(entity), seed: 1)]
      )
      let store = try #require(container.stores.first as? any QueryableStore)
      let record = DefaultSnapshot(
        persistentIdentifier: try .identifier(
          for: store.identifier,
          entityName: "Film",
          primaryKey: 1
        ),
        layout: entity.layout,
        orderedValues: entity.fields.map {
          ["title": .text(title), "rating": .number(8)][$0.name] ?? .null
        }
      )
      _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
      var edits = EditRecovery(into: ModelContext(container))
      try edits.recover(found, isOutdated: false)
      #expect(edits.count == (isSame ? 1 : 0))
      #expect(edits.conflicts.isEmpty == isSame)
    }
  }

  @Test func linesOfANewerFormAreRefusedAndKept() throws {
    disk.files = [["{\"recovery\":2,\"store\":\"x\"}", "{}"]]
    let run = Run(try ScriptFixture.withFilms(), disk)
    #expect(run.session.store.recovery?.note?.contains("format 2 is not supported") == true)
    #expect(throws: (any Error).self) { try run.session.perform("recover") }
    #expect(disk.files.count == 1)
    _ = try run.session.perform("recover discard")
    #expect(disk.aside.count == 1)
  }

  @Test func theFileIsRewrittenBeforeItGrowsWithoutLimit() throws {
    let run = Run(try ScriptFixture.withFilms(), disk)
    let text = String(repeating: "x", count: 300_000)
    for number in 0..<12 {
      _ = try run.session.perform("set where releaseYear = 2009 title=\(text)\(number)")
      try run.session.store.recovery?.keep(run.session.context)
    }
    #expect(run.storage.rewrites > 1)
    #expect(run.storage.ownLines?.joined().utf8.count ?? 0 < 3_000_000)
  }
}
