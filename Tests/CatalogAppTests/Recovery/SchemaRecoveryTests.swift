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
    session.recovery = Recovery(storage)
    return (session, storage)
  }

  private func perform(_ lines: [String], _ session: Session) throws {
    for line in lines {
      _ = try session.perform(line)
      try session.recovery?.keep(session.context)
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
    #expect(next.recovery?.offer?.edits.count == 6)
    try perform(["recover"], next)
    let context = next.context
    #expect(context.unsavedSchemaSteps.count == 4)
    let up = Query("Film", filter: .compare("stars", .equal, .integer(5)))
    #expect(try context.fetchSnapshots(matching: up).map { $0["maker"] } == [.text("Pete")])
    #expect(try context.fetchCount(matching: Query("Studio")) == 1)
    try perform(["undo", "redo", "save"], next)
    #expect(session(script).recovery?.offer == nil)
    #expect(context.container.schema.entitiesByName["Studio"] != nil)
  }

  @Test func aSchemaAloneIsOfferedAndStaysAfterItWasUndone() throws {
    let script = try ScriptFixture.withFilms()
    let first = run(script)
    try perform(["field drop rating"], first.session)
    first.storage.die()
    let next = session(script)
    #expect(next.recovery?.offer?.edits == ["schema: drop rating from Film"])
    try perform(["recover", "undo"], next)
    #expect(!next.context.hasChanges)
    let last = session(script)
    #expect(last.recovery?.offer?.edits == ["schema: drop rating from Film"])
    try perform(["recover", "save"], last)
    #expect(last.context.schema.entitiesByName["Film"]?.layout.slot(of: "rating") == nil)
    #expect(session(script).recovery?.offer == nil)
  }
}
