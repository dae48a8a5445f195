import OpenSwiftData
import Synchronization

/// The changes that other programs saved to the open store and that have not been reported yet.
///
/// Filled from any thread, emptied on the thread of its session.
final class ExternalChanges: Sendable {
  /// The combined changes of other programs.
  struct Content: Sendable {
    var inserted = 0
    var updated = 0
    var deleted: Set<PersistentIdentifier> = []
    /// The new and changed records.
    var changed: Set<PersistentIdentifier> = []
    /// The known authors of the changes.
    var authors: Set<String> = []

    /// A description of the changes.
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

  /// Observes the stores of a container, and stops observing all others.
  func listen(to container: ModelContainer) {
    let new = container.stores.compactMap { $0 as? any ChangeFeedingStore }.map { store in
      store.changeFeed.subscribe(noting: { [weak self] change in
        self?.add(change)
        return nil
      })
    }
    subscriptions.withLock { $0 = new }
    _ = take()
  }

  /// Sets the closure to call, on any thread, when changes arrive.
  func setWake(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

  /// True if there is such a closure.
  var isAwaited: Bool { state.withLock { $0.wake != nil } }

  /// Returns the changes once and removes them.
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
      content.changed.formUnion(change.inserted)
      content.changed.formUnion(change.updated)
      if let author = change.author { content.authors.insert(author) }
      state.content = content
      return state.wake
    }
    wake?()
  }
}
