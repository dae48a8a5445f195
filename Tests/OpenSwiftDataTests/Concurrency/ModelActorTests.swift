import Dispatch
import Foundation
import OpenSwiftData
import SwiftData
import Testing

@ModelActor
private actor Importer {
  func add(_ title: String) throws -> PersistentIdentifier {
    let album = Album(title)
    modelContext.insert(album)
    try modelContext.save()
    return album.persistentModelID
  }

  func addWithoutSaving(_ title: String) { modelContext.insert(Album(title)) }

  func title(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Album.self]?.title
  }

  func isTrack(_ identifier: PersistentIdentifier) -> Bool {
    self[identifier, as: Track.self] != nil
  }

  func rename(_ identifier: PersistentIdentifier, to title: String) throws {
    self[identifier, as: Album.self]?.title = title
    try modelContext.save()
  }

  func saveAutomatically() { modelContext.autosaveEnabled = true }

  func hasChanges() -> Bool { modelContext.hasChanges }

  func isOnMainThread() -> Bool { Thread.isMainThread }

  private var held: Album?

  func hold(_ identifier: PersistentIdentifier) { held = self[identifier, as: Album.self] }

  func heldTitle() -> String? { held?.title }
}

@Suite struct ModelActorTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  @Test func anActorWorksOnItsOwnContext() async throws {
    let importer = Importer(modelContainer: albums.container)
    let identifier = try await importer.add("A")
    #expect(!identifier.isTemporary)
    #expect(await importer.title(of: identifier) == "A")
    #expect(await !importer.isTrack(identifier))
    #expect(try ModelContext(albums.container).fetch(FetchDescriptor<Album>()).count == 1)
  }

  @MainActor @Test func itsJobsRunOffTheMainThread() async {
    let importer = Importer(modelContainer: albums.container)
    #expect(await !importer.isOnMainThread())
  }

  @Test func actorsSeeEachOthersSaves() async throws {
    let first = Importer(modelContainer: albums.container)
    let second = Importer(modelContainer: albums.container)
    let identifier = try await first.add("A")
    await second.hold(identifier)
    try await first.rename(identifier, to: "A2")
    #expect(await second.heldTitle() == "A2")
  }

  @Test func theEndOfAJobIsAMomentOfAutosave() async throws {
    let importer = Importer(modelContainer: albums.container)
    /// Checked in a separate job, after all earlier jobs have ended.
    func hasChanges() async -> Bool { await Task { await importer.hasChanges() }.value }

    await importer.addWithoutSaving("A")
    #expect(await hasChanges())
    await importer.saveAutomatically()
    #expect(await !hasChanges())
    await importer.addWithoutSaving("B")
    #expect(await !hasChanges())
    #expect(try ModelContext(albums.container).fetch(FetchDescriptor<Album>()).count == 2)
  }

  @Test func manyActorsWriteAtOnce() async throws {
    let container = albums.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let importer = Importer(modelContainer: container)
          for number in 0..<20 { _ = try await importer.add("\(worker).\(number)") }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Album>()) == 80)
  }

  @Test func theContextOfAnActorIsRefusedElsewhere() async throws {
    let importer = Importer(modelContainer: albums.container)
    _ = try await importer.add("A")
    let executor = importer.modelExecutor
    let error = #expect(throws: PersistenceError.self) {
      _ = try executor.modelContext.fetch(FetchDescriptor<Album>())
    }
    #expect(error?.code == .wrongThread && error?.message.contains("actor") ?? false)
    #expect(try await !importer.add("B").isTemporary)
  }
}

/// An executor without a context.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "ModelActorTests.QueueExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor with its own executor, which has a context only because the protocol requires one.
private actor Elsewhere: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  private let queue = QueueExecutor()

  init(_ container: ModelContainer) {
    modelContainer = container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func titles() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Album>()).map(\.title)
  }
}

@Suite struct ForeignExecutorTests {
  @Test func anActorWithItsOwnExecutorKeepsItsContextWhenOthersSave() async throws {
    let albums = try AlbumContainer()
    let elsewhere = Elsewhere(albums.container)
    #expect(try await elsewhere.titles() == [])
    let importer = Importer(modelContainer: albums.container)
    for title in ["A", "B", "C"] {
      _ = try await importer.add(title)
      #expect(try await elsewhere.titles().last == title)
    }
  }
}
