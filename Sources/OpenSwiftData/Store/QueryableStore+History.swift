extension QueryableStore where HistoryType == DefaultHistoryTransaction {
  /// Reads the history through `transactions(after:touching:)`.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired`; what the store or the predicate throws.
  /// - Complexity: what the store needs for the transactions after the token that the predicate demands,
  ///   if it demands one.
  public func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws
    -> [DefaultHistoryTransaction]
  {
    try HistoryReader(identifier, models: configuration.schema ?? schema)
      .read(descriptor) { try transactions(after: $0, touching: nil) }
  }

  /// Forgets transactions through `deleteTransactions(_:)`.
  ///
  /// A token that has expired is no obstacle: what is left of the transactions is forgotten.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    let found = try HistoryReader(identifier, models: configuration.schema ?? schema)
      .read(descriptor) { _ in try transactions(after: nil, touching: nil) }
    guard !found.isEmpty else { return }
    try deleteTransactions(Set(found.map(\.transactionIdentifier)))
  }
}
