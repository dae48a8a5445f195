/// The stores of a context: its connections to them, and their schemas as the context last saw them.
///
/// The connections are made on first use. Every use compares the schemas: if another program has changed one,
/// the records of the context are rearranged for the new layout before anything else happens.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. As soon as there are connections, there is one known schema for each.
/// 2. The connections of records without a Swift type hold unsaved schema changes; those of models do not.
final class ContextStores {
  private let container: ModelContainer
  private let pending: PendingChanges
  private let registry: ModelRegistry
  private(set) var connections: [any StoreConnection] = []
  /// The schemas of the stores, in the same order.
  private(set) var schemas: [Schema]
  /// The error about unsaved values for which another program has left no place; the next save throws it.
  private(set) var loss: PersistenceError?
  /// The fields that commands have read of the records that they changed.
  let readSets: ReadSets
  /// The new records that others may have added before the save.
  var sought: [SoughtRecords] = []
  /// The places of the stores that were chosen for new records.
  private var chosenPlaces: [PersistentIdentifier: Int] = [:]
  /// Identifies the context to the stores.
  var editingState = EditingState() {
    didSet {
      for place in connections.indices { connections[place].state = editingState }
    }
  }

  init(_ container: ModelContainer, _ pending: PendingChanges, _ registry: ModelRegistry) {
    self.container = container
    self.pending = pending
    self.registry = registry
    // The layouts of model classes do not change with the stores.
    schemas = container.isTyped ? [] : container.stores.map(\.schema)
    readSets = ReadSets(container, pending)
    for store in container.stores { store.initializeState(for: editingState) }
  }

  deinit {
    for store in container.stores { store.invalidateState(for: editingState) }
  }

  /// True if a store reads all records of an entity to find some by their identifiers.
  var looksUpByScanning: Bool { connections.contains(where: \.looksUpByScanning) }

  /// The stores whose files have no identifiers.
  var matchingStores: [any TextBackedStore] {
    container.stores.compactMap { $0 as? any TextBackedStore }
  }

  /// Says that a transaction and all later ones are undone.
  func goBack(before token: Int64) {
    for store in matchingStores { store.goBack(before: token) }
  }

  /// Forgets the fields that decided, because no unsaved change is left.
  func forgetKeys() {
    readSets.forget()
    sought = []
  }

  /// Why it is not certain what became of these records, which the stores do not have; records without a doubt are left
  /// out.
  func doubts(about identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: RecordDoubt] {
    if identifiers.isEmpty { return [:] }
    return matchingStores.reduce(into: [:]) { found, store in
      found.merge(store.doubts(about: identifiers)) { first, _ in first }
    }
  }

  /// The stores in which the key of a record may be on another one now.
  var checkingStores: [any KeyCheckingStore] {
    container.stores.compactMap { $0 as? any KeyCheckingStore }
  }

