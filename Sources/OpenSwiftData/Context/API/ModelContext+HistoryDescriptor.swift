extension ModelContext {
  /// The matching transactions of all stores, oldest first unless the descriptor sorts them differently.
  ///
  /// With several stores, the token of each `DefaultHistoryTransaction` also contains the position in the
  /// history of the other stores. The last token is therefore enough to continue from.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired`, or `PersistenceError` with code `.unsupported` when
  ///   no store keeps a history of this type.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]
  {
    let connections = try fetching.connections()
    let parts = try connections.compactMap { try $0.history(descriptor) }
    guard !parts.isEmpty || connections.isEmpty else { throw Self.noHistory(of: T.self) }
    guard parts.count > 1 else { return parts.first ?? [] }
    let merged = parts.flatMap { $0 }.sorted { $0.timestamp < $1.timestamp }
    guard let defaults = merged as? [DefaultHistoryTransaction],
      let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>,
      let joined = Self.joiningTokens(
        of: defaults,
        after: HistoryBound(descriptor.predicate)?.token
      ) as? [T]
    else { return descriptor.ordered(merged) }
    return (descriptor as? HistoryDescriptor<T>)?.ordered(joined) ?? joined
  }

  /// Discards the matching transactions in all stores; records are not affected.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when no store keeps a history of this type, or one
  ///   cannot discard exactly these.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let connections = try fetching.connections()
    let isKept = try stores.placement.cautiousOrder.map {
      try connections[$0].deleteHistory(descriptor)
    }
    guard isKept.contains(true) || connections.isEmpty else { throw Self.noHistory(of: T.self) }
  }

  private static func noHistory<T>(of type: T.Type) -> PersistenceError {
    PersistenceError(.unsupported, "no store of the container keeps history of type \(type)")
  }

  private static func joiningTokens(
    of transactions: [DefaultHistoryTransaction],
    after start: DefaultHistoryToken?
  ) -> [DefaultHistoryTransaction] {
    var known = start?.tokenValue ?? [:]
    return transactions.map { transaction in
      var transaction = transaction
      known.merge(transaction.token.tokenValue ?? [:]) { max($0, $1) }
      transaction.token = DefaultHistoryToken(known)
      return transaction
    }
  }
}

extension StoreConnection {
  /// Reads the history of a store that provides its own; nil when its transactions are of another type.
  func history<S: HistoryProviding, T>(
    of store: S,
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T]? {
    guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return nil }
    return try store.fetchHistory(own) as? [T]
  }

  /// Discards history like `history(of:_:)` reads it; false when its transactions are of another type.
  func deleteHistory<S: HistoryProviding, T>(of store: S, _ descriptor: HistoryDescriptor<T>) throws
    -> Bool
  {
    guard let own = descriptor as? HistoryDescriptor<S.HistoryType> else { return false }
    try store.deleteHistory(own)
    return true
  }
}
