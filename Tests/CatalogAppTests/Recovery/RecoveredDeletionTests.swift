import CatalogApp
import Foundation
import OpenSwiftData
import Stores
import Testing

/// A deletion that is recovered is still one change with what it has done to other records.
@Suite struct RecoveredDeletionTests {
  private let services: FolderServices
  private let disk = MemoryRecoveryStorage.Disk()

  init() throws { services = try FolderServices() }

  private func run(_ name: String, _ disk: MemoryRecoveryStorage.Disk? = nil) throws -> (
    session: Session, storage: MemoryRecoveryStorage
  ) {
    let path = services.file(name)
    let store: any DataStoreConfiguration =
      name.hasSuffix(".json")
      ? JSONStoreConfiguration(path: path) : LogStoreConfiguration(path: path)
    let script = try ScriptFixture(store: store)
    let storage = MemoryRecoveryStorage(disk ?? MemoryRecoveryStorage.Disk())
    script.session.store.recovery = Recovery(storage)
    return (script.session, storage)
  }

  /// Each person with the names of the teams.
  private func state(_ session: Session) throws -> [String] {
    let context = session.context
    let teams = Dictionary(
      try context.fetchSnapshots(matching: Query("Team")).map {
        ($0.persistentIdentifier, $0["name"]?.text ?? "")
      },
      uniquingKeysWith: { first, _ in first }
    )
    return try context.fetchSnapshots(matching: Query("Person", sort: [SortKey("name")])).map {
      person in
      let links = ["team", "other"].map { name in
        person[name]?.linkedIdentifiers.first.map { teams[$0] ?? "?" } ?? "-"
      }
      return ([person["name"]?.text ?? ""] + links).joined(separator: " ")
    }
  }

  @Test(arguments: ["t.json", "t.catlog"])
  func clearedLinksAndDeletedRecordsComeBackWithIt(name: String) throws {
    let first = try run(name).session
    for line in [
      "entity create Team name:text",
      "entity create Person name:text team:link:Team:cascade other:link:Team",
      "insert Team name=A", "insert Team name=B", "insert Person name=Ann team=t2",
      "insert Person name=Bob team=t1 other=t2", "insert Person name=Cy team=t2 other=t1", "save",
    ] { _ = try first.perform(line) }
    let before = try state(first)
    let (killed, storage) = try run(name, disk)
    _ = try killed.perform("delete Team where name = 'B'")
    try killed.store.keepEdits()
    storage.die()
    let next = try run(name, disk).session
    _ = try next.perform("recover")
    #expect(next.context.pendingCounts == (inserted: 0, updated: 1, deleted: 3))
    let other = try run(name).session
    _ = try other.perform("set Team where name = 'B' name=C")
    _ = try other.perform("save")
    #expect(throws: SaveFailure.self) { try next.perform("save") }
    _ = try next.perform("resolve all theirs")
    _ = try next.perform("save")
    #expect(!next.context.hasChanges)
    #expect(try state(run(name).session) == before.map { $0.replacing(" B", with: " C") })
  }
}
