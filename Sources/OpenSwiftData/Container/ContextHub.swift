import Synchronization

/// The contexts and observers of one container; each is notified of the saves of the others.
///
/// Safe to use from any thread. References are weak; deallocated members are skipped.
final class ContextHub: Sendable {
  private struct Member {
    weak var inbox: ContextInbox?
  }

  private struct Listener {
    weak var owner: (any SaveListener)?
  }

  private struct State {
    var members: [Member] = []
    var listeners: [Listener] = []
    /// The number of members at which deallocated ones are removed.
    var sweepCount = 16
  }

  private let state = Mutex(State())

  /// Registers a context for the saves of others.
  func join(_ inbox: ContextInbox) {
    state.withLock { state in
      state.members.append(Member(inbox: inbox))
      guard state.members.count >= state.sweepCount else { return }
      state.members.removeAll { $0.inbox == nil }
      state.sweepCount = max(16, state.members.count * 2)
    }
  }

  /// Registers a listener that is called at every save, on the thread that saved.
  func join(_ listener: any SaveListener) {
    state.withLock { state in
      state.listeners.removeAll { $0.owner == nil }
      state.listeners.append(Listener(owner: listener))
    }
  }

  /// Reports saved changes to all members except the sender.
  ///
  /// - Complexity: O(number of contexts).
  func post(_ changes: SavedChanges, from sender: ContextInbox?) { note(changes, from: sender)() }

  /// Reports saved changes to all contexts except the sender, which neither wait nor use a store.
  ///
  /// - Returns: A closure that calls the listeners.
  /// - Complexity: O(number of contexts).
  func note(_ changes: SavedChanges, from sender: ContextInbox?) -> () -> Void {
    let (inboxes, listeners) = state.withLock { state in
      (state.members.compactMap(\.inbox), state.listeners.compactMap(\.owner))
    }
    for inbox in inboxes where inbox !== sender { inbox.receive(changes) }
    // Called without the lock, because listeners may save as well.
    return { for listener in listeners { listener.hear(changes) } }
  }
}

/// An object that is called at every save.
protocol SaveListener: AnyObject, Sendable {
  /// Called on the thread that saved, after the save.
  func hear(_ changes: SavedChanges)
}

/// Changes saved by others that a context has not merged yet.
///
/// Filled from any thread, emptied on the thread of the context.
final class ContextInbox: Sendable {
  /// The changes that a context must merge.
  struct Changes: Sendable {
    var changes: [SavedChanges] = []
    /// The number of records in the changes.
    var recordCount = 0
    /// True when the changes were too many to be kept: everything must be reloaded.
    var isOverfull = false
    /// False when others saved anything, even if only new records.
    var isEmpty = true
    /// The reason why a store can no longer be read, if that was the last report.
    var failure: String?
  }

  private struct State {
    var changes = Changes()
    var isWakeScheduled = false
    var wake: (@Sendable () -> Void)?
    /// Errors that could not be thrown where they occurred, one for each thread.
    var complaints: [(thread: UInt, error: PersistenceError)] = []
  }

  /// The limit that keeps the inbox of an unused context from growing without bound.
  static let limit = 4096

  private let state = Mutex(State())
  private let isFilled = Atomic<Bool>(false)
  private let receipts = Atomic<Int>(0)

  /// True when there are changes to merge.
  var hasChanges: Bool { isFilled.load(ordering: .relaxed) }

  /// How many times others have reported changes.
  var receivedCount: Int { receipts.load(ordering: .relaxed) }

  /// Sets the function to call when changes arrive; called at most once before each `take()`.
  func setWake(_ wake: (@Sendable () -> Void)?) {
    state.withLock { state in
      state.wake = wake
      state.isWakeScheduled = false
    }
  }

  func receive(_ changes: SavedChanges) {
    let wake = state.withLock { state in
      state.changes.add(changes)
      isFilled.store(true, ordering: .relaxed)
      receipts.add(1, ordering: .relaxed)
      guard !state.isWakeScheduled, let wake = state.wake else {
        return nil as (@Sendable () -> Void)?
      }
      state.isWakeScheduled = true
      return wake
    }
    wake?()
  }

  /// Returns all changes and empties the inbox.
  func take() -> Changes {
    state.withLock { state in
      let changes = state.changes
      state.changes = Changes()
      state.isWakeScheduled = false
      isFilled.store(false, ordering: .relaxed)
      return changes
    }
  }

  /// Keeps an error that cannot be thrown where it occurs; the first one of a thread wins.
  func complain(_ error: PersistenceError) {
    let thread = currentThreadNumber()
    state.withLock { state in
      guard !state.complaints.contains(where: { $0.thread == thread }) else { return }
      state.complaints.append((thread, error))
    }
  }

  /// The first kept error.
  var complaint: PersistenceError? { state.withLock { $0.complaints.first?.error } }

  /// Returns the kept error of this thread and clears it.
  func takeComplaint() -> PersistenceError? {
    let thread = currentThreadNumber()
    return state.withLock { state in
      guard let place = state.complaints.firstIndex(where: { $0.thread == thread }) else {
        return nil
      }
      return state.complaints.remove(at: place).error
    }
  }

  /// Forgets the kept errors.
  func forgetComplaint() { state.withLock { $0.complaints = [] } }
}

extension ContextInbox.Changes {
  mutating func add(_ saved: SavedChanges) {
    isEmpty = false
    failure = saved.failure
    recordCount += saved.updated.count + saved.changed.count + saved.deleted.count
    if saved.isUnknown || isOverfull || recordCount > ContextInbox.limit {
      isOverfull = true
      changes = []
    } else if !saved.updated.isEmpty || !saved.changed.isEmpty || !saved.deleted.isEmpty {
      // No context has models of records that were just inserted.
      var kept = saved
      kept.inserted = []
      changes.append(kept)
    }
  }
}
