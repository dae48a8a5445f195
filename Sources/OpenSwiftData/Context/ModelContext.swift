import Foundation
import Synchronization

/// The workplace of one thread: fetches models, tracks what changes, saves it.
///
/// A context belongs to the thread (or actor) that made it. Unsaved changes are seen by its own fetches
/// only. Saving is all or nothing: when a save throws, the context is as it was and can be saved again.
public class ModelContext {
  /// The schema and the stores it works on.
  public let container: ModelContainer
  /// Names this context to the stores; its author stands in the history.
  public var editingState = EditingState() {
    didSet {
      for place in knownConnections.indices { knownConnections[place].state = editingState }
    }
  }
  /// Stands in the history beside what this context saves.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }

  let pending = PendingChanges()
  var undoLog = UndoLog()
  /// Permanent identifiers by the temporary ones they replaced, for undo steps from before the save.
  let remapping = Remapping()
  private let registry = ModelRegistry()
  private var knownSchemas: [Schema]
  private var knownConnections: [any StoreConnection] = []
  /// What could not be reported where it happened; the next save does.
  var problem: PersistenceError?
  /// True when a new model was deleted, to which references without a way back may still lead.
  var hasForgottenNewModels = false
  lazy var uniquenessRules = UniquenessRules(schema)
  /// The values of records from before a new one, by its temporary identifier, became part of them; for
  /// undo only.
  var valuesBeforeUpsert: [PersistentIdentifier: [Value]] = [:]
  /// The thread of the context, its siblings, those who watch it.
  let surroundings = ContextSurroundings()
  private let number: UInt64
  private var nextSerial: UInt64 = 1

  private static let contextCount = Atomic<UInt64>(0)

  /// Creates a context without changes.
  public init(_ container: ModelContainer) {
    self.container = container
    // The layouts of model classes do not change with the stores.
    knownSchemas = container.isTyped ? [] : container.stores.map(\.schema)
    number = Self.contextCount.wrappingAdd(1, ordering: .relaxed).newValue
    undoLog.isEnabled = !container.isTyped
    for store in container.stores { store.initializeState(for: editingState) }
    container.hub.join(surroundings.mailbox)
  }

  deinit {
    for store in container.stores { store.invalidateState(for: editingState) }
  }

  /// The entities of the stores.
  public var schema: Schema { container.schema }

  /// True when there is something to save.
  public var hasChanges: Bool { !pending.isEmpty }

  /// New models, in the order of insertion.
  public var insertedModelsArray: [any PersistentModel] { models(of: .inserted) }
  /// Models whose values differ from the store's.
  public var changedModelsArray: [any PersistentModel] { models(of: .updated) }
  /// Models that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { models(of: .deleted) }

  private func models(of kind: PendingChanges.Kind) -> [any PersistentModel] {
    pending.all(kind).map { $0.model ?? anyModel(of: $0.state) }
  }

  // MARK: Changing

  /// Makes a model part of this context, with all that it refers to; it is saved with the next save.
  ///
  /// A model of another context stays there; the next save says so.
  public func insert<T: PersistentModel>(_ model: T) {
    whenAllowed("an insertion", model.persistentState.entity.name) { insertAllowed(model) }
  }

  private func insertAllowed<T: PersistentModel>(_ model: T) {
    let state = model.persistentState
    if state.context === self {
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
      guard other.context == nil, admit(other, companion) else { continue }
      companions += other.companions?.all ?? []
      other.companions = nil
      new.append(other)
    }
    if isComingBack { state.forgetDeletedLinks() }
    for state in new { state.completeInverses() }
  }

