/// A store that can look after its file.
public protocol MaintainableStore: QueryableStore {
  /// What the user should know since the store was opened, such as that an interrupted save was cut
  /// off; one line each.
  var openingNotes: [String] { get }

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
}

extension MaintainableStore {
  /// Nothing to say.
  public var openingNotes: [String] { [] }
}
