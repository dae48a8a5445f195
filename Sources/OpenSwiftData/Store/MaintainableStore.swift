/// A store that can look after its file.
public protocol MaintainableStore: QueryableStore {
  /// What the user should know since the store was opened, such as that an interrupted save was cut
  /// off; one line each.
  var openingNotes: [String] { get }

  /// True when a save that was acknowledged may be among what was found damaged at opening.
  var mayHaveLostSave: Bool { get }

  /// Reads everything that is kept and compares it with what is held in memory.
  ///
  /// - Returns: What is wrong, one line each; empty when all is well.
  /// - Throws: `PersistenceError` when the file cannot be read at all.
  func check() throws -> [String]

  /// Rewrites the file without what is no longer needed.
  ///
  /// - Returns: What was gained, as one line.
  /// - Throws: `PersistenceError`; the store is then as before.
  func compact() throws -> String

  /// Does what is worthwhile behind a save, such as rewriting a file most of which nobody needs.
  ///
  /// For whoever has just saved and can wait; almost always there is nothing to do. Nothing that was
  /// saved is lost when it fails.
  ///
  /// - Returns: What was done, or could not be done, for the user, one line each.
  func compactIfWorthwhile() -> [String]
}

extension MaintainableStore {
  /// Nothing to say.
  public var openingNotes: [String] { [] }

  /// Nothing was found damaged.
  public var mayHaveLostSave: Bool { false }

  /// Nothing to do.
  public func compactIfWorthwhile() -> [String] { [] }
}
