import Foundation
import Synchronization

/// The history for stores that keep none: the saves through their connection since opening, as far as the limit
/// allows.
final class FallbackHistory: Sendable {
  private let history: Mutex<SessionHistory>

  init(_ limit: HistoryLimit) { history = Mutex(SessionHistory(limit)) }

  func append(_ changes: ChangeSet, author: String?) -> Int64 {
    let id = UUID()
    let now = Date()
    return history.withLock { $0.append(changes, author: author, id: id, at: now) }
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try history.withLock { try $0.transactions(after: token, touching: identifier) }
  }

  /// The transactions that match the descriptor; nil if its transaction type is another one.
  func read<T>(_ descriptor: HistoryDescriptor<T>, _ storeIdentifier: String, _ models: Schema)
    throws
    -> [T]?
  {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    return try HistoryReader(storeIdentifier, models: models)
      .read(own) { try transactions(after: $0, touching: nil) } as? [T]
  }

  /// Discards the transactions that match the descriptor; false if its transaction type is another one.
  func delete<T>(_ descriptor: HistoryDescriptor<T>, _ storeIdentifier: String, _ models: Schema)
    throws -> Bool
  {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return false
    }
    let found = try HistoryReader(storeIdentifier, models: models)
      .read(own) { _ in try transactions(after: nil, touching: nil) }
    history.withLock { $0.delete(Set(found.map(\.transactionIdentifier))) }
    return true
  }
}
