import Foundation
import OpenSwiftData
import Synchronization
import Testing

/// A context reports use from a wrong thread, and loses nothing.
@Suite struct ConfinementTests {
  let albums: AlbumContainer

  init() throws { albums = try AlbumContainer() }

  /// A value that is passed to another thread although this is not allowed.
  private struct Smuggled<T>: @unchecked Sendable { let value: T }

  private final class Outcome<R: Sendable>: Sendable {
    let value = Mutex<R?>(nil)
  }

  /// Runs the body on a new thread and waits for it.
  private func onAnotherThread<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
    let result = Outcome<R>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      // Again if need be: a name has no effect before the other thread has stored the new one.
      while Thread.current.name != "stranger" { Thread.current.name = "stranger" }
      let value = body()
      result.value.withLock { $0 = value }
      done.signal()
    }
    thread.start()
    done.wait()
    guard let value = result.value.withLock({ $0 }) else {
      preconditionFailure("the thread has run")
    }
    return value
  }

  /// Runs a function that the main actor awaits, off the main thread.
  private nonisolated func away<R: Sendable>(_ body: @Sendable () async throws -> R) async rethrows
    -> R
  {
    try await body()
  }

  /// Lets the main queue wait until the semaphore is signaled, so that no pause of a busy machine makes it save before.
  private nonisolated func stopMainQueue() -> DispatchSemaphore {
    let mayGoOn = DispatchSemaphore(value: 0)
    DispatchQueue.main.async { mayGoOn.wait() }
    return mayGoOn
  }

  @Test @MainActor func theMainContextMayBeUsedByAFunctionThatTheMainActorAwaits() async throws {
    let container = albums.container
    let context = container.mainContext
    context.autosaveEnabled = false
    context.insert(Album("A"))
    let smuggled = Smuggled(value: context)
    let count = try await away {
      let context = smuggled.value
      context.insert(Album("B"))
      await Task.yield()
      for album in try context.fetch(FetchDescriptor<Album>()) { album.label = "seen" }
      try context.save()
      context.insert(Album("C"))
      return try context.fetchCount(FetchDescriptor<Album>())
    }
    #expect(count == 3 && context.pendingCounts.inserted == 1 && context.refusedUse == nil)
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Album>())
    #expect(found.map(\.label).sorted() == ["", "seen", "seen"])
  }

  @Test @MainActor func whatSuchAFunctionChangesIsSavedByTheMainQueue() async throws {
    let container = albums.container
    let smuggled = Smuggled(value: container.mainContext)
    await away {
      let mayGoOn = stopMainQueue()
      smuggled.value.insert(Album("A"))
      await Task.yield()
      smuggled.value.insert(Album("B"))
      mayGoOn.signal()
    }
    // The save waits until the function has paused.
    while smuggled.value.hasChanges {
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
      }
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Album>()) == 2)
  }

  /// The main queue may have several reasons to look at the context while the function pauses.
  @Test @MainActor func theMainQueueSavesNothingInTheMiddleOfSuchAFunction() async throws {
    let (sibling, old) = try albums.context(albums: "A")
    let context = albums.container.mainContext
    let mine = try #require(try albums.album(old[0], in: context))
    let smuggled = Smuggled(value: (context, mine))
    let others = Smuggled(value: (sibling, old[0]))
    let wasChanged = await away {
      let mayGoOn = stopMainQueue()
      smuggled.value.1.label = "half"
      others.value.1.title = "A2"
      #expect(throws: Never.self) { try others.value.0.save() }
      return await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume(returning: smuggled.value.0.hasChanges) }
        mayGoOn.signal()
      }
    }
    #expect(wasChanged)
  }

  /// After `dispatchMain()`, a thread that has served the main queue, or a new one at its address, runs other jobs as well.
  @Test @MainActor func theThreadOfTheMainQueueIsTakenForItOnlyWhileItServesIt() async throws {
    let context = albums.container.mainContext
    let smuggled = Smuggled(value: context)
    DispatchQueue.global().sync { smuggled.value.insert(Album("half")) }
    let wasChanged = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: smuggled.value.hasChanges) }
    }
    #expect(wasChanged == !Thread.isMainThread)
  }

  @Test @MainActor func theMainContextIsRefusedWhileTheMainThreadUsesIt() throws {
    let context = albums.container.mainContext
    context.autosaveEnabled = false
    let album = Album("A")
    context.insert(album)
    let smuggled = Smuggled(value: (context, album))
    nonisolated(unsafe) var error: PersistenceError?
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: context,
      queue: nil
    ) { _ in
      error = onAnotherThread {
        let (context, album) = smuggled.value
        album.title = "from elsewhere"
        context.insert(Album("B"))
        context.delete(album)
        do {
          _ = try context.fetch(FetchDescriptor<Album>())
          return nil
        } catch {
          return error as? PersistenceError
        }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(error?.code == .wrongThread)
    #expect(error?.message.contains("\"stranger\"") ?? false)
    #expect(album.title == "A" && !album.isDeleted && !context.hasChanges)
    let refused = context.refusedUse as? PersistenceError
    #expect(refused?.code == .wrongThread && refused?.message.contains("Album") ?? false)
    album.title = "A2"
    try context.save()
  }

  @Test func aContextMayBeHandedOver() throws {
    let (context, old) = try albums.context(albums: "A")
    let smuggled = Smuggled(value: (context, old[0]))
    let worked = onAnotherThread { () -> Bool in
      smuggled.value.1.title = "A2"
      do {
        try smuggled.value.0.save()
        return true
      } catch {
        return false
      }
    }
    #expect(worked && old[0].title == "A2")
  }

  @Test @MainActor func anAutosavingContextMayBeHandedOver() async throws {
    let context = ModelContext(albums.container)
    context.autosaveEnabled = true
    let album = Album("A")
    context.insert(album)
    let smuggled = Smuggled(value: (context, album))
    let error = onAnotherThread { () -> (any Error)? in
      smuggled.value.1.title = "A2"
      do {
        try smuggled.value.0.save()
        smuggled.value.1.title = "A3"
        return nil
      } catch {
        return error
      }
    }
    #expect(error == nil && album.title == "A3")
    // From here on the main queue does not use the context.
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    #expect(context.hasChanges)
    let titles = try ModelContext(albums.container).fetch(FetchDescriptor<Album>()).map(\.title)
    #expect(titles == ["A2"])
  }

  @Test @MainActor func handingOverWaitsForAnAutosaveThatHasBegun() async throws {
    let context = ModelContext(albums.container)
    context.autosaveEnabled = true
    let album = Album("A")
    let smuggled = Smuggled(value: (context, album))
    let outcome = Outcome<String>()
    let done = DispatchSemaphore(value: 0)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: context,
      queue: nil
    ) { _ in
      let hasBegun = DispatchSemaphore(value: 0)
      Thread {
        hasBegun.signal()
        do {
          try smuggled.value.0.save()
          outcome.value.withLock { $0 = "saved \(smuggled.value.1.title)" }
        } catch {
          outcome.value.withLock { $0 = "\(error)" }
        }
        done.signal()
      }.start()
      hasBegun.wait()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(album)
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    await withCheckedContinuation { continuation in
      Thread {
        done.wait()
        continuation.resume()
      }.start()
    }
    #expect(outcome.value.withLock { $0 } == "saved A")
  }

  @Test func aContextFollowsATaskFromThreadToThread() async throws {
    let context = ModelContext(albums.container)
    for number in 0..<20 {
      context.insert(Album("A\(number)"))
      await Task.yield()
      try context.save()
      await Task.detached {}.value
    }
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 20)
  }

  @Test func twoThreadsAtOnceAreFoundOut() throws {
    let (context, old) = try albums.context(albums: "A")
    nonisolated(unsafe) var error: PersistenceError?
    let smuggled = Smuggled(value: (context, old[0]))
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: context,
      queue: nil
    ) { _ in
      // The save has begun: any use of the context now is concurrent with it.
      error = onAnotherThread {
        smuggled.value.1.title = "meanwhile"
        do {
          _ = try smuggled.value.0.fetch(FetchDescriptor<Album>())
          return nil
        } catch {
          return error as? PersistenceError
        }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    old[0].title = "A2"
    try context.save()
    #expect(error?.code == .wrongThread && old[0].title == "A2")
    // The refused change is reported where it was made, and does not disturb the save of others.
    let refused = context.refusedUse as? PersistenceError
    #expect(refused?.code == .wrongThread && refused?.message.contains("Album") ?? false)
    old[0].title = "A3"
    try context.save()
    context.rollback()
    #expect(context.refusedUse == nil)
  }

  /// A refused change of a further thread does not take its place.
  @Test(arguments: [false, true])
  func aRefusedChangeIsThrownByTheNextSaveOfItsOwnThread(isFollowed: Bool) throws {
    let (context, old) = try albums.context(albums: "A")
    let smuggled = Smuggled(value: (context, old[0]))
    let hasBegun = DispatchSemaphore(value: 0)
    let isRefused = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    let code = Outcome<PersistenceError.Code>()
    Thread {
      hasBegun.wait()
      smuggled.value.1.title = "meanwhile"
      isRefused.signal()
      mayGoOn.wait()
      do {
        try smuggled.value.0.save()
      } catch {
        let found = (error as? PersistenceError)?.code
        code.value.withLock { $0 = found }
      }
      isDone.signal()
    }.start()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave,
      object: context,
      queue: nil
    ) { _ in
      hasBegun.signal()
      isRefused.wait()
      if isFollowed { onAnotherThread { smuggled.value.1.title = "of a third thread" } }
    }
    old[0].title = "A2"
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    try context.save()
    mayGoOn.signal()
    isDone.wait()
    #expect(code.value.withLock { $0 } == .wrongThread)
    #expect((context.refusedUse == nil) == !isFollowed)
  }
}
