import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// Contexts that are passed to another thread completely, which is allowed: only one thread uses
/// them at a time.
@Suite struct HandoverTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  /// Runs the body on another thread and waits for it.
  private static func onAnotherThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T)
    throws
    -> T
  {
    let result = Mutex<Result<T, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let value = Result { try body() }
      result.withLock { $0 = value }
      done.signal()
    }
    thread.start()
    done.wait()
    return try #require(result.withLock { $0 }).get()
  }

  @Test func aContextIsUsedOnOneThreadAfterTheOther() throws {
    let context = ModelContext(albums.container)
    let album = Album("A")
    context.insert(album)
    nonisolated(unsafe) let handed = context
    nonisolated(unsafe) let model = album
    let title = try Self.onAnotherThread {
      model.title = "B"
      handed.insert(Album("C"))
      try handed.save()
      return model.title
    }
    album.year = 1999
    try context.save()
    #expect(title == "B" && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 2)
  }

  @Test func aTaskKeepsItsContextAcrossSuspensions() async throws {
    let container = albums.container
    let count = try await Task.detached {
      let context = ModelContext(container)
      for number in 0..<20 {
        context.insert(Album("\(number)"))
        await Task.yield()
        await MainActor.run {}
        try context.save()
      }
      return try context.fetchCount(FetchDescriptor<Album>())
    }.value
    #expect(count == 20)
  }

  @Test func whoIsToldOfASaveMayLookAtTheContextFromAThreadOfItsOwn() throws {
    nonisolated(unsafe) let context = ModelContext(albums.container)
    let counts = Mutex<[Int]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { _ in
      let count = try? Self.onAnotherThread { try context.fetchCount(FetchDescriptor<Album>()) }
      counts.withLock { $0.append(count ?? -1) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Album("A"))
    try context.save()
    context.insert(Album("B"))
    try context.save()
    let seen = counts.withLock { $0 }
    #expect(seen == [1, 2], "and nothing was complained of")
  }
}
