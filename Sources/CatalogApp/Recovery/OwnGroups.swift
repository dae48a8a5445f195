import OpenSwiftData

/// The bulk changes in this run's recovery file.
struct OwnGroups {
  /// What to write about bulk changes.
  struct Lines {
    /// Lines about single records.
    var edits: [RecoveryLine.Edit] = []
    /// New groups, and those that have lost many records.
    var groups: [RecoveryGroup] = []
    /// The numbers of removed groups.
    var gone: [Int] = []
  }

  /// The number of records that leave a group one by one; if more leave it, it is written again.
  private static let fewLeft = 64
  /// The number of records whose lines are written if their keys are checked at the next start.
  private static let fewChanged = 1000

  /// For each group in the file, the number of records that have left it.
  private var leftCounts: [Int: Int] = [:]
  /// The bulk changes that the file has as lines for each record.
  private var spelledOut: Set<Int> = []

  /// Counts what the file lacks as part of it from now on.
  ///
  /// - Parameters:
  ///   - context: The context with the changes.
  ///   - isSeparate: Tests whether a record has an unsaved change of its own, with its own line.
  /// - Returns: What to write; nil if the file has to be rewritten.
  /// - Throws: The error of a store that cannot be read.
  mutating func additions(
    _ context: ModelContext,
    isSeparate: (PersistentIdentifier) -> Bool
  ) throws -> Lines? {
    let bulk = context.bulkChanges
    let counts = Self.counts(bulk)
    if spelledOut.contains(where: { counts[$0] == nil }) { return nil }
    var lines = Lines()
    lines.gone = leftCounts.keys.filter { counts[$0] == nil }.sorted()
    var keys = LastingKeys(context)
    for change in bulk where leftCounts[change.number] != change.leftCount {
      if let before = leftCounts[change.number], change.leftCount - before <= Self.fewLeft {
        lines.edits += change.left.dropFirst(before).filter { !isSeparate($0) }.map { .none($0) }
      } else if spelledOut.contains(change.number) {
        return nil
      } else {
        try add(change, to: &lines, &keys)
      }
    }
    leftCounts = counts
    return lines
  }

  /// Counts all bulk changes as part of a new file.
  ///
  /// - Returns: What to write.
  /// - Throws: The error of a store that cannot be read.
  mutating func all(_ context: ModelContext) throws -> Lines {
    self = OwnGroups()
    let bulk = context.bulkChanges
    var lines = Lines()
    var keys = LastingKeys(context)
    for change in bulk { try add(change, to: &lines, &keys) }
    leftCounts = Self.counts(bulk)
    return lines
  }

  private mutating func add(
    _ change: BulkChange,
    to lines: inout Lines,
    _ keys: inout LastingKeys
  ) throws {
    // Lines for single records tell later which ones another program has changed, and how; a group does not.
    let isSpelledOut = keys.areChecked(change) && change.indices.count <= Self.fewChanged
    if let values = change.commonValues, try keys.areKnown(change), !isSpelledOut {
      lines.groups.append(
        RecoveryGroup(change, values, isWhole: keys.mayBeOthers(change), keys.context.grounds)
      )
    } else {
      spelledOut.insert(change.number)
      for index in change.indices { lines.edits.append(change.edit(at: index)) }
    }
  }

  private static func counts(_ bulk: [BulkChange]) -> [Int: Int] {
    Dictionary(bulk.map { ($0.number, $0.leftCount) }) { first, _ in first }
  }
}

/// Tells whether the next start will find records under the keys that they have now.
///
/// A number may be the position in a file of another program. If records before it were deleted and saved since the file
/// was opened, the next start counts differently, and only the values of each record tell which one is meant.
private struct LastingKeys {
  let context: ModelContext
  private var listings: [String: any Listing] = [:]

  init(_ context: ModelContext) { self.context = context }

  /// True if numbers of the records may be only their positions.
  func isByPlace(_ change: BulkChange) -> Bool {
    context.mayIdentifyByPlace(change.entity.name)
  }

  /// True if the records may be other ones at the next start, so that all values tell whether they are the same.
  func mayBeOthers(_ change: BulkChange) -> Bool {
    isByPlace(change) || areChecked(change)
  }

  /// True if values tell at the next start whether a key is still on the same record.
  func areChecked(_ change: BulkChange) -> Bool { context.checksKeys(of: change.entity.name) }

  mutating func areKnown(_ change: BulkChange) throws -> Bool {
    guard isByPlace(change) else { return true }
    let last = change.indices.lazy.map { change.identifier(at: $0) }
      .filter { $0.numberKey != nil }.max()
    guard let last, let number = last.numberKey else { return true }
    let name = change.entity.name
    let store = context.container.stores.lazy.compactMap { $0 as? any QueryableStore }
      .first { $0.schema.entitiesByName[name] != nil }
    guard let store else { return false }
    let listing = try listings[name] ?? store.listing(matching: Query(name))
    listings[name] = listing
    return try listing.position(of: last) == number - 1
  }
}

extension BulkChange {
  /// The line for a record.
  fileprivate func edit(at index: Int) -> RecoveryLine.Edit {
    let before = DefaultSnapshot(
      persistentIdentifier: identifier(at: index),
      layout: entity.layout,
      orderedValues: original(at: index)
    )
    if isDeletion { return .delete(before) }
    var after = before
    after.orderedValues = current(at: index)
    return .update(RecordUpdate(before: before, after: after))
  }
}
