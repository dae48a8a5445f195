import Synchronization

/// A change in a store.
public struct StoreChange: Hashable, Sendable {
  /// New records.
  public var inserted: [PersistentIdentifier]
  /// Records whose values changed.
  public var updated: [PersistentIdentifier]
  /// Deleted records.
  public var deleted: [PersistentIdentifier]
  /// True when more may have changed than is listed.
  public var isIncomplete: Bool
  /// True when the schema of the store changed; every record may have changed then.
  public var isSchemaChanged: Bool
  /// The author of the change, if known.
  public var author: String?
  /// The reason, in one line, why the store can no longer be read; nil if it can.
  public private(set) var failure: String?

  /// Creates a change.
  public init(
    inserted: [PersistentIdentifier] = [],
    updated: [PersistentIdentifier] = [],
    deleted: [PersistentIdentifier] = [],
    isIncomplete: Bool = false,
    isSchemaChanged: Bool = false,
    author: String? = nil
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.isIncomplete = isIncomplete
    self.isSchemaChanged = isSchemaChanged
    self.author = author
  }

  /// The records that a change set concerns.
  package init(_ changes: ChangeSet) {
    self.init(
      inserted: changes.inserted.map(\.persistentIdentifier),
      updated: changes.updated.map(\.persistentIdentifier),
      deleted: changes.deleted.map(\.persistentIdentifier)
    )
  }

  /// Anything may have changed.
  public static let everything = StoreChange(isIncomplete: true)

  /// The store can no longer be read; the next change that it sends without a failure revokes this.
  ///
  /// Contexts keep what they have read. `ResultsObserver.fetchError` is the failure, and
  /// ``ModelContext/results(of:)`` throws it.
  public static func failure(_ error: any Error) -> StoreChange {
    var change = StoreChange.everything
    change.failure = (error as? PersistenceError)?.message ?? "\(error)"
    return change
  }
}

/// Passes the changes that a store sends to all listeners.
///
/// May be used from any thread.
public final class StoreChangeFeed: Sendable {
  private struct State {
    var nextNumber = 0
    var observers: [Int: @Sendable (StoreChange) -> (() -> Void)?] = [:]
    /// The failure, if that was the last change.
    var failure: String?
  }

  private let state = Mutex(State())

  /// Creates a feed without listeners.
  public init() {}

  /// Calls every listener, in the order of subscription, before it returns.
  ///
  /// - Complexity: O(n log n) in the number of listeners.
  public func send(_ change: StoreChange) { note(change)() }

  /// Passes a change to the listeners that only note it; they neither wait nor use a store.
  ///
  /// A store that calls this while it holds its lock keeps the changes in their order, and no thread can read the
  /// changed records before the contexts know of the change.
  ///
  /// - Returns: A closure that calls the other listeners; it must be called after the lock is released.
  /// - Complexity: O(n log n) in the number of listeners.
  package func note(_ change: StoreChange) -> () -> Void {
    let observers = state.withLock { state in
      state.failure = change.failure
      return state.observers.sorted { $0.key < $1.key }
    }
    let others = observers.compactMap { $0.value(change) }
    return { for other in others { other() } }
  }

  /// Sends a failure, unless it was the last change: it may occur with every fetch.
  func sendFailure(_ error: any Error) {
    let change = StoreChange.failure(error)
    if state.withLock({ $0.failure }) != change.failure { send(change) }
  }

  /// Revokes a failure, if that was the last change.
  func revokeFailure() {
    if state.withLock({ $0.failure }) != nil { send(.everything) }
  }

  /// Calls the closure for each change, on the sending thread, while the subscription exists.
  public func observe(_ observer: @escaping @Sendable (StoreChange) -> Void) -> Subscription {
    subscribe(noting: { change in { observer(change) } })
  }

  /// Calls the closure for each change while the subscription exists, perhaps under the lock of the store.
  ///
  /// - Parameter observer: Notes the change; returns what must be done after the store has released its lock.
  /// - Returns: The subscription, which must be kept.
  package func subscribe(
    noting observer: @escaping @Sendable (StoreChange) -> (() -> Void)?
  ) -> Subscription {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.observers[state.nextNumber] = observer
      return state.nextNumber
    }
    return Subscription { [weak self] in self?.remove(number) }
  }

  /// The changes that are sent from now on.
  public var changes: AsyncStream<StoreChange> {
    AsyncStream { continuation in
      let subscription = observe { continuation.yield($0) }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }

  private func remove(_ number: Int) {
    state.withLock { $0.observers[number] = nil }
  }

  /// A subscription that lasts until it is canceled or deallocated.
  public final class Subscription: Sendable {
    private let stop: @Sendable () -> Void

    init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Ends the subscription.
    public func cancel() { stop() }
  }
}
