import CatalogApp
import OpenSwiftData
import Testing

/// A save that resolves conflicts and then fails for another reason.
@Suite struct FailedResolvingSaveTests {
  private let services: FolderServices
  private let location: String

  private func open() throws -> Session {
    let entity = Schema.Entity(
      "Item",
      attributes: [
        Schema.Attribute("sku", .text, isUnique: true), Schema.Attribute("n", .integer),
      ]
    )
    let opened = try services.open(location, schema: Schema(entity), isReadOnly: false)
    return Session(
      container: opened.container,
      storeName: location,
      entityName: "Item",
      services: services,
      format: .tsv
    )
  }

  init() throws {
    services = try StoppedWorkTests.services(count: 1)
    location = "items.catlog"
    let session = try open()
    for line in ["insert sku=A n=1", "insert sku=B n=2", "insert sku=C n=3", "save"] {
      _ = try session.perform(line)
    }
    session.close()
  }

  private struct State: Equatable {
    let changes: ChangeSet
    let conflicts: [RecordConflict]
    let undoableSteps: Int

    init(_ session: Session) throws {
      conflicts = try session.context.conflicts()
      changes = session.context.pendingChanges
      undoableSteps = session.context.undoableStepCount
    }
  }

  @Test(
    arguments: [
      ("set where sku='A' n=10", "set where sku='A' n=99"),
      ("set where sku='A' n=10", "delete where sku='A'"),
      ("delete where sku='A'", "set where sku='A' n=99"),
    ],
    ["mine", "theirs"]
  )
  func changesAndConflictsAreAsBefore(_ changes: (mine: String, theirs: String), side: String)
    throws
  {
    let first = try open()
    let second = try open()
    _ = try first.perform("set where sku='C' n=30")
    _ = try first.perform(changes.mine)
    _ = try first.perform("insert sku=B")
    _ = try second.perform(changes.theirs)
    _ = try second.perform("save")
    let failure = #expect(throws: SaveFailure.self) { try first.perform("save") }
    #expect(failure != nil)
    let before = try State(first)
    #expect(before.conflicts.count == 1)
    let refusal = #expect(throws: SaveFailure.self) { try first.perform("save keep \(side)") }
    #expect(
      refusal.map { "\($0)".contains("must be unique") } == true,
      "\(String(describing: refusal))"
    )
    let after = try State(first)
    #expect(Set(after.changes.inserted) == Set(before.changes.inserted))
    #expect(Set(after.changes.updated.map(\.after)) == Set(before.changes.updated.map(\.after)))
    #expect(Set(after.changes.deleted) == Set(before.changes.deleted))
    #expect(after.conflicts == before.conflicts)
    #expect(after.undoableSteps == before.undoableSteps)
    _ = try first.perform("delete where sku='B' and n is null")
    _ = try first.perform("save keep \(side)")
    let saved = try open().context.fetchSnapshots(matching: Query("Item"))
    #expect(saved.contains { $0["sku"] == .text("C") && $0["n"] == .integer(30) })
    let winner = side == "mine" ? changes.mine : changes.theirs
    let found = saved.first { $0["sku"] == .text("A") }
    #expect((found == nil) == winner.contains("delete"))
    if let found { #expect(found["n"] == .integer(winner.contains("10") ? 10 : 99)) }
  }
}
