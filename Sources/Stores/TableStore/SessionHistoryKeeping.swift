import Foundation
package import OpenSwiftData

/// A session that keeps its history in memory, from the opening of the store on.
package protocol SessionHistoryKeeping: TableSession {
  /// The transactions.
  var history: SessionHistory { get set }
}

extension SessionHistoryKeeping {
  package var lastToken: Int64 { history.lastToken }

  package func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try history.transactions(after: token, touching: identifier)
  }

  package mutating func forget(_ tokens: Set<Int64>) throws { history.delete(tokens) }
}

extension SessionHistory {
  /// Adds a transaction and returns its token.
  mutating func append(
    _ change: TableChange,
    isExternal: Bool = false,
    now: () -> Date,
    random: () -> UInt64
  ) -> Int64 {
    let token = append(
      change.allChanges,
      schemaChange: change.schema?.change,
      formerSchema: change.schema?.former,
      author: change.author,
      message: change.message,
      isExternal: isExternal,
      id: UUID(randomHigh: random(), low: random()),
      at: now()
    )
    add(change.steps, formerValues: change.formerValues)
    return token
  }
}
