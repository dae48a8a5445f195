import OpenSwiftData

/// The records on the screen while a command runs, which it uses if it names none.
struct ScreenRecords {
  let entityName: String
  /// The listed records in order, including those whose deletion is not saved yet.
  let allListed: () throws -> [PersistentIdentifier]
  /// Those of some records that are listed, in order, also in folded groups.
  let listed: (Set<PersistentIdentifier>) throws -> [PersistentIdentifier]
  /// The number of records of the entity.
  let total: Int
  let marks: MarkedRecords
  /// The record under the cursor.
  let cursor: PersistentIdentifier?
  /// The filter of the table as it was typed; nil without one.
  let filter: String?
  /// The names of its columns, shown and hidden.
  let columns: [String]

  /// The records that a command changes: the marked ones, or else the one under the cursor.
  ///
  /// - Throws: The error of a store that cannot be read.
  func targets() throws -> [PersistentIdentifier] {
    try marks.isEmpty ? cursor.map { [$0] } ?? [] : marked()
  }

  /// The records that a command reads: the marked ones, or else all listed ones.
  ///
  /// - Throws: The error of a store that cannot be read.
  func shown() throws -> [PersistentIdentifier] { try marks.isEmpty ? allListed() : marked() }

  /// The marked records in the order of the list, followed by those that it does not show.
  private func marked() throws -> [PersistentIdentifier] {
    try listed(marks.all) + marks.hidden.sorted()
  }

  /// True if these are all records of the entity.
  var areAll: Bool { marks.isEmpty && filter == nil }

  /// Describes which records a command used; nil if it used all.
  func summary(_ count: Int) -> String? {
    if !marks.isEmpty { return marks.recordsText }
    return filter.map { "\(count) of \(counted(total)): filter \($0)" }
  }
}

extension CommandOrigin {
  /// The records that a command reads if its line has neither `where` nor an entity; nil if no screen
  /// shows the entity.
  ///
  /// - Throws: The error of a store that cannot be read.
  func takeShown(of entity: Schema.Entity, in context: ModelContext) throws
    -> [PersistentIdentifier]?
  {
    guard let screen, screen.entityName == entity.name else { return nil }
    return try context.present(screen.shown())
  }
}

extension ModelContext {
  /// The records that are in the store and not deleted here.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  func present(_ identifiers: [PersistentIdentifier]) throws -> [PersistentIdentifier] {
    if identifiers.count == 1, let only = identifiers.first {
      return try exists(only) && pendingKind(of: only) != .deleted ? [only] : []
    }
    var present: [PersistentIdentifier] = []
    for batch in identifiers.batches {
      try Interruption.check()
      let existing = try existing(Array(batch))
      present += batch.filter { existing.contains($0) && pendingKind(of: $0) != .deleted }
    }
    return present
  }
}
