/// The format of a store that reads and writes everything at once, such as a JSON file or a folder of notes.
///
/// A format consists of two functions:
///
/// ```swift
/// struct JSONFormat: StoreFormat {
///   let file: StoreFile  // of the module StoreFiles
///   var savesSchema: Bool { true }
///
///   func load(_ store: FormatContext) throws -> FormatContents? {
///     try file.read().map { try JSONDecoder().decode(FormatContents.self, from: $0) }
///   }
///
///   func version() throws -> FileStamp? { try file.stamp() }
///
///   func write(
///     _ contents: FormatContents, changes: FormatChanges, over version: FileStamp?
///   ) throws -> FileStamp? {
///     try file.write(JSONEncoder().encode(contents), over: version)
///   }
/// }
///
/// let container = try ModelContainer(
///   for: Trip.self, configurations: FormatStoreConfiguration(JSONFormat(file: StoreFile(url)))
/// )
/// ```
///
/// A ``FormatStore`` does everything else: queries, permanent identifiers, conflicts, history, schema changes,
/// migration, and changes of other programs. The other requirements have default implementations. Add them as the
/// format needs them:
///
/// | requirement | without it |
/// |---|---|
/// | `version()` | the store loads everything before each save, and fetches do not look for changes |
/// | `withLock(_:)` | two programs that save in the same instant can overwrite each other |
/// | `savesSchema` | the schema is that of the configuration and cannot change; a save drops fields that it lacks |
/// | `keyText(for:attempt:)` | new records get a `RecordKey` |
/// | `watch(_:)` | changes of other programs are seen by the next fetch, save or `refresh()` |
/// | `storeIdentifier` | a store that its configuration does not name is called `store` |
///
/// **Contract:**
/// - `write(_:changes:over:)` takes effect completely or not at all, even if the program or the machine crashes. If it
///   cannot tell, it throws a ``PersistenceError`` with the code `.outcomeUnknown`, and the store accepts no more
///   saves.
/// - If it finds that what is stored is no longer the version that was loaded, it throws a `.conflict` and writes
///   nothing. The store then loads again and checks the changes against that.
/// - `load(_:)` returns what was written: the same records in the same order.
/// - The store calls `load(_:)` and `write(_:changes:over:)` from any thread, but one at a time, and within
///   `withLock(_:)`. `version()` is also called outside of the lock.
/// - No function of a format may use the store or a context.
///
/// Run the suite of `DataStoreTesting` to check a format.
public protocol StoreFormat: Hashable, Sendable {
  /// Identifies a state of what is stored, such as the size and the time of a file.
  associatedtype Version: Equatable & Sendable = Never

  /// Reads everything.
  ///
  /// The records may have any layout and the kinds of values that a coder left, see `Schema.arranged(_:)`.
  ///
  /// - Returns: The contents; nil if nothing has been stored yet.
  /// - Throws: The error that prevents reading.
  func load(_ store: FormatContext) throws -> FormatContents?

  /// Makes the contents durable.
  ///
  /// - Parameters:
  ///   - contents: Everything, as it is after the save.
  ///   - changes: What differs from what is stored, for formats that do not have to write everything.
  ///   - version: The version that was last loaded or written.
  /// - Returns: The version of what was written; nil if it is not known, and then the next call loads the contents. It
  ///   must not include what another program has written meanwhile.
  /// - Throws: The error that prevents writing; what is stored is then unchanged.
  func write(_ contents: FormatContents, changes: FormatChanges, over version: Version?) throws
    -> Version?

  /// The version of what is stored; nil if it is not known.
  ///
  /// Fetches and saves load the contents again when the version differs from the one that they know. It is read
  /// before loading.
  ///
  /// - Throws: The error that prevents reading.
  func version() throws -> Version?

  /// Runs the body while other programs that use this format can neither read nor write.
  ///
  /// - Throws: The error of the body, or a ``PersistenceError`` with the code `.busy`.
  func withLock<Result>(_ body: () throws -> Result) throws -> Result

  /// True if `write(_:changes:over:)` saves the schema and `load(_:)` returns it.
  var savesSchema: Bool { get }

  /// The key of a new record as text, such as a file name; nil for a new `RecordKey`.
  ///
  /// If the key is or was in use, the store asks again with the next attempt; attempts count from 1.
  func keyText(for record: DefaultSnapshot, attempt: Int) -> String?

  /// Calls the closure, on any thread, when another program may have changed what is stored.
  ///
  /// - Returns: An object that is kept while the store is open; nil if the location cannot be watched.
  func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)?

  /// The name of a store whose configuration has none.
  var storeIdentifier: String? { get }
}

extension StoreFormat {
  /// Nil: the version is not known.
  public func version() throws -> Version? { nil }

  /// Runs the body without a lock.
  public func withLock<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  /// False.
  public var savesSchema: Bool { false }

  /// Nil: the store creates the key.
  public func keyText(for record: DefaultSnapshot, attempt: Int) -> String? { nil }

  /// Nil: the location cannot be watched.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    nil
  }

  /// Nil: the configuration names the store.
  public var storeIdentifier: String? { nil }
}

/// Everything that a format stores.
///
/// The encoded form has the schema and the records, so that a format can store it with any coder.
public struct FormatContents: Hashable, Sendable, Codable {
  /// The entities, for formats that save the schema.
  public var schema: Schema?
  /// The records, by entity in the order of the schema, then in the order of their creation.
  ///
  /// Records of entities that the schema does not have are kept and come last.
  public var records: [DefaultSnapshot]

  /// Creates contents.
  public init(_ records: [DefaultSnapshot] = [], schema: Schema? = nil) {
    self.records = records
    self.schema = schema
  }
}

/// The difference between what is stored and what a format writes.
public struct FormatChanges: Sendable {
  /// The records to write, as they are after the save: new and changed ones, and all if the schema changes.
  public let saved: [DefaultSnapshot]
  /// The deleted records, with the values they had.
  public let deleted: [DefaultSnapshot]
  /// The author of the save, if the context has one.
  public let author: String?
}

/// The store that a format reads for.
public struct FormatContext: Sendable {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The entities that the store has now, or else those of its configuration.
  public let schema: Schema

  /// Creates the identifier of a record from the text of its key, such as a file name.
  ///
  /// - Throws: `PersistenceError` with code `.invalidIdentifier` when the text is empty.
  public func identifier(_ entityName: String, key: String) throws -> PersistentIdentifier {
    try .identifier(for: storeIdentifier, entityName: entityName, keyText: key)
  }
}
