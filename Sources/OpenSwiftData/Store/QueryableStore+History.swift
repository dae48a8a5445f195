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

/// Reads the history of one store for descriptors.
struct HistoryReader {
  private let storeIdentifier: String
  private let models: HistoryModels

  init(_ storeIdentifier: String, models: Schema) {
    self.storeIdentifier = storeIdentifier
    self.models = HistoryModels(schema: models)
  }

  func read(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    from transactions: (_ after: Int64?) throws -> [Transaction]
  ) throws -> [DefaultHistoryTransaction] {
    let bound = HistoryBound(descriptor.predicate)
    // What the wanted token knows of other stores stands in the tokens found as well: so they compare.
    let others = bound?.token ?? DefaultHistoryToken([:])
    do {
      let found = try transactions(bound?.lastUnwanted(in: storeIdentifier))
      return try descriptor.apply(
        to: found.map { transaction in
          DefaultHistoryTransaction(
            transaction,
            of: storeIdentifier,
            token: others.adding(transaction.token, of: storeIdentifier),
            models: models
          )
        }
      )
    } catch let error as PersistenceError where error.code == .historyExpired {
      throw SwiftDataError.historyTokenExpired.about(error.message)
    }
  }
}
