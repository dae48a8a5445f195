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
    // The tokens found contain the same numbers of other stores as the requested token, so they are
    // comparable.
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
