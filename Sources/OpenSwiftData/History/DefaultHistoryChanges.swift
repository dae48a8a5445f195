/// A new record in the history of the built-in stores.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The index of the change in its transaction.
  public let changeIdentifier: Int64
  /// The record.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The initial values; nil if they are not known.
  public let snapshot: DefaultSnapshot?

  /// Creates a change.
  public init(
    transactionIdentifier: Int64,
    changeIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier,
    snapshot: DefaultSnapshot? = nil
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.changeIdentifier = changeIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.snapshot = snapshot
  }
}

/// An updated record in the history of the built-in stores.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The index of the change in its transaction.
  public let changeIdentifier: Int64
  /// The record.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that changed.
  ///
  /// Swift cannot print the names of key paths to computed properties; see `updatedAttributeNames`.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// The values before and after; nil if they are not known.
  public let values: RecordUpdate?

  /// Creates a change.
  public init(
    transactionIdentifier: Int64,
    changeIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier,
    updatedAttributes: [any PartialKeyPath<Model> & Sendable],
    values: RecordUpdate? = nil
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.changeIdentifier = changeIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.updatedAttributes = updatedAttributes
    self.values = values
  }
}

extension DefaultHistoryUpdate: CustomStringConvertible {
  /// The names of the properties that changed.
  public var updatedAttributeNames: [String] {
    if let values { return values.changedSlots.map { values.after.layout.names[$0] } }
    guard let description = ModelDescription.of(Model.self as (any PersistentModel.Type)?) else {
      return []
    }
    return updatedAttributes.compactMap { keyPath in
      description.slot(of: keyPath).map { description.entity.layout.names[$0] }
    }
  }

  /// The record and the names of the properties that changed.
  public var description: String {
    "update of \(changedPersistentIdentifier.entityName) \(changedPersistentIdentifier): "
      + updatedAttributeNames.joined(separator: ", ")
  }
}

/// A deleted record in the history of the built-in stores.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The index of the change in its transaction.
  public let changeIdentifier: Int64
  /// The record.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that the model declares with `.preserveValueOnDeletion`; for a `Record`, all values.
  public let tombstone: HistoryTombstone<Model>

  /// Creates a change.
  public init(
    transactionIdentifier: Int64,
    changeIdentifier: Int64,
    changedPersistentIdentifier: PersistentIdentifier,
    tombstone: HistoryTombstone<Model> = HistoryTombstone([])
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.changeIdentifier = changeIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.tombstone = tombstone
  }
}
