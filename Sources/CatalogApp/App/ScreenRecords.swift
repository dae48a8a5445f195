import OpenSwiftData

/// The records on the screen while a command runs: those it is about when it names none.
struct ScreenRecords {
  let entityName: String
  /// What the table lists, in its order; records whose deletion is not saved yet are among them.
  let listed: [PersistentIdentifier]
  /// The number of records of the entity.
  let total: Int
  let marks: MarkedRecords
  /// The record under the cursor.
  let cursor: PersistentIdentifier?
  /// The filter of the table as it was typed; nil without one.
  let filter: String?

  /// What a command changes: the marked records, or else the one under the cursor.
  ///
  /// - Complexity: O(n) in the records listed when some are marked.
  var targets: [PersistentIdentifier] { marks.isEmpty ? cursor.map { [$0] } ?? [] : marked }

  /// What a command reads: the marked records, else all that are listed.
  var shown: [PersistentIdentifier] { marks.isEmpty ? listed : marked }

  /// The marked records in the order of the list, those that it does not show after them.
  private var marked: [PersistentIdentifier] {
    listed.filter(marks.contains) + marks.hidden.sorted()
  }

  /// Says which records a command took when those are not all; nil when they are.
  func summary(_ count: Int) -> String? {
    if !marks.isEmpty { return marks.recordsText }
    return filter.map { "\(count) of \(Session.counted(total)): filter \($0)" }
  }
}

extension Session {
  /// The records that a command reads when its line says neither `where` nor an entity; nil where no
  /// screen shows the entity.
  ///
  /// - Throws: What keeps the store from being read.
  func takeShown(of entity: Schema.Entity) throws -> [PersistentIdentifier]? {
    guard let screen, screen.entityName == entity.name else { return nil }
    return try present(screen.shown)
  }

  /// Those of the records that are in the store and not deleted here.
  func present(_ identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier] {
    var present: [PersistentIdentifier] = []
    for batch in identifiers.batches {
      let found = try context.snapshots(for: Array(batch))
      present += batch.filter { found[$0] != nil && context.pendingKind(of: $0) != .deleted }
    }
    return present
  }
}
