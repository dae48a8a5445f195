import Foundation

extension ModelContext {
  /// The records with these identifiers, in the same order.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when one does not exist.
  public func records(for identifiers: [PersistentIdentifier]) throws -> [Record] {
    let states = try fetching.states(for: identifiers)
    return identifiers.compactMap { states[$0].map { registry.record(of: $0) } }
  }

  /// Prepares for changes of many records.
  package func reserve(_ count: Int) {
    registry.reserve(count)
    pending.reserve(count)
  }

  /// Changes many records in the body, and holds those that changed in the same way compactly afterwards.
  ///
  /// Call it for some thousand records at a time, and hold none of their states after the body.
  package func packingChanges(_ body: () throws -> Void) rethrows { try tracker.packing(body) }

  /// The states of different records of one entity, in order, for changes of many records.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when one does not exist.
  package func states(for identifiers: [PersistentIdentifier]) throws -> [ModelState] {
    try fetching.states(inOrder: identifiers)
  }

  /// The model if it is already registered in this context.
  public func registeredModel<T: PersistentModel>(for identifier: PersistentIdentifier) -> T? {
    registry[identifier].flatMap { $0.isDeleted ? nil : registry.model(of: $0) }
  }

  /// Fetches the models that the descriptor asks for, unsaved changes included.
  ///
  /// - Throws: The errors of the store.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try fetching.fetch(descriptor)
  }

  /// Counts the models that the descriptor asks for.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try fetching.fetchCount(descriptor)
  }

  /// The identifiers of the models that the descriptor asks for, in order.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws
    -> [PersistentIdentifier]
  {
    try fetching.fetchIdentifiers(descriptor)
  }

  /// Fetches in batches: identifiers immediately, models on first access.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws
    -> FetchResultsCollection<T>
  {
    FetchResultsCollection(
      identifiers: try fetchIdentifiers(descriptor),
      batchSize: max(1, batchSize),
      context: self
    )
  }

  /// Fetches identifiers as `fetchIdentifiers(_:)` does; reads all of them together whatever the batch size.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(identifiers: try fetchIdentifiers(descriptor))
  }

  /// Calls the block for each model, in batches that keep the number of models in memory small.
  public func enumerate<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    batchSize: Int = 5000,
    allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws {
    let identifiers = try fetchIdentifiers(descriptor)
    for start in stride(from: 0, to: identifiers.count, by: max(1, batchSize)) {
      // The block may have saved: then new records have other identifiers, and deleted ones no longer exist.
      let batch = identifiers[start..<min(start + max(1, batchSize), identifiers.count)]
        .map(resolve)
      let states = try fetching.statesPresent(among: batch)
      for identifier in batch {
        guard let state = states[identifier], !state.isDeleted,
          let model = registry.model(of: state, as: T.self)
        else { continue }
        try block(model)
      }
    }
  }
}