  /// Why changed records, as they were read, may be other ones now; `stored` has those that the stores have.
  ///
  /// - Throws: The error of a store that cannot be read.
  func doubts(
    about changes: [PendingChange],
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> [PersistentIdentifier: RecordDoubt] {
    let changes = changes.filter { $0.kind != .inserted }
    var found = doubts(
      about: changes.map(\.state.identifier).filter { stored[$0] == nil }
    )
    if !checkingStores.isEmpty {
      let read = changes.map(\.originalSnapshot).filter { stored[$0.persistentIdentifier] != $0 }
      found.merge(try doubts(about: read)) { first, _ in first }
    }
    found.removeDone(changes.lazy.filter { $0.kind == .updated }.map(\.state.snapshot), in: stored)
    return found
  }

  /// What the changes of a record rest on.
  ///
  /// If both sides have set a link to the same key, it rests on itself when the key may be on another record now: then they
  /// mean different records.
  ///
  /// - Parameters:
  ///   - change: The changes.
  ///   - theirs: The values of the record in the store; nil if it does not have the record.
  ///   - targets: The records of such links whose keys may be on others.
  /// - Returns: The fields that were read, with those that rest on them.
  func readSlots(
    of change: PendingChange,
    theirs: [Value]?,
    doubting targets: Set<PersistentIdentifier>
  ) -> [ReadSlots] {
    let read = readSets.slots(of: change.state)
    guard let theirs, !targets.isEmpty else { return read }
    return read
      + change.sharedLinks(theirs).filter { slot in
        change.state.orderedValues[slot].linkedIdentifiers.contains(where: targets.contains)
      }
      .map { ReadSlots(read: [$0], dependents: [$0]) }
  }

  /// True if a link that is meant for a record that was read is the same on both sides.
  func sharesLink(_ change: PendingChange, theirs: [Value]) -> Bool {
    !readSets.linked.isEmpty && !change.sharedLinks(theirs).isEmpty
  }

  /// The records of links that both sides have set, as far as their keys may be on other records now.
  ///
  /// - Throws: The error of a store that cannot be read.
  func doubtfulTargets(
    of changes: [PendingChange],
    _ stored: [PersistentIdentifier: DefaultSnapshot]
  ) throws -> Set<PersistentIdentifier> {
    if readSets.linked.isEmpty { return [] }
    var meant: [PersistentIdentifier: DefaultSnapshot] = [:]
    for change in changes {
      let state = change.state
      guard let snapshot = stored[state.identifier] else { continue }
      for slot in change.sharedLinks(state.entity.arranged(snapshot).orderedValues) {
        for target in state.orderedValues[slot].linkedIdentifiers {
          meant[target] = readSets.linked[state.identifier, target]
        }
      }
    }
    return Set(try doubts(about: Array(meant.values)).keys)
  }

  /// Why records, given as they were read, may be other ones now; those without a doubt are left out.
  ///
  /// - Throws: The error of a store that cannot be read.
  func doubts(about records: [DefaultSnapshot]) throws -> [PersistentIdentifier: RecordDoubt] {
    if records.isEmpty { return [:] }
    return try checkingStores.reduce(into: [:]) { found, store in
      found.merge(try store.doubts(about: records)) { first, _ in first }
    }
  }

  /// Why records that were saved here may be other ones now; those with unsaved changes are left out.
  ///
  /// - Throws: The error of a store that cannot be read.
  func doubts(aboutSaved identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier:
    RecordDoubt]
  {
    let saved = identifiers.filter { pending[$0] == nil && !pending.isPacked($0) }
    if saved.isEmpty { return [:] }
    return try checkingStores.reduce(into: [:]) { found, store in
      found.merge(try store.doubts(aboutSaved: saved)) { first, _ in first }
    }
  }

  /// True when the records are objects of model classes.
  var isTyped: Bool { container.isTyped }

  /// The identifier of an entity in a store with this text: that of a record, if one has it.
  func identifier(parsing text: String, of entityName: String, in store: String)
    -> PersistentIdentifier
  {
    container.stores.first { $0.identifier == store }?.recordIdentifier(text, of: entityName)
      ?? IdentifierScope(store: store, entity: entityName).identifier(parsing: text)
  }

  /// True if the records of an entity are the rows of a query in its store, such as a view.
  func computesRecords(of entityName: String) -> Bool {
    container.stores.contains { $0.isComputingRecords(of: entityName) }
  }

  // MARK: Reading

  /// The connections, after adopting the schemas that have changed since the last call.
  func open() -> [any StoreConnection] {
    if connections.isEmpty {
      let registry = registry
      connections = container.connections(for: editingState) { registry[$0] != nil }
        .map { container.isTyped ? $0 : StagedConnection($0) }
      staged = connections.compactMap { $0 as? StagedConnection }
    }
    guard !hasSeenSchemas else { return connections }
    let isFirst = schemas.isEmpty
    schemas = connections.map(\.schema)
    if !isFirst { arrangeRecords(isByOthers: true) }
    return connections
  }

  /// True if no schema has changed since the last call of `open()`.
  private var hasSeenSchemas: Bool {
    guard schemas.count == connections.count else { return false }
    for place in connections.indices where connections[place].schema !== schemas[place] {
      return false
    }
    return true
  }

  /// The connection to the store of the entity, or to all stores that have it.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`.
  func connection(for entityName: String) throws -> any StoreConnection {
    let connections = open()
    if connections.count > 1 {
      let parts = connections.filter { $0.schema.entitiesByName[entityName] != nil }
      if parts.count > 1 { return JoinedConnection(parts) }
    }
    if let connection = connections.first(where: { $0.schema.entitiesByName[entityName] != nil }) {
      return connection
    }
    _ = try schema.entity(named: entityName)
    throw PersistenceError(.unknownEntity, "unknown entity \(Value.quoted(entityName))")
  }

  /// The stored records with these identifiers; temporary ones are skipped.
  func snapshots(
    for identifiers: [PersistentIdentifier],
    _ attributes: [String]? = nil
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let permanent =
      identifiers.contains(where: \.isTemporary)
      ? identifiers.filter { !$0.isTemporary } : identifiers
    let connections = open()
    if connections.count == 1 {
      return try connections[0].snapshots(for: permanent, attributes: attributes)
    }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    let placement = placement
    let places = permanent.map(placement.knownPlace)
    for (place, connection) in connections.enumerated() {
      let own = permanent.indices.filter { places[$0] == place }.map { permanent[$0] }
      if own.isEmpty { continue }
      found.merge(try connection.snapshots(for: own, attributes: attributes)) { first, _ in first }
    }
    return found
  }

  /// Reads the records of the links that a command has set.
  func readLinkedRecords() {
    readSets.readLinkedRecords { try snapshots(for: $0) }
  }

  // MARK: Records in several stores

  /// Decides which store keeps each record.
  var placement: StorePlacement {
    StorePlacement(
      connections: open(),
      canSave: container.stores.indices.map(container.canSave),
      names: container.allConfigurations.map(\.name),
      chosen: chosenPlaces
    )
  }

  /// Chooses the store of a new record.
  func choose(_ place: Int, for identifier: PersistentIdentifier) {
    chosenPlaces[identifier] = place
  }

  /// Forgets the stores that were chosen for records that are saved or discarded now.
  func forgetChoices(for identifiers: [PersistentIdentifier]? = nil) {
    if chosenPlaces.isEmpty { return }
    guard let identifiers else { return chosenPlaces = [:] }
    for identifier in identifiers { chosenPlaces[identifier] = nil }
  }

  // MARK: Unsaved schema changes

  /// The entities of the stores, with the unsaved changes of the schema.
  var schema: Schema {
    guard hasSchemaChanges else { return container.schema }
    return connections.count == 1
      ? connections[0].schema : Schema(joining: connections.map(\.schema))
  }

  /// The connections that can hold unsaved changes of the schema.
  private(set) var staged: [StagedConnection] = []

  /// True when the next save changes the schema.
  var hasSchemaChanges: Bool {
    !container.isTyped && staged.contains { !$0.staged.isEmpty }
  }

  /// The connection that keeps the step unsaved.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` if its store can change its schema only immediately, or if
  ///   several stores have the entity.
  func stagedConnection(for step: SchemaStep) throws -> StagedConnection {
    let placement = placement
    let places = placement.placesToChange(step.entityName)
    if places.count > 1 {
      throw PersistenceError(
        .unsupported,
        "entity \(Value.quoted(step.entityName)): several stores have it ("
          + places.map { Value.quoted(placement.names[$0]) }.joined(separator: ", ")
          + "); use apply(_:), which changes all of them"
      )
    }
    let connection = places.first.flatMap { placement.connections[$0] as? StagedConnection }
    guard let connection, connection.canStage else {
      throw PersistenceError(.unsupported, "the store cannot keep schema changes unsaved")
    }
    return connection
  }

  /// Remembers the schemas after a change for which the records were already rearranged.
  func noteSchemas() { schemas = connections.map(\.schema) }

  /// Discards all unsaved changes of the schema.
  func discardSchemaChanges() {
    for connection in staged { connection.unstage() }
    noteSchemas()
    arrangeRecords(isByOthers: false)
  }

  /// Rearranges the records of entities that changed.
  ///
  /// Does nothing if a store has reloaded its file and only has new objects for an equal schema. Undo steps
  /// stay valid because each contains the layout of its values.
  private func arrangeRecords(isByOthers: Bool) {
    var lost = LostValues()
    var respelling = Respelling()
    pending.unpack { block in
      let known = schemas.lazy.compactMap { $0.entitiesByName[block.entity.name] }.first
      return known.map { $0 != block.entity } ?? false
    }
    for state in registry.states + pending.all(.inserted).map(\.state) {
      let name = state.entity.name
      guard let entity = schemas.lazy.compactMap({ $0.entitiesByName[name] }).first,
        entity != state.entity
      else { continue }
      if isByOthers { respelling.note(state, entity) }
      let lostFields = isByOthers ? lost.note(state, entity) : []
      pending.arrange(state, for: entity)
      state.orderedValues = entity.fitted(state.snapshot)
      state.entity = entity
      guard !lostFields.isEmpty, state.pendingKind == .updated else { continue }
      // What cannot be saved leaves the value of the store, not an empty field.
      for slot in lostFields.compactMap({ entity.layout.slot(of: $0) }) {
        state.orderedValues[slot] = state.original[slot]
      }
      pending.rebase(state, on: state.original)
    }
    loss = loss ?? lost.error
    // If the records cannot be read, the next save finds the other forms, as a conflict.
    guard !respelling.identifiers.isEmpty, let stored = try? snapshots(for: respelling.identifiers)
    else { return }
    respelling.apply(stored, to: pending)
  }

  /// Throws, once, if unsaved values have no place since another program changed the schema.
  ///
  /// - Throws: `PersistenceError` with code `.conflict`.
  func checkLoss() throws {
    guard let loss else { return }
    self.loss = nil
    throw loss
  }

  /// Forgets the values without a place, because the unsaved changes are discarded.
  func forgetLoss() { loss = nil }
}

/// The unsaved values that the fields of a changed entity cannot hold.
private struct LostValues {
  private var first: (entity: Schema.Entity, field: String, now: Schema.Attribute?)?
  private var count = 0

