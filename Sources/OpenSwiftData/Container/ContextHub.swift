import Synchronization

/// The contexts and observers of one container, where each hears what the others save.
///
/// Safe to use from any thread. Nobody is held: who is gone is left out.
final class ContextHub: Sendable {
  private struct Member {
    weak var mailbox: ContextInbox?
  }

  private struct Listener {
    weak var owner: (any SaveListener)?
  }

  private struct State {
    var members: [Member] = []
    var listeners: [Listener] = []
    /// The number of members at which those that are gone are left out.
    var sweepCount = 16
  }

  private let state = Mutex(State())

  /// Lets a context hear of saves from now on.
  func join(_ mailbox: ContextInbox) {
    state.withLock { state in
      state.members.append(Member(mailbox: mailbox))
      guard state.members.count >= state.sweepCount else { return }
      state.members.removeAll { $0.mailbox == nil }
      state.sweepCount = max(16, state.members.count * 2)
    }
  }

  /// Calls somebody at every save, on the thread that saved.
  func join(_ listener: any SaveListener) {
    state.withLock { state in
      state.listeners.removeAll { $0.owner == nil }
      state.listeners.append(Listener(owner: listener))
    }
  }

  /// True when somebody beside the sender hears what is posted.
  func hasObservers(beside sender: ContextInbox?) -> Bool {
    state.withLock { state in
      state.listeners.contains { $0.owner != nil }
        || state.members.contains { $0.mailbox != nil && $0.mailbox !== sender }
    }
  }

  /// Tells everybody but the sender what was saved.
  ///
  /// - Complexity: O(number of contexts).
  func post(_ changes: SavedChanges, from sender: ContextInbox?) {
    // Called without the lock: observers may save themselves.
    let (mailboxes, listeners) = state.withLock { state in
      (state.members.compactMap(\.mailbox), state.listeners.compactMap(\.owner))
    }
    for mailbox in mailboxes where mailbox !== sender { mailbox.receive(changes) }
    for listener in listeners { listener.hear(changes) }
  }
}

/// One that is called at every save.
protocol SaveListener: AnyObject, Sendable {
  /// Called on the thread that saved, after the save.
  func hear(_ changes: SavedChanges)
}

/// What others saved and a context has not taken in yet.
///
/// Filled from any thread, emptied on the thread of the context.
final class ContextInbox: Sendable {
  /// What a context has to take in.
  struct Changes: Sendable {
    var changes: [SavedChanges] = []
    /// The number of records in the changes.
    var recordCount = 0
    /// True when the changes were too many to be kept: everything is to be read again.
    var isOverfull = false
    /// True when there was anything, even if only new records.
    var isNews = false
  }

  private struct State {
    var mail = Changes()
    var isWakeScheduled = false
    var wake: (@Sendable () -> Void)?
    var complaint: PersistenceError?
  }

  /// A context that nobody uses must not gather what a busy one saves without end.
  static let limit = 4096

  private let state = Mutex(State())
  private let hasNews = Atomic<Bool>(false)

  /// True when there is something to take in.
  var hasMail: Bool { hasNews.load(ordering: .relaxed) }

  /// Sets what to call when mail comes; called once until `take()`.
  func setWake(_ wake: (@Sendable () -> Void)?) {
    state.withLock { state in
      state.wake = wake
      state.isWakeScheduled = false
    }
  }

  func receive(_ changes: SavedChanges) {
    let wake = state.withLock { state in
      state.mail.add(changes)
      hasNews.store(true, ordering: .relaxed)
      guard !state.isWakeScheduled, let wake = state.wake else {
        return nil as (@Sendable () -> Void)?
      }
      state.isWakeScheduled = true
      return wake
    }
    wake?()
  }

  /// Empties the box.
  func take() -> Changes {
    state.withLock { state in
      let mail = state.mail
      state.mail = Changes()
      state.isWakeScheduled = false
      hasNews.store(false, ordering: .relaxed)
      return mail
    }
  }

  /// Keeps what cannot be thrown where it happened; the first one stays.
  func complain(_ error: PersistenceError) {
    state.withLock { $0.complaint = $0.complaint ?? error }
  }

  /// The complaint, once.
  func takeComplaint() -> PersistenceError? {
    state.withLock { state in
      let complaint = state.complaint
      state.complaint = nil
      return complaint
    }
  }
}

extension ContextInbox.Changes {
  mutating func add(_ saved: SavedChanges) {
    isNews = true
    recordCount += saved.updated.count + saved.changed.count + saved.deleted.count
    if saved.isUnknown || isOverfull || recordCount > ContextInbox.limit {
      isOverfull = true
      changes = []
    } else if !saved.updated.isEmpty || !saved.changed.isEmpty || !saved.deleted.isEmpty {
      // Nobody has models of records that were just inserted.
      var kept = saved
      kept.inserted = []
      changes.append(kept)
    }
  }
}
