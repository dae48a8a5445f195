/// A store that can check and compact its file.
public protocol MaintainableStore: QueryableStore {
  /// Notes for the user about opening the store, such as an interrupted save that was cut off; one line each.
  var openingNotes: [String] { get }

  /// Why the store cannot be saved, in a few words; nil if it can, or if it was to be opened read-only.
  var readOnlyReason: String? { get }

  /// What a user has to know about the records of some entities, by entity, in a few words: `rows have no key`.
  var entityNotes: [String: String] { get }

  /// True when a save that was acknowledged may be among what was found damaged at opening.
  var mayHaveLostSave: Bool { get }

  /// Reads the whole file and compares it with the records in memory.
  ///
  /// - Returns: The problems found, one line each; empty if there are none.
  /// - Throws: `PersistenceError` when the file cannot be read at all.
  func check() throws -> [String]

  /// Does the same, and with `isThorough` whatever else the store can check, however long it takes.
  ///
  /// - Returns: The problems found, one line each; empty if there are none.
  /// - Throws: As `check()`.
  func check(isThorough: Bool) throws -> [String]

  /// Rewrites the file without what is no longer needed.
  ///
  /// - Returns: The result, as one line.
  /// - Throws: `PersistenceError`; the store is then unchanged.
  func compact() throws -> String

  /// Does optional maintenance after a save, such as compacting a file with mostly obsolete data.
  ///
  /// Call it after a save when a delay is acceptable; usually there is nothing to do. No saved data is lost
  /// if it fails.
  ///
  /// - Returns: Messages for the user about what was done or failed, one line each.
  func compactIfWorthwhile() -> [String]

  /// Releases the file and removes what only an open store needs, such as a lock file; nothing is saved afterward.
  ///
  /// A store does the same when it is released, but a context with unsaved changes keeps its store.
  func close()
}

extension MaintainableStore {
  /// No notes.
  public var openingNotes: [String] { [] }

  /// Nil: the store can be saved.
  public var readOnlyReason: String? { nil }

  /// No notes.
  public var entityNotes: [String: String] { [:] }

  /// False: no damage was found.
  public var mayHaveLostSave: Bool { false }

  /// Checks as `check()` does, which is thorough already.
  public func check(isThorough: Bool) throws -> [String] { try check() }

  /// Does nothing.
  public func compactIfWorthwhile() -> [String] { [] }

  /// Does nothing: there is nothing to release.
  public func close() {}
}
