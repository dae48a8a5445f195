package import Foundation

/// The transactions committed since a store was opened, in memory.
///
/// Stores without a history on disk use it.
package struct SessionHistory: Sendable {
  private var kept: [Transaction] = []
  /// The token of the last transaction; zero when there was none.
  package private(set) var lastToken: Int64 = 0
  /// The token of the last transaction that was deleted; zero when none was.
  private var horizon: Int64 = 0

  /// Creates an empty history.
  package init() {}

  /// Adds a transaction and returns its token; tokens count from 1.
  package mutating func append(
    _ changes: ChangeSet,
    schemaChange: SchemaChange? = nil,
    formerSchema: Schema? = nil,
    author: String?,
    id: UUID,
    at timestamp: Date
  ) -> Int64 {
    lastToken += 1
    var transaction = Transaction(
      token: lastToken,
      id: id,
      timestamp: timestamp,
      author: author,
      changes: changes,
      schemaChange: schemaChange
    )
    if case .replaceSchema = schemaChange { transaction.formerSchema = formerSchema }
    kept.append(transaction)
    return lastToken
  }

  /// The transactions with a greater token, oldest first.
  ///
  /// With an identifier, only those that touch that record.
  ///
  /// - Throws: `PersistenceError` with code `.historyExpired` when transactions after the token were
  ///   deleted.
  /// - Complexity: O(log n) for n transactions, plus O(k) for k later ones.
  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    if let token, token < horizon {
      throw PersistenceError(
        .historyExpired,
        "history starts after transaction \(horizon); \(token) is too old"
      )
    }
    let later = kept[firstPlace(after: token ?? 0)...]
    guard let identifier else { return Array(later) }
    return later.compactMap { $0.restricted(to: identifier) }
  }

  /// Discards the transactions with these tokens; reading from an earlier token then throws.
  package mutating func delete(_ tokens: Set<Int64>) {
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
