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
    _ = try connections()
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    var missing: [PersistentIdentifier] = []
    for identifier in identifiers {
      if let snapshot = pending.snapshot(of: identifier) ?? held?[identifier]?.snapshot {
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
}
