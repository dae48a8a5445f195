import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// The system reports changes of files.
@Suite struct FileWatchTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Waits until the condition holds, at most five seconds.
  private func waits(_ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < end {
      if condition() { return true }
      usleep(5000)
    }
    return condition()
  }

  @Test func eachKindOfChangeIsTold() throws {
    try folder.put("a", "1")
    let calls = Mutex(0)
    let watch = try #require(
      LocalFileSystem().watch(folder.file("a")) { calls.withLock { $0 += 1 } }
    )
    func told() -> Int { calls.withLock { $0 } }
    let manager = FileManager.default
    let steps: [(String, () throws -> Void)] = [
      ("written in place", { [folder] in try folder.put("a", "2") }),
      (
        "replaced",
        { [folder] in
          try folder.put("b", "3")
          rename(folder.file("b"), folder.file("a"))
        }
      ),
      ("removed", { [folder] in try manager.removeItem(atPath: folder.file("a")) }),
      ("made", { [folder] in try folder.put("a", "4") }),
    ]
    for (what, step) in steps {
      let before = told()
      try step()
      #expect(waits { told() > before }, "\(what)")
      // All events of this step are reported before the next step begins.
      usleep(100_000)
    }
    let before = told()
    try folder.put("other", "x")
    usleep(150_000)
    #expect(told() == before, "another file of the folder is nobody's business")
    withExtendedLifetime(watch) {}
  }

  @Test func noCallbackAfterTheWatchEnds() throws {
    let calls = Mutex(0)
    var watch = LocalFileSystem().watch(folder.file("a")) { calls.withLock { $0 += 1 } }
    #expect(watch != nil)
    watch = nil
    try folder.put("a", "1")
    usleep(150_000)
    #expect(calls.withLock { $0 } == 0)
  }

  private func open(_ name: String) throws -> ModelContainer {
    let fields: [Schema.Attribute] = [.init("title", .text), .init("year", .integer)]
    let schema = Schema(Schema.Entity("Film", attributes: fields))
    return name.hasSuffix("json")
      ? try ModelContainer(
        configurations: JSONStoreConfiguration(path: folder.file(name), schema: schema)
      )
      : try ModelContainer(
        configurations: LogStoreConfiguration(path: folder.file(name), schema: schema)
      )
  }

  /// The record is held, and nothing is fetched after the save.
  @Test(arguments: ["films.json", "films.catlog"])
  func savingMergesExternalChangesIntoHeldRecords(name: String) throws {
    let first = ModelContext(try open(name))
    let film = Record(entity: first.schema.entities[0])
    try film.set(.text("Up"), for: "title")
    first.insert(film)
    try first.save()
    let context = ModelContext(try open(name))
    let mine = try context.records(for: context.fetchIdentifiers(matching: Query("Film")))[0]
    try mine.set(.integer(2009), for: "year")
    try film.set(.text("Up and away"), for: "title")
    try first.save()
    try context.save()
    #expect(mine[attribute: "title"] == .text("Up and away"))
    #expect(mine[attribute: "year"] == .integer(2009) && !context.hasChanges)
  }

  @Test func restoringTheFileRevokesTheFailure() throws {
    let first = ModelContext(try open("films.json"))
    first.insert(Record(entity: first.schema.entities[0]))
    try first.save()
    let container = try open("films.json")
    let feed = try #require((container.stores[0] as? JSONStore)?.changeFeed)
    let failures = Mutex<[String?]>([])
    let subscription = feed.observe { change in failures.withLock { $0.append(change.failure) } }
    defer { subscription.cancel() }
    container.startWatching()
    let bytes = try folder.bytes("films.json")
    try folder.put("films.json", Array(bytes.prefix(20)))
    #expect(waits { failures.withLock { $0.last.flatMap { $0 } != nil } }, "the damage is reported")
    try folder.put("films.json", bytes)
    #expect(waits { failures.withLock { $0.last == .some(nil) } }, "and revoked")
  }

  @Test(arguments: ["films.json", "films.catlog"])
  func aRunningContextGetsWhatOthersSaved(name: String) throws {
    func open() throws -> ModelContainer { try self.open(name) }
    let first = ModelContext(try open())
    let film = Record(entity: first.schema.entities[0])
    try film.set(.text("Up"), for: "title")
    first.insert(film)
    try first.save()
    let container = try open()
    container.startWatching()
    let context = ModelContext(container)
    let mine = try context.records(for: context.fetchIdentifiers(matching: Query("Film")))[0]
    #expect(mine[attribute: "title"] == .text("Up"))
    try film.set(.text("Up and away"), for: "title")
    try first.save()
    #expect(
      waits {
        context.processPendingChanges()
        return mine[attribute: "title"] == .text("Up and away")
      },
      "nobody asked the store"
    )
  }
}
