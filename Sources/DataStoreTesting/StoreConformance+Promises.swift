extension StoreConformance {
  /// Optional features that a store offers beyond the required ones.
  public struct Promises: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// One bit for each promise.
    public let rawValue: Int
    /// Creates promises from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Committed transactions can be read.
    public static let history = Promises(rawValue: 1)
    /// The history also survives reopening the store.
    public static let lastingHistory = Promises(rawValue: 2)
    /// The schema can be changed.
    public static let schemaChanges = Promises(rawValue: 4)
    /// Records without a sort order are returned in the order of their creation.
    ///
    /// The same applies to records with equal sort keys.
    public static let order = Promises(rawValue: 8)
    /// A change of a value that another program has changed since is a conflict.
    public static let conflicts = Promises(rawValue: 16)
    /// Values that are invalid for their field are refused.
    public static let validation = Promises(rawValue: 32)
    /// Duplicate values of unique attributes are refused.
    public static let uniqueness = Promises(rawValue: 64)
    /// Records inserted with a permanent identifier keep it, and it is never assigned again.
    public static let permanentIdentifiers = Promises(rawValue: 128)
    /// Moments are stored exactly, not rounded to seconds.
    public static let exactMoments = Promises(rawValue: 256)
    /// Records of entities without a Swift type are stored as well.
    public static let untypedRecords = Promises(rawValue: 512)
    /// Records persist when the store is reopened; determined by how the suite is created.
    public static let lasting = Promises(rawValue: 1024)
    /// A save can be made to fail; determined by how the suite is created.
    public static let failures = Promises(rawValue: 2048)
    /// NaN and infinite numbers are stored.
    public static let infiniteNumbers = Promises(rawValue: 4096)
    /// A save through one container is a conflict if another container on the same storage has changed
    /// the record since, unless the context can merge both changes.
    ///
    /// For stores that are opened in a container and persist.
    public static let detectsConflicts = Promises(rawValue: 1 << 14)

    /// Several stores may be open on the same location: each keeps what the others have saved, and returns it at
    /// the latest after `refresh()`.
    ///
    /// For stores that persist.
    public static let sharing = Promises(rawValue: 1 << 15)
    /// A migration replaces the schema and all records in one step; see `MigratableStore.migrate(_:author:)`.
    ///
    /// For stores that are called directly.
    public static let migration = Promises(rawValue: 1 << 16)

    /// The promises that the contract of `QueryableStore` requires.
    public static let waist: Promises = [
      .order, .conflicts, .validation, .uniqueness, .permanentIdentifiers, .exactMoments,
      .untypedRecords, .infiniteNumbers,
    ]
    /// All that a store of a single program can promise.
    public static let all: Promises = [
      .history, .lastingHistory, .schemaChanges, .migration, .waist,
    ]

    /// The promises that claims can show a store to make.
    static let probed: [Promises] = [
      .order, .exactMoments, .infiniteNumbers, .validation, .uniqueness, .permanentIdentifiers,
      .untypedRecords, .conflicts, .history, .schemaChanges, .lastingHistory, .detectsConflicts,
    ]

    private static let names: [(Promises, String)] = [
      (.history, "history"), (.lastingHistory, "lastingHistory"),
      (.schemaChanges, "schemaChanges"), (.order, "order"), (.conflicts, "conflicts"),
      (.validation, "validation"), (.uniqueness, "uniqueness"),
      (.permanentIdentifiers, "permanentIdentifiers"), (.exactMoments, "exactMoments"),
      (.untypedRecords, "untypedRecords"), (.lasting, "lasting"), (.failures, "failures"),
      (.infiniteNumbers, "infiniteNumbers"), (.detectsConflicts, "detectsConflicts"),
      (.sharing, "sharing"), (.migration, "migration"),
    ]

    /// The names of the promises.
    public var description: String {
      Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
  }
}
