/// A context's request to a store to save changes.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The context that saves.
  public let editingState: EditingState
  /// New records; the store gives those with a temporary identifier a permanent one.
  public let inserted: [SnapshotType]
  /// Records whose values changed, with all their values.
  ///
  /// Fields of the snapshot type that the model lacks are as the context read them.
  public let updated: [SnapshotType]
  /// Deleted records, with the values they had; their other fields are as the context read them.
  public let deleted: [SnapshotType]
  /// Where `assignPermanentIdentifiers` records its assignments; nil outside of a save.
  let notes: AssignmentNotes?

  /// Creates a request.
  public init(
    inserted: [SnapshotType] = [],
    updated: [SnapshotType] = [],
    deleted: [SnapshotType] = [],
    editingState: EditingState = EditingState()
  ) {
    self.init(
      inserted: inserted,
      updated: updated,
      deleted: deleted,
      editingState: editingState,
      notes: nil
    )
  }

  init(
    inserted: [SnapshotType] = [],
    updated: [SnapshotType] = [],
    deleted: [SnapshotType] = [],
    editingState: EditingState,
    notes: AssignmentNotes?
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
    self.notes = notes
  }
}

/// The result of a save.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The permanent identifier of each record that came with a temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Records whose values the store changed while saving; the context uses these values.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The deleted records, from the first presentation of the API; not used.
  public let deletedIdentifiers: [PersistentIdentifier]
  /// The position of the save in the store's history; nil if it keeps no history.
  public let historyToken: (any HistoryToken)?

  /// Creates a result.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.init(
      for: storeIdentifier,
      remappedIdentifiers: remappedIdentifiers,
      snapshotsToReregister: snapshotsToReregister,
      historyToken: nil
    )
  }

  /// Creates a result with the position of the save in the history.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    snapshotsToReregister: [PersistentIdentifier: T],
    historyToken: (any HistoryToken)?
  ) {
    self.init(storeIdentifier, remappedIdentifiers, snapshotsToReregister, [], historyToken)
  }

  /// Creates a result with the argument names from the talk that presented custom stores.
  public convenience init(
    for storeIdentifier: String,
    remappedPersistentIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    deletedIdentifiers: [PersistentIdentifier]
  ) {
    self.init(storeIdentifier, remappedPersistentIdentifiers, [:], deletedIdentifiers, nil)
  }

  private init(
    _ storeIdentifier: String,
    _ remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    _ snapshotsToReregister: [PersistentIdentifier: T],
    _ deletedIdentifiers: [PersistentIdentifier],
    _ historyToken: (any HistoryToken)?
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.deletedIdentifiers = deletedIdentifiers
    self.historyToken = historyToken
  }
}
