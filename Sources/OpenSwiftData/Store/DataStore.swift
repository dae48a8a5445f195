/// A store of records that a context fetches from and saves to.
///
/// The requirements are those of SwiftData. Most stores are easier to write as a `QueryableStore`, which
/// provides everything here except `init`, `identifier`, `schema` and `configuration`.
///
/// A store that implements this protocol directly needs `init`, `configuration`, `fetch` and `save`. It can
/// rely on the following:
/// - The container makes one call at a time; the store needs no lock of its own.
/// - The context does what `fetch` leaves out: it filters, sorts and limits the result, also for counts and
///   identifiers, whether the store throws a `DataStoreError` or simply does not do it. Limit and offset are
///   passed to the store, to be applied after predicate and order. If the result shows that it applied them
///   without predicate and order, the context fetches everything instead.
/// - The context skips snapshots of other entities of the schema in the result of a fetch.
/// - A save hands back the fields of the store's snapshot type that the model lacks, as the context read them. A
///   store that finds, by its own revision of the record, that another program has changed it since throws a
///   `PersistenceError` with code `.conflict`; the context merges both changes or reports the conflict.
///
/// It must do the following:
/// - Give each new record a permanent identifier and report it in the result of the save, preferably with
///   `DataStoreSaveChangesRequest.assignPermanentIdentifiers(for:)`. If a store keeps a temporary identifier,
///   assigns one twice or reports an identifier that was not requested, the save fails with an error that
///   names it, and the context keeps its changes.
/// - Save everything or nothing: if `save` throws, the store is unchanged.
///
/// Links between records of one save are correct even if the store copies snapshots without the identifier
/// map: the connection then saves the affected records again.
///
/// **Contract:**
/// - Calls come from any thread. Each is answered as if it were the only one.
/// - `commit` takes effect completely or not at all. If it throws, the store is unchanged. The exception is
///   `PersistenceError.Code.outcomeUnknown`: then nothing can be committed until the store is reopened, and reads
///   return the state before that commit.
/// - Records with a temporary identifier get a permanent one that was never used before, and links between records of
///   the change set are replaced accordingly. Records inserted with a permanent identifier keep it.
/// - Concurrent changes are a `.conflict`: an inserted record whose identifier exists, an update or deletion of a
///   record that does not exist, a changed value that differs from `before`, or a deleted record with any different
///   value. Values that an update does not change are neither compared nor written, so that two writers can change
///   different fields of one record.
/// - Identifiers of deleted records are not reused while the store is open; a store with permanent history never
///   reuses them.
/// - Number fields keep NaN and infinite numbers. In a filter NaN equals NaN and is neither less nor greater than any
///   number; a sort puts it last. A store that cannot represent these values rejects them with `.invalidValue`.
/// - Decimals that are NaN, dates and datetimes outside the years 0000 to 9999, and values that do not match their
///   field are rejected with `.invalidValue`; the message names entity and field.
/// - `transactions(after:touching:)` with a token before a deleted transaction throws `.historyExpired`.
///
/// Run the suite of `DataStoreTesting` to check a store.
public protocol DataStore: AnyObject {
  /// The configuration that opens the store.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The type that transfers the values of a record.
  associatedtype Snapshot: DataStoreSnapshot

  /// The name of the store, which becomes the `storeIdentifier` of its records.
  ///
  /// The default is the name of the configuration.
  var identifier: String { get }
  /// The entities of the store; by default those of the configuration.
  var schema: Schema { get }
  /// The configuration that the store was opened with.
  var configuration: Configuration { get }

  /// Opens the store; called by the container.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Returns the snapshots that match the descriptor.
  ///
  /// - Throws: `DataStoreError` to make the context filter or sort, or any other error.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, Snapshot>
  /// Counts the records that match the descriptor; an implementation counts the matches of the predicate.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// Returns the identifiers of the records that match the descriptor, in order.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> [PersistentIdentifier]
  /// Saves all changes or none, and gives inserted records permanent identifiers.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws
    -> DataStoreSaveChangesResult<Snapshot>
  /// Removes all records.
  func erase() throws

  /// Called when a context was opened on the store.
  func initializeState(for editingState: EditingState)
  /// Called when that context was deallocated.
  func invalidateState(for editingState: EditingState)
  /// The snapshots of these records that the store has in memory.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

/// The configuration of a store.
///
/// Both names of the associated type are supported: `Store`, and `StoreType` from the first presentation of
/// the API.
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store.
  associatedtype Store: DataStore = StoreType where Self == Store.Configuration
  /// The former name of `Store`.
  associatedtype StoreType: DataStore = Store

  /// The name of the store within its container.
  var name: String { get }
  /// The entities of the store; if nil, the container sets its own.
  var schema: Schema? { get set }
  /// False if the store cannot be saved, so that new records go to other stores that have their entity.
  ///
  /// The default is true.
  var allowsSave: Bool { get }
  /// The history that is kept in memory for a store without a history on disk.
  ///
  /// The default is ten thousand transactions with values of 16 MiB.
  var historyLimit: HistoryLimit { get }
  /// Checks the configuration before the store is opened.
  ///
  /// - Throws: The error in the configuration.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Ten thousand transactions with values of 16 MiB.
  public var historyLimit: HistoryLimit { HistoryLimit() }

  /// True.
  public var allowsSave: Bool { true }

  /// Accepts every configuration.
  public func validate() throws {}
}
