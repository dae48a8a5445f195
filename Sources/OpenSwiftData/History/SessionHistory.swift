import Foundation
import Synchronization

/// The transactions that were committed since a store was opened, in memory.
struct SessionHistory: Sendable {
  private var kept: [Transaction] = []
  private var lastToken: Int64 = 0
  private let now: @Sendable () -> Date
  private let makeID: @Sendable () -> UUID
  /// The token of the last transaction that was deleted; zero when none was.
  private(set) var horizon: Int64 = 0

  init(
    now: @escaping @Sendable () -> Date = { Date() },
    makeID: @escaping @Sendable () -> UUID = { UUID() }
  ) {
    self.now = now
    self.makeID = makeID
  }

  mutating func append(_ changes: ChangeSet, author: String?) -> Int64 {
    lastToken += 1
    kept.append(
      Transaction(
        token: lastToken,
        id: makeID(),
        timestamp: now(),
        author: author,
        changes: changes
      )
    )
    return lastToken
  }

  /// - Complexity: O(log n) for n transactions, and O(k) for k that are later.
  /// - Throws: `PersistenceError` with code `.historyExpired` when transactions after the token were
  ///   deleted.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    if let token, token < horizon {
      throw PersistenceError(
        .historyExpired,
        "the history begins after transaction \(horizon), not \(token)"
      )
    }
    let later = kept[firstPlace(after: token ?? 0)...]
    guard let identifier else { return Array(later) }
    return later.compactMap { $0.restricted(to: identifier) }
  }

  mutating func delete(_ tokens: Set<Int64>) {
    kept.removeAll { tokens.contains($0.token) }
    horizon = max(horizon, tokens.filter { $0 <= lastToken }.max() ?? 0)
  }

  private func firstPlace(after token: Int64) -> Int {
    var low = 0
    var high = kept.count
    while low < high {
      let middle = (low + high) / 2
      if kept[middle].token > token { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The history that contexts answer with where a store keeps none: what was saved through its connection
/// since it was opened.
final class FallbackHistory: Sendable {
  private let history = Mutex(SessionHistory())
  private let isUnneeded = Mutex<Bool?>(nil)

  /// True when the store keeps a history itself, which is asked once.
  func isUnneeded(_ ask: () throws -> Bool) -> Bool {
    isUnneeded.withLock { known in
      if let known { return known }
      // A store that cannot be asked now is taken to keep one; it is asked again at the next save.
      guard let answer = try? ask() else { return true }
      known = answer
      return answer
    }
  }

  func append(_ changes: ChangeSet, author: String?) -> Int64 {
    history.withLock { $0.append(changes, author: author) }
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try history.withLock { try $0.transactions(after: token, touching: identifier) }
  }

  /// What the descriptor asks for; nil when it asks for transactions of another type.
  func read<T>(_ descriptor: HistoryDescriptor<T>, _ storeIdentifier: String, _ models: Schema)
    throws
    -> [T]?
  {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    return try HistoryReader(storeIdentifier, models: models)
      .read(own) { try transactions(after: $0, touching: nil) } as? [T]
  }

  /// Forgets what the descriptor asks for; false when it asks for transactions of another type.
  func delete<T>(_ descriptor: HistoryDescriptor<T>, _ storeIdentifier: String, _ models: Schema)
    throws -> Bool
  {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return false
    }
    let found = try read(own, storeIdentifier, models) ?? []
    history.withLock { $0.delete(Set(found.map(\.transactionIdentifier))) }
    return true
  }
}
