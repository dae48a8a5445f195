/// The identifier and the values of one record, exchanged between a context and a store.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the record.
  var persistentIdentifier: PersistentIdentifier { get }
  /// Creates a snapshot from the values of a model.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )
  /// The same values with another identifier and with identifiers in links replaced.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DefaultSnapshot: DataStoreSnapshot {
  /// Creates a snapshot from the values of a model.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    self = backingData.state.snapshot
  }
}

/// The type of each encoded property.
public typealias DataStoreSnapshotValue = Codable & Sendable
