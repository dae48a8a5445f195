/// A new record in the history of our stores.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The place of the change in its transaction.
  public let changeIdentifier: Int64
  /// The record.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values it began with; nil where they are not known.
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

/// A record whose values changed, in the history of our stores.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The place of the change in its transaction.
  public let changeIdentifier: Int64
  /// The record.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that changed.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  /// The values before and after; nil where they are not known.
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

/// A record that went, in the history of our stores.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The place of the change in its transaction.
  public let changeIdentifier: Int64
  /// The record.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that the model declares with `.preserveValueOnDeletion`; of a `Record`, all.
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
