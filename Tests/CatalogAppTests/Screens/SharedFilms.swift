import CatalogApp
import Foundation
import OpenSwiftData
import Stores
import Testing

/// A file with three films that two programs have open.
final class SharedFilms {
  let script: ScriptFixture
  let screen: ScreenFixture
  private let folder: URL
  private let others: ModelContext

  init(_ ending: String) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("shared-films-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("films.\(ending)").path
    func store() -> any DataStoreConfiguration {
      let schema = Schema(ScriptFixture.film)
      return ending == "json"
        ? JSONStoreConfiguration(path: path, schema: schema)
        : LogStoreConfiguration(path: path, schema: schema)
    }
    script = try ScriptFixture(store: store())
    try script.run(ScriptFixture.filmLines)
    others = ModelContext(try ModelContainer(configurations: [store()]))
    screen = ScreenFixture(script)
  }

  deinit {
    // A folder that cannot be removed does not affect other tests.
    try? FileManager.default.removeItem(at: folder)
  }

  /// The other program changes the first film and saves; nil deletes it.
  func change(_ values: [String: Value]?) throws {
    try others.container.refresh()
    others.processPendingChanges()
    let first = try #require(try others.fetchIdentifiers(matching: Query("Film")).first)
    for record in try others.records(for: [first]) {
      if values == nil { others.delete(record) }
      for (name, value) in values ?? [:] { try record.set(value, for: name) }
    }
    try others.save()
  }

  /// The other program adds a film and saves.
  func add(_ values: [String: Value]) throws {
    try others.container.refresh()
    others.processPendingChanges()
    let record = Record(entity: try others.schema.entity(named: "Film"))
    for (name, value) in values { try record.set(value, for: name) }
    others.insert(record)
    try others.save()
  }

  /// The other program changes the first film, and the screen is notified.
  func changeAndTell(_ values: [String: Value]?) throws {
    try change(values)
    screen.runner.takeExternalChanges()
  }

  /// The values of a column as the other program reads them.
  func saved(_ name: String = "title") throws -> [String] {
    try others.container.refresh()
    others.processPendingChanges()
    return try others.fetchSnapshots(matching: Query("Film")).map { $0[name]?.text ?? "" }
  }
}
