/// The records that a command has read by their identifiers, so that it reads each of them once.
///
/// Their states are registered, so that what others save is merged into them.
struct HeldRecords {
  /// How many records are held.
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

  /// The only one of some records, with its unsaved changes, in the layout of its entity.
  ///
  /// - Returns: Nil if records are not held, or if there are several.
  func heldSnapshots(for identifiers: [PersistentIdentifier]) throws
    -> [PersistentIdentifier: DefaultSnapshot]?
  {
    guard held != nil, identifiers.count == 1, let only = identifiers.first else { return nil }
    return try snapshot(of: only).map { [only: $0] } ?? [:]
  }

  /// The record with an identifier, with its unsaved changes, in the layout of its entity; nil if it does not exist.
  ///
  /// While a command runs, the record is held.
  func snapshot(of identifier: PersistentIdentifier) throws -> DefaultSnapshot? {
    // As it was read; what others have saved since is merged when the command reads something else.
    if let state = held?[identifier] { return state.snapshot }
    let connections = try connections()
    if let changed = pending.snapshot(of: identifier) { return changed }
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
}
