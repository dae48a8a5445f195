extension QueryableStore where HistoryType == DefaultHistoryTransaction {
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
