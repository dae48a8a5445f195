/// A place that keeps records: what a context fetches from and saves to.
///
/// The shape is SwiftData's. Most stores are easier to write as a `QueryableStore`, which provides
/// everything here but `init`, `identifier`, `schema` and `configuration`.
///
/// A store that is written straight against this protocol must implement `init`, `configuration`,
/// `fetch` and `save`. It may rely on this:
/// - A container makes one call at a time; a store needs no lock of its own.
/// - What `fetch` leaves undone, the context does: it filters, sorts and cuts what comes, for counts and
///   identifiers as well, whether the store says so with `DataStoreError` or simply does not do it.
///   Limit and offset are passed on, to be applied last: after predicate and order. Where the answer
///   shows that they were not, the store is asked for everything instead.
/// - Snapshots of other entities of the schema in the answer to a fetch are left out.
///
/// And must do this:
/// - Give each new record a permanent identifier and report it in the result of the save, best with
///   `DataStoreSaveChangesRequest.assignPermanentIdentifiers(for:)`. A store that leaves a temporary one
///   behind, gives one twice or reports one that nobody asked about is refused with an error that names
///   it, and the edits stay in the context.
/// - Keep a save whole or not at all: when `save` throws, the store is as before.
///
/// Links between records of one save are right even when the store copies snapshots without the map of
/// identifiers: the connection then saves the records that are concerned once more.
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
  /// What the store is opened with.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// What carries the values of a record in and out.
  associatedtype Snapshot: DataStoreSnapshot

  /// Names the store; becomes the `storeIdentifier` of its records. By default the name of the
  /// configuration.
  var identifier: String { get }
  /// The entities it keeps. By default those of the configuration.
  var schema: Schema { get }
  /// What it was opened with.
  var configuration: Configuration { get }

  /// Opens the store; called by the container.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Answers with the snapshots that the descriptor asks for.
  ///
  /// - Throws: `DataStoreError` to have the context filter or sort, or what went wrong.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> DataStoreFetchResult<T, Snapshot>
  /// Counts what the descriptor asks for; a store that implements this counts what fits the predicate.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// Answers with the identifiers of what the descriptor asks for, in order.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws
    -> [PersistentIdentifier]
  /// Keeps the changes, all or none, and gives permanent identifiers to what was inserted.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws
    -> DataStoreSaveChangesResult<Snapshot>
  /// Removes all records.
  func erase() throws

  /// A context was opened on the store.
  func initializeState(for editingState: EditingState)
  /// That context went away.
  func invalidateState(for editingState: EditingState)
  /// The snapshots of these records as far as the store has them at hand.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

/// What a store is opened with.
///
/// Both spellings of the associated type are understood: `Store`, and `StoreType` as the first
/// presentation of the interface had it.
public protocol DataStoreConfiguration: Hashable {
  /// The store that is opened.
  associatedtype Store: DataStore = StoreType where Self == Store.Configuration
  /// The same store under its former name.
  associatedtype StoreType: DataStore = Store

  /// Names the store among those of a container.
  var name: String { get }
  /// The entities to keep; the container fills in its own when this is nil.
  var schema: Schema? { get set }
  /// Checks the configuration before the store is opened.
  ///
  /// - Throws: What is wrong with it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  public func validate() throws {}
}
