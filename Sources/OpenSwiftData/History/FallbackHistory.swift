import Foundation
import Synchronization

/// The history for stores that keep none: the saves through their connection since opening, and the changes from
/// outside that the store reported, as far as the limit allows.
final class FallbackHistory: Sendable {
  private let history: Mutex<SessionHistory>

  init(_ limit: HistoryLimit) { history = Mutex(SessionHistory(limit)) }

  func append(_ changes: ChangeSet, author: String?) -> Int64 {
    let id = UUID()
    let now = Date()
    return history.withLock { $0.append(changes, author: author, id: id, at: now) }
  }

  /// Adds a change of the schema.
  func append(_ change: SchemaChange, from former: Schema, author: String?) {
    let id = UUID()
    let now = Date()
    history.withLock {
      _ = $0.append(
        ChangeSet(),
        schemaChange: change,
        formerSchema: former,
        author: author,
        id: id,
        at: now
      )
    }
  }

  /// Reads the stored records with these identifiers.
  typealias RecordReader = ([PersistentIdentifier]) throws -> [PersistentIdentifier:
    DefaultSnapshot]

  func append(outside change: StoreChange) -> Int64 {
    let id = UUID()
    let now = Date()
    return history.withLock { $0.append(outside: change, id: id, at: now) }
  }

  private func addValues(_ read: RecordReader) {
    let wanted = history.withLock { history in
      history.recordsWithoutValues.map { (records: $0, token: history.lastToken) }
    }
    // If the store cannot be read, the history has the identifiers, and the values when it is read again.
    guard let wanted, let found = try? read(wanted.records) else { return }
    history.withLock { $0.addValues(found, through: wanted.token) }
  }

  func transactions(
    after token: Int64?,
    touching identifier: PersistentIdentifier?,
    reading read: RecordReader
  ) throws -> [Transaction] {
    addValues(read)
    return try history.withLock { try $0.transactions(after: token, touching: identifier) }
  }

  /// The transactions that match the descriptor; nil if its transaction type is another one.
  func read<T>(
    _ descriptor: HistoryDescriptor<T>,
    _ storeIdentifier: String,
    _ models: Schema,
    reading read: RecordReader
  ) throws -> [T]? {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
    return try HistoryReader(storeIdentifier, models: models)
      .read(own) { try transactions(after: $0, touching: nil, reading: read) } as? [T]
  }

  /// Discards the transactions that match the descriptor; false if its transaction type is another one.
  func delete<T>(
    _ descriptor: HistoryDescriptor<T>,
    _ storeIdentifier: String,
    _ models: Schema,
    reading read: RecordReader
  ) throws -> Bool {
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      return false
    }
    let found = try HistoryReader(storeIdentifier, models: models)
      .read(own) { _ in try transactions(after: nil, touching: nil, reading: read) }
    history.withLock { $0.delete(Set(found.map(\.transactionIdentifier))) }
    return true
  }
}
