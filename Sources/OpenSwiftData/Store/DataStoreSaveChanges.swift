/// Changes on their way from a context to a store.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// Which context saves.
  public let editingState: EditingState
  /// New records; those with a temporary identifier are to be given a permanent one.
  public let inserted: [SnapshotType]
  /// Records whose values changed, with all their values.
  public let updated: [SnapshotType]
  /// Records that go, with the values they had.
  public let deleted: [SnapshotType]
  /// Where `assignPermanentIdentifiers` leaves word of what it did; nil outside of a save.
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

/// What a store answers to a save.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The store that answers.
  public let storeIdentifier: String
  /// The permanent identifier of each record that came with a temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Records whose values the store changed while saving; the context takes these values.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The records that are gone, as the first presentation of the interface had it; for information.
  public let deletedIdentifiers: [PersistentIdentifier]
  /// The place of the save in the history of the store; nil when it keeps none.
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

  /// Creates a result with the place of the save in the history.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    snapshotsToReregister: [PersistentIdentifier: T],
    historyToken: (any HistoryToken)?
  ) {
    self.init(storeIdentifier, remappedIdentifiers, snapshotsToReregister, [], historyToken)
  }

  /// Creates a result, as the talk that presented custom stores spelled it.
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