  private func admit(_ state: ModelState, _ model: any PersistentModel) -> Bool {
    guard state.context == nil else {
      problem = PersistenceError(
        .unsupported,
        "a \(state.entity.name) that belongs to one context was inserted into another; fetch it there by its identifier"
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
      undoLog.record(.insert(state.identifier, entity: state.entity.name, state.orderedValues))
    }
    return true
  }

  /// Marks a model to be deleted by the next save; one that was never saved is simply forgotten.
  ///
  /// The delete rules of its relationships are followed at once. Deleting twice or deleting a model of
  /// no context does nothing.
  public func delete<T: PersistentModel>(_ model: T) {
    whenAllowed("a deletion", model.persistentState.entity.name) {
      deleteFollowingRules(model.persistentState)
    }
  }

  func delete(_ state: ModelState) {
    guard state.context === self, !state.isDeleted else { return }
    if undoLog.isEnabled {
      undoLog.record(.delete(state.identifier, entity: state.entity.name, state.orderedValues))
    }
    remove(state)
  }

  func setValue(_ value: Value, at slot: Int, of state: ModelState) {
    whenAllowed("a change", state.entity.name) { setAllowed(value, at: slot, of: state) }
  }

  private func setAllowed(_ value: Value, at slot: Int, of state: ModelState) {
    let old = state.orderedValues[slot]
    guard !state.isDeleted else {
      state.orderedValues[slot] = value
      return
    }
    if undoLog.isEnabled {
      undoLog.record(.update(state.identifier, slot: slot, old: old, new: value))
    }
    write(value, at: slot, of: state)
  }

  private func write(_ value: Value, at slot: Int, of state: ModelState) {
    if !state.isDirty {
      pending.set(
        .init(
          state: state,
          kind: .updated,
          original: state.orderedValues,
          model: objectToHold(of: state)
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

  /// The object that unsaved changes keep alive: always one for model classes.
  private func objectToHold(of state: ModelState) -> (any PersistentModel)? {
    state.description == nil ? state.model : anyModel(of: state)
  }

  private func addInserted(_ state: ModelState, model: (any PersistentModel)?) {
    state.context = self
    state.isDeleted = false
    if !state.identifier.isTemporary { registry.register(state) }
    let held = model ?? objectToHold(of: state)
    pending.set(.init(state: state, kind: .inserted, original: [], model: held))
    noteChange()
  }

  private func remove(_ state: ModelState) {
    let change = pending[state]
    state.isDeleted = true
    if change?.kind == .inserted {
      hasForgottenNewModels = true
      if let model = change?.model { state.attach(any: model) }
      pending.remove(state)
      // Undo may bring the same object back.
      registry.register(state)
    } else {
      pending.set(
        .init(
          state: state,
          kind: .deleted,
          original: change?.original ?? state.orderedValues,
          model: change?.model ?? objectToHold(of: state)
        )
      )
    }
    noteChange()
  }

  /// Brings a record back that was deleted, saved or not.
  @discardableResult
  fileprivate func restore(
    _ identifier: PersistentIdentifier,
    entity: Schema.Entity,
    _ values: [Value]
  ) -> ModelState {
    let state = self.state(identifier) ?? ModelState(entity: entity, identifier: identifier)
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

  // MARK: Undo

  /// True when there is a step to take back.
  public var canUndo: Bool { undoLog.canUndo }
  /// True when there is a step to do again.
  public var canRedo: Bool { undoLog.canRedo }

  /// Ends the undo step of what was changed since the last one; nothing happens when nothing changed.
  public func closeUndoStep(named name: String) { undoLog.close(named: name) }

  /// Makes sure that what was changed so far can be undone apart from what follows.
  ///
  /// Takes in what other contexts saved, too.
  public func processPendingChanges() {
    if let undoManager {
      registerPendingUndo(with: undoManager)
    } else {
      undoLog.close(named: "changes")
    }
    takeMailIfAny()
  }

  /// Takes back the last step, saved or not; the result is unsaved like any other change.
  ///
  /// - Returns: The step; nil when there was none.
  /// - Throws: What the store says when a record of the step must be read again; nothing has changed then.
  @discardableResult
  public func undo() throws -> UndoStep? {
    _ = try connections()
    guard let step = undoLog.takeUndo() else { return nil }
    do {
      try replay(step.inverse)
    } catch {
      _ = undoLog.takeRedo()
      throw error
    }
    return resolved(step)
  }

  /// Does the step again that was taken back last.
  ///
  /// - Returns: The step; nil when there was none.
  /// - Throws: As `undo()`.
  @discardableResult
  public func redo() throws -> UndoStep? {
    _ = try connections()
    guard let step = undoLog.takeRedo() else { return nil }
    do {
      try replay(step)
    } catch {
      _ = undoLog.takeUndo()
      throw error
    }
    return resolved(step)
  }

  private func resolved(_ step: UndoStep) -> UndoStep {
    UndoStep(
      name: step.name,
      changes: step.changes.map { change in
        let identifier = resolve(change.identifier)
        return switch change {
        case .insert(_, let entity, let values): .insert(identifier, entity: entity, values)
        case .delete(_, let entity, let values): .delete(identifier, entity: entity, values)
        case .update(_, let slot, let old, let new):
          .update(identifier, slot: slot, old: old, new: new)
        }
      }
    )
  }

  /// The identifier that the record has now.
  public func resolve(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    remapping[identifier] ?? identifier
  }

  /// Reads everything it needs first, then changes, so that it happens whole or not at all.
  func replay(_ step: UndoStep) throws {
    let schema = self.schema
    var states = try liveStates(of: step)
    undoLog.isReplaying = true
    defer { undoLog.isReplaying = false }
    for change in step.changes {
      let identifier = resolve(change.identifier)
      if let former = valuesBeforeUpsert[change.identifier], let state = states[identifier],
        replayUpsert(change, former, of: state)
      {
        continue
      }
      switch change {
      case .insert(_, let entity, let values):
        // Held until the end: a restored state without changes is held by nobody else.
        states[identifier] = restore(
          identifier,
          entity: try schema.entity(named: entity),
          values.map { $0.remapped(remapping.all) }
        )
      case .delete:
        if let state = states[identifier] { remove(state) }
      case .update(_, let slot, _, let new):
        guard let state = states[identifier] else { continue }
        write(new.remapped(remapping.all), at: slot, of: state)
      }
    }
  }

  /// Takes back, or does again, that a new record became part of one that was there.
  ///
  /// - Returns: False when the change is another one.
  private func replayUpsert(
    _ change: UndoStep.Change,
    _ former: [Value],
    of state: ModelState
  ) -> Bool {
    let values: [Value]
    switch change {
    case .insert(_, _, let new): values = new.map { $0.remapped(remapping.all) }
    case .delete: values = former
    case .update: return false
    }
    guard values.count == state.orderedValues.count, !state.isDeleted else { return false }
    for slot in values.indices where state.orderedValues[slot] != values[slot] {
      write(values[slot], at: slot, of: state)
    }
    return true
  }

  /// The states of the records that the step updates or deletes, held so that they stay registered.
  private func liveStates(of step: UndoStep) throws -> [PersistentIdentifier: ModelState] {
    var inserted: Set<PersistentIdentifier> = []
    var wanted: [PersistentIdentifier] = []
    for change in step.changes {
      let identifier = resolve(change.identifier)
      if case .insert = change, valuesBeforeUpsert[change.identifier] == nil {
        inserted.insert(identifier)
      } else if !inserted.contains(identifier) {
        wanted.append(identifier)
      }
    }
    return try states(for: wanted)
  }

  // MARK: Registry

  /// The states of records, taken from the registry or read from the store and registered.
  ///
  /// - Throws: `PersistenceError` with code `.unknownRecord` when one is in neither.
  func states(for identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier: ModelState]
  {
    let states = try statesPresent(among: identifiers)
    for identifier in identifiers where states[identifier] == nil {
      throw PersistenceError(
        .unknownRecord,
        "there is no record \(identifier) in \(identifier.entityName) any more"
      )
    }
    return states
  }

  /// The states of those of the records that are still there.
  func statesPresent(among identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: ModelState]
  {
    var states: [PersistentIdentifier: ModelState] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let state = state(identifier) {
        states[identifier] = state
      } else {
        missing.append(identifier)
      }
    }
    guard !missing.isEmpty else { return states }
    for snapshot in try storedSnapshots(for: missing).values {
      states[snapshot.persistentIdentifier] = try register(snapshot)
    }
    return states
  }

  /// True when no model was ever registered and nothing is changed.
  var isWithoutModels: Bool { registry.isEmpty && pending.isEmpty }

  /// The registered object for a snapshot, refreshed when it has no unsaved changes; nil when it is of
  /// another class.
  ///
  /// Not looked up when it is known to be new here.
  func registeredModel<T: PersistentModel>(
    of snapshot: DefaultSnapshot,
    _ description: ModelDescription?,
    isNew: Bool
  ) throws -> T? {
    guard let description, ObjectIdentifier(description.type) == ObjectIdentifier(T.self),
      isNew || state(snapshot.persistentIdentifier) == nil
    else { return model(of: try register(snapshot)) }
    let state = ModelState(description, snapshot)
    state.context = self
    let model = T(persistentState: state)
    state.model = model
    registry.register(state)
    return model
  }

  /// The registered state for a snapshot, refreshed when it has no unsaved changes.
  func register(_ snapshot: DefaultSnapshot) throws -> ModelState {
    if let state = state(snapshot.persistentIdentifier) {
      if !state.isDirty {
        state.replaceValues(state.entity.arranged(snapshot).orderedValues)
        state.isDeleted = false
      }
      return state
    }
    let entity = try schema.entity(named: snapshot.persistentIdentifier.entityName)
    let state = ModelState(entity: entity, snapshot: entity.arranged(snapshot))
    state.context = self
    registry.register(state)
    return state
  }

  func registeredState(_ identifier: PersistentIdentifier) -> ModelState? { state(identifier) }

  /// The state of a record that this context knows: new ones are found among the changes.
  private func state(_ identifier: PersistentIdentifier) -> ModelState? {
    if identifier.isTemporary, let change = pending[identifier] { return change.state }
    return registry[identifier]
  }

  /// The identifiers of everything that somebody holds.
  var registeredIdentifiers: [PersistentIdentifier] { registry.states.map(\.identifier) }

  /// The object of the state; nil when its class is another one.
  func model<T: PersistentModel>(of state: ModelState, as type: T.Type = T.self) -> T? {
    if let model = (state.model ?? pending[state]?.model) as? T { return model }
    if state.description == nil || type == Record.self { return T(persistentState: state) }
    return anyModel(of: state) as? T
  }

  /// The object of the state.
  func anyModel(of state: ModelState) -> any PersistentModel {
    if let model = state.model ?? pending[state]?.model { return model }
    guard let description = state.description else { return Record(persistentState: state) }
    func make<T: PersistentModel>(_ type: T.Type) -> any PersistentModel {
      let model = T(persistentState: state)
      state.attach(model)
      if registry[state.identifier] == nil { registry.register(state) }
      return model
    }
    return make(description.type)
  }

  func record(of state: ModelState) -> Record {
    ((state.model ?? pending[state]?.model) as? Record) ?? Record(persistentState: state)
  }

  /// The models with these identifiers, in order, without those that are not there (any more).
  func modelsPresent(for identifiers: [PersistentIdentifier]) -> [any PersistentModel] {
    var models: [any PersistentModel] = []
    models.reserveCapacity(identifiers.count)
    let missing = identifiers.filter { state($0) == nil }
    // Held until all are made: a state that was just read is held by nobody else.
    let read = missing.isEmpty ? [:] : present(missing)
    for identifier in identifiers {
      guard let state = state(identifier), !state.isDeleted else { continue }
      models.append(anyModel(of: state))
    }
    withExtendedLifetime(read) {}
    return models
  }

  /// The state of a record, read if need be; nil when it is not there.
  func statePresent(for identifier: PersistentIdentifier) -> ModelState? {
    state(identifier) ?? present([identifier])[identifier]
  }

  private func present(_ identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: ModelState]
  {
    // Somebody reads links: what others saved must not change them while their list is made.
    let surroundings = surroundings
    let isMailHeld = surroundings.isMailHeld
    surroundings.isMailHeld = true
    defer { surroundings.isMailHeld = isMailHeld }
    do {
      return try statesPresent(among: identifiers)
    } catch {
      problem = PersistenceError(
        .inaccessible,
        "related records could not be read: \(error)",
        cause: error
      )
      return [:]
    }
  }

  /// Gives a state its permanent identifier.
  func reRegister(
    _ state: ModelState,
    _ model: (any PersistentModel)?,
    as identifier: PersistentIdentifier
  ) {
    state.become(identifier)
    if let model { state.attach(any: model) }
    registry.register(state)
  }

  func register(reserving count: Int) { registry.reserve(count) }

  func forget(_ state: ModelState) {
    registry.remove(state.identifier)
    state.context = nil
  }

  /// The stores, after everything here was brought in line with schemas that changed meanwhile.
  ///
  /// Undo steps from before a change are forgotten: they speak of attributes by their place.
  func connections() throws -> [any StoreConnection] {
    try enter()
    if knownConnections.isEmpty { knownConnections = container.connections(for: editingState) }
    let connections = knownConnections
    let schemas = connections.map(\.schema)
    guard !schemas.elementsEqual(knownSchemas, by: ===) else { return connections }
    let isFirst = knownSchemas.isEmpty
    knownSchemas = schemas
    if !isFirst { adopt(schemas) }
    return connections
  }

  private func adopt(_ schemas: [Schema]) {
    forgetUndo()
    for state in registry.states + pending.all(.inserted).map(\.state) {
      let name = state.entity.name
      guard let entity = schemas.lazy.compactMap({ $0.entitiesByName[name] }).first,
        entity != state.entity
      else { continue }
      pending.arrange(state, for: entity)
      state.orderedValues = entity.arranged(state.snapshot).orderedValues
      state.entity = entity
    }
  }
}

extension ModelContext: Equatable {
  /// The same object.
  public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs === rhs }
}

extension ModelContext {
  /// Brings a deleted record back under its identifier, as an undoable change.
  func insertAgain(
    _ identifier: PersistentIdentifier,
    _ values: [Value],
    in entity: Schema.Entity
  ) {
    undoLog.record(.insert(identifier, entity: entity.name, values))
    restore(identifier, entity: entity, values)
  }
}

extension ModelContext {
  /// Takes back what was changed since the last undo step ended, as if it had never been.
  ///
  /// - Throws: What the store says when a record must be read again; then the changes stay as a step.
  public func abandonUndoStep() throws {
    guard undoLog.isRecording else { return }
    undoLog.close(named: "changes")
    try undo()
    undoLog.forgetRedo()
  }
}