  /// Notes a record with such values, before its values are arranged.
  ///
  /// - Returns: The names of their fields.
  mutating func note(_ state: ModelState, _ entity: Schema.Entity) -> [String] {
    guard state.isDirty, !state.isDeleted else { return [] }
    let layout = state.entity.layout
    let values = state.orderedValues
    let slots = values.indices.filter { slot in
      !values[slot].isNull
        && (state.pendingKind == .inserted
          ? values[slot] != state.entity.fields[slot].defaultValue : state.differs(at: slot))
        && entity.fitted(values[slot], from: slot, of: layout) == nil
    }
    guard let slot = slots.first else { return [] }
    count += 1
    let field = layout.names[slot]
    first = first ?? (entity, field, entity.fieldsByName[field])
    return slots.map { layout.names[$0] }
  }

  /// The error; nil if nothing is lost.
  var error: PersistenceError? {
    guard let first else { return nil }
    let change = first.now.map { "changed to \($0.specification)" } ?? "removed"
    let records = count == 1 ? "1 record" : "\(count) records"
    return PersistenceError(
      .conflict,
      "\(first.entity.name).\(first.field): \(change) by another program; "
        + "your unsaved values of \(records) cannot be saved; save again to save the rest",
      cause: ValuesWithoutPlace()
    )
  }
}

extension PendingChange {
  /// The slots of the links that were set here and elsewhere to the same records.
  fileprivate func sharedLinks(_ theirs: [Value]) -> [Int] {
    if kind != .updated { return [] }
    let mine = state.orderedValues
    return theirs.indices.filter {
      mine[$0].isLink && mine[$0] == theirs[$0] && mine[$0] != original[$0]
    }
  }
}
