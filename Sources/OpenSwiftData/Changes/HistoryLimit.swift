/// The part of its history that a store without a history on disk keeps in memory.
///
/// When either bound is exceeded, the oldest transactions are discarded. Reading from a token before them then
/// throws `.historyExpired`. The last transaction is always kept.
///
/// A configuration sets the limit with ``DataStoreConfiguration/historyLimit``. Undo does not depend on it.
public struct HistoryLimit: Hashable, Sendable {
  /// The maximum number of transactions.
  public var transactionCount: Int
  /// The approximate maximum size of the values in the transactions.
  public var sizeBytes: Int

  /// Creates a limit; by default 10,000 transactions with values of 16 MiB.
  public init(transactionCount: Int = 10_000, sizeBytes: Int = 16 << 20) {
    self.transactionCount = transactionCount
    self.sizeBytes = sizeBytes
  }

  /// Keeps all transactions while the store is open.
  public static let unlimited = HistoryLimit(transactionCount: .max, sizeBytes: .max)
}
