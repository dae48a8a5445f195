/// A store that keeps a history of saved changes, at least while it is open.
///
/// Contexts use it instead of keeping their own history. SwiftData's history API comes from extensions.
public protocol HistoryKeepingStore: QueryableStore, HistoryProviding {
  /// The type of one transaction in the history.
  associatedtype HistoryType = DefaultHistoryTransaction

  /// False if the history is lost when the store is closed.
  var keepsHistoryWhenClosed: Bool { get }

  /// The file of the history, if the store keeps it apart from the records.
  var historyPath: String? { get }

  /// The transactions with a token greater than this one, oldest first.
  ///
  /// With an identifier, only those that touch that record.
  ///
  /// The snapshots of an update share one layout, which may omit unchanged attributes.
  ///
  /// - Throws: `PersistenceError` with code `.historyExpired` when transactions after the token were deleted.
  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]

  /// Discards the transactions with these tokens; records are not affected.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when the store cannot discard exactly these.
  func deleteTransactions(_ tokens: Set<Int64>) throws
}

extension HistoryKeepingStore {
  /// True: a store that writes its records usually writes its history, too.
  public var keepsHistoryWhenClosed: Bool { true }

  /// Nil: the history is where the records are.
  public var historyPath: String? { nil }

  /// Throws an error: the store cannot discard history.
  public func deleteTransactions(_ tokens: Set<Int64>) throws {
    throw PersistenceError(.unsupported, "store \(identifier): deleting history not supported")
  }
}

extension HistoryKeepingStore where HistoryType == DefaultHistoryTransaction {
  /// Reads the history through `transactions(after:touching:)`.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired`, or the error of the store or the predicate.
  /// - Complexity: the store's cost of reading the transactions after the token in the predicate, or all
  ///   transactions if it has none.
  public func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws
    -> [DefaultHistoryTransaction]
  {
    try HistoryReader(identifier, models: configuration.schema ?? schema)
      .read(descriptor) { try transactions(after: $0, touching: nil) }
  }

  /// Discards transactions through `deleteTransactions(_:)`.
  ///
  /// An expired token is not an error: the remaining transactions are discarded.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let found = try HistoryReader(identifier, models: configuration.schema ?? schema)
      .read(descriptor) { _ in try transactions(after: nil, touching: nil) }
    guard !found.isEmpty else { return }
    try deleteTransactions(Set(found.map(\.transactionIdentifier)))
  }
}
