/// Carries the identifier and the values of one record between a context and a store.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// Which record it is.
  var persistentIdentifier: PersistentIdentifier { get }
  /// Takes the values of a model.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )
  /// The same values with another identifier, and with the identifiers they refer to replaced.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DefaultSnapshot: DataStoreSnapshot {
  /// Takes the values of a model.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    self = backingData.state.snapshot
  }
}

/// What an encoded snapshot holds for each property.
public typealias DataStoreSnapshotValue = Codable & Sendable
