/// The records that a command has read by their identifiers, so that it reads each of them once.
///
/// Their states are registered, so that what others save is merged into them.
struct HeldRecords {
  /// How many records are held, and how many a command may ask for at a time.
  static let limit = 16
  private var states: [ModelState] = []

  /// The stored record with an identifier; nil if it is not held, has unsaved changes or was deleted.
  subscript(identifier: PersistentIdentifier) -> ModelState? {
    states.first { $0.identifier == identifier && !$0.isDirty && !$0.isDeleted }
  }

  /// Holds a record instead of the one that was read first, if there are many.
  mutating func hold(_ state: ModelState) {
    if states.count == Self.limit { states.removeFirst() }
    states.append(state)
  }
}

extension Fetching {
  /// Runs a command, which reads each of a few records once.
  func holdingRecords<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = held
    held = HeldRecords()
    defer { held = outer }
    return try body()
  }

  /// The records with a few identifiers, with their unsaved changes, in the layout of their entity.
  ///
  /// - Returns: Nil if records are not held, or not so many.
  func heldSnapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]?
  {
    guard held != nil, identifiers.count <= HeldRecords.limit else { return nil }
    if identifiers.count == 1, let identifier = identifiers.first {
      return try snapshot(of: identifier).map { [identifier: $0] } ?? [:]
    }
    _ = try connections()
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let snapshot = knownSnapshot(of: identifier) {
        found[identifier] = snapshot
      } else {
        missing.append(identifier)
      }
    }
    if missing.isEmpty { return found }
    for (identifier, snapshot) in try storedSnapshots(for: missing) {
      let state = try register(snapshot)
      held?.hold(state)
      found[identifier] = state.snapshot
    }
    return found
  }

  /// The record with an identifier, with its unsaved changes, in the layout of its entity; nil if it does not exist.
  ///
  /// While a command runs, the record is held.
  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    // As it was read; what others have saved since is merged when the command reads something else.
    if let state = held?[identifier] { return state.snapshot }
    let connections = try connections()
    if let known = knownSnapshot(of: identifier) { return known }
    guard !identifier.isTemporary else { return nil }
    let found =
      connections.count == 1
      ? try connections[0].snapshot(of: identifier)
      : try storedSnapshots(for: [identifier])[identifier]
    guard let stored = found else { return nil }
    guard held != nil else { return stored }
    let state = try register(stored)
    held?.hold(state)
    return state.snapshot
  }

  /// Holds a record that was just read whole, so that the running command does not read it again.
  func hold(_ stored: DefaultSnapshot) throws {
    guard held != nil else { return }
    let identifier = stored.persistentIdentifier
    // Otherwise the schema has changed while the record was read, or the values are not those of the store.
    guard stores.schema.entitiesByName[identifier.entityName]?.layout === stored.layout,
      pending.kind(of: identifier) == nil
    else { return }
    held?.hold(try register(stored))
  }

  /// A record that is held or has unsaved changes; nil for any other.
  private func knownSnapshot(of identifier: PersistentIdentifier) -> DefaultSnapshot? {
    held?[identifier]?.snapshot ?? pending.snapshot(of: identifier)
  }
}
