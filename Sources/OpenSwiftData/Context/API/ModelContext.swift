/// Fetches models, tracks their changes and saves them.
///
/// ```swift
/// let context = ModelContext(container)
/// let novel = Novel("Invisible Cities", pages: 165)
/// context.insert(novel)
/// novel.pages = 166
/// try context.save()
/// let long = #Predicate<Novel> { $0.pages > 150 }
/// for novel in try context.fetch(FetchDescriptor(predicate: long)) {
///   context.delete(novel)
/// }
/// context.rollback()
/// ```
///
/// **Changes.** Only this context sees its unsaved changes. A save writes all of them or none. If it throws,
/// the context keeps its changes, and you can save again after correcting the cause.
///
/// **Changes of others.** What other contexts and programs save becomes visible when this context is used next: a
/// fetch, a save, `undo()` and `rollback()` merge it first, into the models that you hold as well as into the results.
/// The main context, the context of a ``ModelActor`` and a context with an observer merge it in the next turn of
/// their actor instead. Reading a property of a model never changes the model.
///
/// **Threads.** A context and its models belong to the thread or actor that uses them. Use one context per
/// thread, or a ``ModelActor``, and pass identifiers between threads instead of models. The main context may also be used
/// by a function that the main actor awaits. An operation while another thread uses the context has no effect: it throws an
/// error with the code `.wrongThread`, or the next save on the same thread does; see ``refusedUse``.
///
/// **Errors.** Errors are values of ``PersistenceError``. After `.conflict` another program or context has
/// changed the same values; the error's `conflicts` list them. After `.outcomeUnknown` reopen the store.
public class ModelContext {
  /// The container with the schema and the stores.
  public let container: ModelContainer
  /// Identifies this context to the stores; its author is recorded in the history.
  public var editingState: EditingState {
    get { stores.editingState }
    set { stores.editingState = newValue }
  }
  /// The author recorded in the history with the changes that this context saves.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  // MARK: Parts

  /// The unsaved changes.
  let pending: PendingChanges
  /// The states and objects in use.
  let registry: ModelRegistry
  /// The steps to undo and redo.
  let undoLog: UndoLog
  /// Permanent identifiers by the temporary ones they replaced, for undo steps from before the save.
  let remapping = Remapping()
  /// The sibling contexts and the observers of this one.
  let surroundings: ContextSurroundings
  /// Checks which thread may use the context.
  let confinement: ContextConfinement
  /// The connections to the stores and their schemas.
  let stores: ContextStores
  /// Tracks insertions, changes and deletions.
  let tracker: ChangeTracker
  /// Records that fetched models refer to.
  let related: RelatedRecords
  /// Merges the changes of other contexts.
  let merging: Merging
  /// Reads records, with the unsaved changes.
  let fetching: Fetching
  /// Merges new records into those with the same unique values.
  let uniqueness: Uniqueness
  /// False in a program that does not observe `willSave` and `didSave`; the first notification takes a third of a
  /// millisecond.
  package var postsNotifications = true
  /// True if fields of a file without a schema have been given other types than those of the values in the file.
  var hasWidenedTypes = false

  /// Creates a context without changes.
  public init(_ container: ModelContainer) {
    self.container = container
    pending = PendingChanges()
    registry = ModelRegistry(pending)
    undoLog = UndoLog(isEnabled: !container.isTyped)
    surroundings = ContextSurroundings()
    confinement = ContextConfinement(surroundings.inbox)
    stores = ContextStores(container, pending, registry)
    tracker = ChangeTracker(
      pending,
      registry,
      undoLog,
      surroundings,
      stores.readSets,
      confinement
    )
    related = RelatedRecords()
    merging = Merging(stores, pending, registry, surroundings, confinement, related)
    fetching = Fetching(stores, pending, registry, tracker, merging, related)
    uniqueness = Uniqueness(fetching, undoLog, remapping)
    registry.owner = self
    container.hub.join(surroundings.inbox)
  }

  /// The entities of the stores, with the unsaved changes of the schema.
  public var schema: Schema { stores.schema }

  /// True when there are unsaved changes.
  public var hasChanges: Bool { !pending.isEmpty || hasSchemaChanges }

  /// New models, in the order of insertion.
  public var insertedModelsArray: [any PersistentModel] { models(of: .inserted) }
  /// Models whose values differ from those in the store.
  public var changedModelsArray: [any PersistentModel] { models(of: .updated) }
  /// Models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { models(of: .deleted) }

  private func models(of kind: PendingChange.Kind) -> [any PersistentModel] {
    pending.all(kind).map { $0.model ?? registry.anyModel(of: $0.state) }
  }

  // MARK: Changing

  /// Inserts a model and all models that it refers to; the next save writes them.
  ///
  /// A model of another context stays there; the next save throws an error.
  public func insert<T: PersistentModel>(_ model: T) {
    confinement.whenAllowed("insert", model.persistentState.entity.name) { tracker.insert(model) }
  }

  /// Inserts new records of an entity that has no model class, one for each list of values.
  ///
  /// Like `insert(_:)`, for many records: objects are created only on demand.
  ///
  /// - Returns: The temporary identifier of the last one; nil if there are none.
  /// - Throws: `Interruption.Stopped` between two records.
  /// - Precondition: The values have the layout of the entity.
  @discardableResult
  package func insert(_ records: [[Value]], of entity: Schema.Entity) throws
    -> PersistentIdentifier?
  {
    try confinement.whenAllowed("insert") { try tracker.insert(records, of: entity) }
  }

  /// Inserts new records of an entity that has no model class, which stay columns until one of them is needed.
  ///
  /// - Throws: `PersistenceError` with code `.wrongThread`.
  /// - Precondition: The columns are those of the entity, and equally long.
  package func insert(_ columns: [PackedColumn], of entity: Schema.Entity) throws {
    try confinement.whenAllowed("insert") { tracker.insert(columns, of: entity) }
  }

  /// Marks a model for deletion by the next save; a model that was never saved leaves the context.
  ///
  /// The delete rules of its relationships apply immediately. Deleting a model twice, or a model that is in
  /// no context, does nothing.
  public func delete<T: PersistentModel>(_ model: T) {
    confinement.whenAllowed("delete", model.persistentState.entity.name) {
      let state = model.persistentState
      // Records use the rules of their fields, models those of their relationships.
      if state.description == nil, tracker.owns(state), !state.isDeleted, !container.isTyped {
        linkRules.delete(state)
      } else {
        deleteRules.delete(state)
      }
    }
  }
}

extension ModelContext: Equatable {
  /// True when both are the same object.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }
}
