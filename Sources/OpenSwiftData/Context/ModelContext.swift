import Foundation
import Synchronization

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
/// **Threads.** A context and its models belong to the thread or actor that uses them. Use one context per
/// thread, or a ``ModelActor``, and pass identifiers between threads instead of models. An operation on the
/// wrong thread has no effect, and the next save throws an error with the code `.wrongThread`.
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

  let pending: PendingChanges
  let registry: ModelRegistry
  let undoLog = UndoLog()
  let stores: ContextStores
  /// Permanent identifiers by the temporary ones they replaced, for undo steps from before the save.
  let remapping = Remapping()
  /// An error that could not be thrown where it occurred; the next save throws it.
  var problem: PersistenceError?
  /// True when a new model was deleted to which references without an inverse may still exist.
  var hasForgottenNewModels = false
  lazy var uniquenessRules = UniquenessRules(schema)
  /// The values of records before a new record was merged into them, by its temporary identifier.
  ///
  /// Used only for undo.
  var valuesBeforeUpsert: [PersistentIdentifier: [Value]] = [:]
  /// The state of merging the changes of other contexts.
  var merging = MergeState()
  /// The sibling contexts and the observers of this one.
  let surroundings = ContextSurroundings()
  /// Checks which thread may use the context.
  let confinement: ContextConfinement
  let number: UInt64
  private var nextSerial: UInt64 = 1

  private static let contextCount = Atomic<UInt64>(0)

  /// Creates a context without changes.
  public init(_ container: ModelContainer) {
    self.container = container
    confinement = ContextConfinement(surroundings.inbox)
    pending = PendingChanges()
    registry = ModelRegistry(pending)
    stores = ContextStores(container, pending, registry)
    number = Self.contextCount.wrappingAdd(1, ordering: .relaxed).newValue
    undoLog.isEnabled = !container.isTyped
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
    whenAllowed("insert", model.persistentState.entity.name) { insertAllowed(model) }
  }

  private func insertAllowed<T: PersistentModel>(_ model: T) {
    let state = model.persistentState
    if state.owner === self {
      guard state.isDeleted else { return }
      insertAgain(state.identifier, state.orderedValues, in: state.entity)
      state.forgetDeletedLinks()
      state.completeInverses()
      return
    }
    let isComingBack = state.isDeleted
    guard admit(state, model) else { return }
    guard state.description != nil else { return }
    var companions = state.companions?.all ?? []
    state.companions = nil
    var new = [state]
    while let companion = companions.popLast() {
      let other = companion.persistentState
      guard other.owner == nil, admit(other, companion) else { continue }
      companions += other.companions?.all ?? []
      other.companions = nil
      new.append(other)
    }
    if isComingBack { state.forgetDeletedLinks() }
    for state in new { state.completeInverses() }
  }

  private func admit(_ state: ModelState, _ model: any PersistentModel) -> Bool {
    guard state.owner == nil else {
      problem = PersistenceError(
        .unsupported,
        "cannot insert \(state.entity.name): it belongs to another context; fetch it by identifier in this one"
      )
      return false
    }
    if state.description == nil || !state.identifier.isTemporary {
      state.identifier = IdentifierScope(store: nil, entity: state.entity.name)
        .temporaryIdentifier(nextSerial, context: number)
      nextSerial += 1
    }
    addInserted(state, model: model)
    if undoLog.isEnabled {
      undoLog.record(.insert(state.snapshot))
    }
    return true
  }

  /// Marks a model for deletion by the next save; a model that was never saved leaves the context.
  ///
  /// The delete rules of its relationships apply immediately. Deleting a model twice, or a model that is in
  /// no context, does nothing.
  public func delete<T: PersistentModel>(_ model: T) {
    whenAllowed("delete", model.persistentState.entity.name) {
      let state = model.persistentState
      // Records use the rules of their fields, models those of their relationships.
      if state.description == nil, state.owner === self, !state.isDeleted, !container.isTyped {
        deleteFollowingLinks(state)
      } else {
        deleteFollowingRules(state)
      }
    }
  }

  func delete(_ state: ModelState) {
    guard state.owner === self, !state.isDeleted else { return }
    if undoLog.isEnabled {
      undoLog.record(.delete(state.snapshot))
    }
    remove(state)
  }

  func setValue(_ value: Value, at slot: Int, of state: ModelState) {
    whenAllowed("change", state.entity.name) { setAllowed(value, at: slot, of: state) }
  }

  private func setAllowed(_ value: Value, at slot: Int, of state: ModelState) {
    let old = state.orderedValues[slot]
    guard !state.isDeleted else {
      state.orderedValues[slot] = value
      return
    }
    if undoLog.isEnabled {
      undoLog.record(
        .update(state.identifier, state.entity.layout, slot: slot, old: old, new: value)
      )
    }
    write(value, at: slot, of: state)
  }

  func write(_ value: Value, at slot: Int, of state: ModelState) {
    if !state.isDirty {
      pending.set(
        .init(
          state: state,
          kind: .updated,
          original: state.orderedValues,
          model: registry.objectToHold(of: state)
        )
      )
    }
    state.orderedValues[slot] = value
    if let change = pending[state], change.kind == .updated, change.original[slot] == value,
      change.original == state.orderedValues
    {
      pending.remove(state)
    }
    noteChange()
  }

  private func addInserted(_ state: ModelState, model: (any PersistentModel)?) {
    state.owner = self
    state.isDeleted = false
    if !state.identifier.isTemporary { registry.register(state) }
    let held = model ?? registry.objectToHold(of: state)
    pending.set(.init(state: state, kind: .inserted, original: [], model: held))
    noteChange()
  }

  func remove(_ state: ModelState) {
    let change = pending[state]
    state.isDeleted = true
    if change?.kind == .inserted {
      hasForgottenNewModels = true
      if let model = change?.model { state.attach(any: model) }
      pending.remove(state)
      // Undo may restore the same object.
      registry.register(state)
    } else {
      pending.set(
        .init(
          state: state,
          kind: .deleted,
          original: change?.original ?? state.orderedValues,
          model: change?.model ?? registry.objectToHold(of: state)
        )
      )
    }
    noteChange()
  }

  /// Restores a record whose deletion may be saved or not.
  @discardableResult
  func restore(
    _ identifier: PersistentIdentifier,
    entity: Schema.Entity,
    _ values: [Value]
  ) -> ModelState {
    let state = registry[identifier] ?? ModelState(entity: entity, identifier: identifier)
    state.identifier = identifier
    if let change = pending[state], change.kind == .deleted {
      state.isDeleted = false
      state.orderedValues = values
      if change.original == values {
        pending.remove(state)
      } else {
        pending.set(
          .init(state: state, kind: .updated, original: change.original, model: state.model)
        )
      }
    } else {
      state.orderedValues = values
      addInserted(state, model: state.model)
    }
    noteChange()
    return state
  }
}

extension ModelContext: Equatable {
  /// True when both are the same object.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }
}
