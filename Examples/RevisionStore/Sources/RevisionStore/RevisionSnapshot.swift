import OpenSwiftData
import SwiftData

/// The values of a record, with the revision that the server assigned to them.
public struct RevisionSnapshot: DataStoreSnapshot {
  /// The values of the model.
  public var values: DefaultSnapshot
  /// How often the server has stored the record; the model does not know it.
  public var revision = 0

  /// The identifier of the record.
  public var persistentIdentifier: PersistentIdentifier { values.persistentIdentifier }

  /// Takes the values of a model; a new record has revision 0.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    values = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
  }

  /// The same record under another identifier.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> RevisionSnapshot {
    var copy = self
    copy.values = values.copy(
      persistentIdentifier: persistentIdentifier,
      remappedIdentifiers: remappedIdentifiers
    )
    return copy
  }
}
