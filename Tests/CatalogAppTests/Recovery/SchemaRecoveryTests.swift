import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Recovery of schema changes after a crash.
@Suite struct SchemaRecoveryTests {
  private let disk = MemoryRecoveryStorage.Disk()

  private func session(_ script: ScriptFixture) -> Session { run(script).session }

  private func run(_ script: ScriptFixture) -> (session: Session, storage: MemoryRecoveryStorage) {
    let session = Session(
      container: script.session.context.container,
      storeName: "films",
      services: script.services,
      format: .tsv
    )
    let storage = MemoryRecoveryStorage(disk)
    session.store.recovery = Recovery(storage)
    return (session, storage)
  }

  private func perform(_ lines: [String], _ session: Session) throws {
    for line in lines {
      _ = try session.perform(line)
      try session.store.recovery?.keep(session.context)
    }
  }

  @Test func theSchemaComesBackBeforeTheEdits() throws {
    let script = try ScriptFixture.withFilms()
    let first = run(script)
    try perform(
      [
        "field rename director maker", "field add stars:integer=2", "field drop rating",
        "entity create Studio name:text", "set Film where title = 'Up' stars=5 maker=Pete",
        "insert Studio name=Pixar",
      ],
      first.session
    )
    first.storage.die()
    let next = session(script)
    #expect(next.store.recovery?.offer?.edits.count == 6)
    try perform(["recover"], next)
    let context = next.context
    #expect(context.unsavedSchemaSteps.count == 4)
    let up = Query("Film", filter: .compare("stars", .equal, .integer(5)))
    #expect(try context.fetchSnapshots(matching: up).map { $0["maker"] } == [.text("Pete")])
    #expect(try context.fetchCount(matching: Query("Studio")) == 1)
    try perform(["undo", "redo", "save"], next)
    #expect(session(script).store.recovery?.offer == nil)
    #expect(context.container.schema.entitiesByName["Studio"] != nil)
  }

  /// The lines of an unsaved run, and the changes as they are offered.
  static let conversions: [(lines: [String], offered: [String])] = [
    (
      ["field type releaseYear text"],
      ["schema: field type Film releaseYear: integer → text (3 values)"]
    ),
    (
      [
        "field type releaseYear text", "field rename releaseYear year",
        "set where title='Up' title=Oben",
      ],
      [
        "schema: field type Film releaseYear: integer → text (3 values)",
        "schema: rename releaseYear to year in Film", "title: \"Up\" → \"Oben\"",
      ]
    ),
    (
      ["field type releaseYear text", "delete where title='Up'"],
      ["schema: field type Film releaseYear: integer → text (2 values)", "deleted"]
    ),
    (
      ["field type releaseYear text", "field drop releaseYear"],
      [": integer → text (0 values)", "drop"]
    ),
  ]

  @Test(arguments: conversions)
  func aConversionIsOneChangeAsItIsListed(lines: [String], offered: [String]) throws {
    let script = try ScriptFixture.withFilms()
    let first = run(script)
    try perform(lines, first.session)
    guard case .table(let listed) = try first.session.perform("changes") else {
      Issue.record("no table")
      return
    }
    first.storage.die()
    let offer = try #require(session(script).store.recovery?.offer)
    #expect(offer.title.hasPrefix("\(counted(listed.rows.count, "unsaved change")) from"))
    #expect(offer.edits.count == offered.count, "\(offer.edits)")
    for (edit, words) in zip(offer.edits, offered) { #expect(edit.contains(words), "\(edit)") }
  }

  @Test func aSchemaAloneIsOfferedAndStaysAfterItWasUndone() throws {
    let script = try ScriptFixture.withFilms()
    let first = run(script)
    try perform(["field drop rating"], first.session)
    first.storage.die()
    let next = session(script)
    #expect(next.store.recovery?.offer?.edits == ["schema: drop rating from Film"])
    try perform(["recover", "undo"], next)
    #expect(!next.context.hasChanges)
    let last = session(script)
    #expect(last.store.recovery?.offer?.edits == ["schema: drop rating from Film"])
    try perform(["recover", "save"], last)
    #expect(last.context.schema.entitiesByName["Film"]?.layout.slot(of: "rating") == nil)
    #expect(session(script).store.recovery?.offer == nil)
  }
}
