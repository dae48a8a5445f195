import OpenSwiftData
import Synchronization

/// What others saved to the open store and nobody has been told yet.
///
/// Filled from any thread, emptied on the thread of its session.
final class ExternalChanges: Sendable {
  /// Changes by others, added up.
  struct Content: Sendable {
    var inserted = 0
    var updated = 0
    var deleted: Set<PersistentIdentifier> = []
    /// Those who did it, as far as it is known.
    var authors: Set<String> = []

    /// What happened, in words.
    var text: String {
      let parts = [(inserted, "new"), (updated, "changed"), (deleted.count, "deleted")]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      let who = authors.isEmpty ? "another program" : authors.sorted().joined(separator: ", ")
      return parts.isEmpty
        ? "reloaded: changed by \(who)" : "saved by \(who): \(parts.joined(separator: ", "))"
    }
  }

  private struct State {
    var content: Content?
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let subscriptions = Mutex<[StoreChangeFeed.Subscription]>([])

  /// Listens to the stores of a container, and to no others any more.
  func listen(to container: ModelContainer) {
    let new = container.stores.compactMap { $0 as? any ChangeFeedingStore }.map { store in
      store.changeFeed.observe { [weak self] in self?.add($0) }
    }
    subscriptions.withLock { $0 = new }
    _ = take()
  }

  /// Calls the closure when something came, on any thread.
  func setWake(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

  /// Tells what came, once.
  func take() -> Content? {
    state.withLock { state in
      defer { state.content = nil }
      return state.content
    }
  }

  private func add(_ change: StoreChange) {
    let wake = state.withLock { state in
      var content = state.content ?? Content()
      content.inserted += change.inserted.count
      content.updated += change.updated.count
      content.deleted.formUnion(change.deleted)
      if let author = change.author { content.authors.insert(author) }
      state.content = content
      return state.wake
    }
    wake?()
  }
}
