import OpenSwiftData

/// The records on the screen while a command runs, which it uses if it names none.
struct ScreenRecords {
  let entityName: String
  /// The listed records in order, including those whose deletion is not saved yet.
  let listed: [PersistentIdentifier]
  /// The number of records of the entity.
  let total: Int
  let marks: MarkedRecords
  /// The record under the cursor.
  let cursor: PersistentIdentifier?
  /// The filter of the table as it was typed; nil without one.
  let filter: String?

  /// The records that a command changes: the marked ones, or else the one under the cursor.
  ///
  /// - Complexity: O(n) in the records listed if some are marked.
  var targets: [PersistentIdentifier] { marks.isEmpty ? cursor.map { [$0] } ?? [] : marked }

  /// The records that a command reads: the marked ones, or else all listed ones.
  var shown: [PersistentIdentifier] { marks.isEmpty ? listed : marked }

  /// The marked records in the order of the list, followed by those that it does not show.
  private var marked: [PersistentIdentifier] {
    listed.filter(marks.contains) + marks.hidden.sorted()
  }

  /// Describes which records a command used; nil if it used all.
  func summary(_ count: Int) -> String? {
    if !marks.isEmpty { return marks.recordsText }
    return filter.map { "\(count) of \(Session.counted(total)): filter \($0)" }
  }
}

extension Session {
  /// The records that a command reads if its line has neither `where` nor an entity; nil if no screen
  /// shows the entity.
  ///
  /// - Throws: The error of a store that cannot be read.
  func takeShown(of entity: Schema.Entity) throws -> [PersistentIdentifier]? {
    guard let screen = origin.screen, screen.entityName == entity.name else { return nil }
    return try present(screen.shown)
  }

  /// The records that are in the store and not deleted here.
  func present(_ identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier] {
    var present: [PersistentIdentifier] = []
    for batch in identifiers.batches {
      let existing = try context.existing(Array(batch))
      present += batch.filter { existing.contains($0) && context.pendingKind(of: $0) != .deleted }
    }
    return present
  }
}
