import OpenSwiftData

/// The records that the table lists, in order, updated as commands change them.
///
/// The list is a listing of the context, read by position, plus a few changes of its own. A deleted record stays where
/// it was until the deletion is saved, and a changed record keeps its position until the next query. New and restored
/// records come last, and so do deleted ones that matched only because of unsaved values. The save of restored ones is
/// followed by a query.
///
/// Invariants:
/// 1. Each record is listed once, and all are of the entity of the list.
/// 2. There are no more records in the list than in the entity.
/// 3. The overlay removes the positions of folded groups but the first of each, and those of `gone`.
/// 4. There are records after those of the listing only if those are all counted.
struct RecordList {
  private(set) var spec: QuerySpec?
  /// The records that the last query found.
  private var listing: any Listing = IdentifierListing([]) { _, _ in [:] }
  /// The positions in the listing whose records are not shown any more, and the records that follow those of the listing.
  private var overlay = ListingOverlay()
  /// The positions that a command removed.
  private var gone: [Int] = []
  /// The positions of the folded groups, in order; only the first one of each is shown.
  private var folded: [Range<Int>] = []
  /// The numbers of the records after those of the listing.
  private var addedNumbers: [PersistentIdentifier: Int] = [:]
  /// All records of the entity, if they were not counted when the list was queried.
  private var all: (any Listing)?
  /// The number of all records when the list was queried, and what was added to it since.
  private var totals = (queried: 0, added: 0)
  /// True if the same query would find the same list: nothing was changed or saved since.
  private(set) var isAsQueried = false
  private var unsavedInserts: Set<PersistentIdentifier> = []
  private var unsavedDeletes: Set<PersistentIdentifier> = []

  /// Checks the invariants, in debug builds, if the list is small.
  private func checkInvariants() {
    assert(count <= extent.total, "2: the list is a part of the entity")
    assert(addedNumbers.isEmpty || listing.count.isExact, "4: all are counted")
    // Skipped if the store cannot be read; the caller reports that.
    guard count <= 1000, let identifiers = try? identifiers(in: 0..<count) else { return }
    assert(Set(identifiers).count == identifiers.count, "1: each record is listed once")
    assert(
      identifiers.allSatisfy { $0.entityName == spec?.entityName },
      "1: all are of one entity"
    )
  }

  /// The number of records.
  var count: Int { listing.count.number + overlay.growth }

  /// The number of rows that are not after those of the query.
  var queriedCount: Int { listing.count.number - overlay.removed.count }

  var extent: ListExtent {
    let listed = listing.count.adding(overlay.growth)
    let all = all?.count ?? .exact(totals.queried)
    var extent = ListExtent(listed: listed, all: all.adding(totals.added))
    extent.foldedCount = folded.reduce(0) { $0 + $1.count - 1 }
    return extent
  }

  // MARK: Folding

  /// Folds groups of rows, in order, of a list that was just queried: only the first row of each stays.
  mutating func fold(_ groups: [Range<Int>]) {
    precondition(overlay.removed.isEmpty, "3: rows are positions")
    folded = groups.filter { !$0.isEmpty }
    overlay.remove(folded.flatMap { Array($0.dropFirst()) })
    checkInvariants()
  }

  /// The list with the rows of all groups.
  var unfolded: RecordList {
    if folded.isEmpty { return self }
    var list = self
    list.overlay.remove(gone)
    list.folded = []
    return list
  }

  /// The row in the unfolded list: for the line of a folded group, the first or the last of its rows.
  ///
  /// - Complexity: O(g) in the folded groups.
  func unfoldedRow(of row: Int, isLast: Bool = false) -> Int {
    guard !folded.isEmpty else { return row }
    let all = unfolded
    guard row < queriedCount else { return all.queriedCount + row - queriedCount }
    let position = position(ofRow: row)
    let group = isLast ? folded.first { $0.lowerBound == position } : nil
    return all.row(nearest: group.map { $0.upperBound - 1 } ?? position)
  }

  /// The row that shows a row of the unfolded list, and whether it is the line of its folded group.
  ///
  /// - Complexity: O(g) in the folded groups.
  func shownRow(ofUnfolded row: Int) -> (row: Int, isFolded: Bool) {
    guard !folded.isEmpty else { return (row, false) }
    let all = unfolded
    guard row < all.queriedCount else { return (queriedCount + row - all.queriedCount, false) }
    let position = all.position(ofRow: row)
    let group = folded.first { $0.contains(position) }
    return (self.row(nearest: group?.lowerBound ?? position), group != nil)
  }

  /// The row at a position of the listing, or the next one before or after it.
  private func row(nearest position: Int) -> Int {
    max(0, min(position - overlay.removedCount(before: position), queriedCount - 1))
  }

  /// The row before the hidden ones among which a record is; nil if it is not hidden.
  ///
  /// - Throws: As `identifiers(in:)`.
  func row(hiding identifier: PersistentIdentifier) throws -> Int? {
    guard !folded.isEmpty, let position = try listing.position(of: identifier),
      let group = folded.first(where: { $0.contains(position) }), position > group.lowerBound
    else { return nil }
    return row(nearest: group.lowerBound)
  }

  // MARK: Counting

  /// Counts until a row is known to exist, or the count is exact.
  ///
  /// - Throws: The error of the store, `Interruption.Stopped`.
  func count(through row: Int) throws {
    let position = row.addingReportingOverflow(overlay.removed.count)
    try listing.count(through: position.overflow ? .max : position.partialValue)
  }

  /// True if the other list has the records of the same query, perhaps of another time.
  func isLike(_ other: RecordList) -> Bool {
    guard let spec, let former = other.spec else { return false }
    return spec.entityName == former.entityName && spec.filter == former.filter
      && spec.sort == former.sort
  }

  /// Counts the rows, then all records of the entity, until the time is over or all are counted.
  ///
  /// - Throws: The error of the store, `Interruption.Stopped`.
  func countOn(until end: ContinuousClock.Instant) throws {
    repeat {
      try Interruption.check()
      if !listing.count.isExact { try listing.countOn() } else { try all?.countOn() }
    } while !extent.isExact && .now < end
  }

  // MARK: Reading

  /// The identifiers of a range of rows.
  ///
  /// - Throws: The error of a store that cannot be read.
  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    try overlay.merged(range.clamped(to: 0..<count), base: listing.identifiers, added: { $0 })
  }

  /// The records of a range of rows with their values; those of missing records are nil.
  ///
  /// - Throws: As `identifiers(in:)`.
  func records(
    in range: Range<Int>,
    attributes: [String]? = nil,
    _ context: ModelContext
  ) throws -> [ListedRecord] {
    let range = range.clamped(to: 0..<count)
    let rest = overlay.addedIdentifiers(in: range)
    let snapshots =
      rest.isEmpty ? [:] : try context.snapshots(for: rest, attributes: attributes)
    return try overlay.merged(
      range,
      base: { try listing.records(in: $0, attributes: attributes) },
      added: { ListedRecord(identifier: $0, snapshot: snapshots[$0]) }
    )
  }

  /// The row of a record; nil if it is not listed.
  ///
  /// - Throws: As `identifiers(in:)`.
  func row(of identifier: PersistentIdentifier) throws -> Int? {
    if let number = addedNumbers[identifier] { return overlay.position(ofAdded: number) }
    return try listing.position(of: identifier).flatMap { overlay.position(ofBase: $0) }
  }

  /// Those of the records that are listed, in order.
  ///
  /// - Throws: As `identifiers(in:)`.
  /// - Complexity: O(k log k), or O(n) if there are many.
  func listed(_ records: Set<PersistentIdentifier>) throws -> [PersistentIdentifier] {
    if listing.count.isExact, records.count > count / 8 {
      return try identifiers(in: 0..<count).filter(records.contains)
    }
    return try records.compactMap { record in try row(of: record).map { (row: $0, record) } }
      .sorted { $0.row < $1.row }.map(\.1)
  }

  /// Those of the records that are not listed.
  ///
  /// - Throws: As `identifiers(in:)`.
  func unlisted(_ records: Set<PersistentIdentifier>) throws -> Set<PersistentIdentifier> {
    records.isEmpty ? [] : records.subtracting(try listed(records))
  }

  /// The nearest row with a match, from a row on in a direction.
  ///
  /// - Throws: As `identifiers(in:)`.
  func row(
    matching filter: Filter,
    from start: Int,
    isForward: Bool,
    _ context: ModelContext
  ) throws -> Int? {
    func inListing(from row: Int) throws -> Int? {
      var next: Int? = position(ofRow: row)
      while let from = next {
        guard
          let found = try listing.position(matching: filter, from: from, isForward: isForward)
        else { return nil }
        if let row = overlay.position(ofBase: found) { return row }
        next = found + (isForward ? 1 : -1)
      }
      return nil
    }
    func inAdded(from place: Int) throws -> Int? {
      let added = overlay.addedIdentifiers
      let snapshots = try context.snapshots(for: added)
      let places = isForward ? Array(max(0, place)..<added.count) : (0...place).reversed()
      return try places.first {
        guard let snapshot = snapshots[added[$0]] else { return false }
        return try BoundFilter(filter, layout: snapshot.layout).matches(snapshot)
      }.map { queriedCount + $0 }
    }
    if isForward {
      if start < queriedCount, let found = try inListing(from: start) { return found }
      return addedNumbers.isEmpty ? nil : try inAdded(from: start - queriedCount)
    }
    if start >= queriedCount, let found = try inAdded(from: start - queriedCount) { return found }
    return queriedCount == 0 ? nil : try inListing(from: min(start, queriedCount - 1))
  }

  /// The position in the listing of a row that is in it.
  private func position(ofRow row: Int) -> Int {
    if case .base(let position) = overlay.source(at: row) { position } else { row }
  }

  // MARK: Changing

  /// True if a saved deletion was undone: the next save puts the records back to their places.
  ///
  /// - Complexity: O(n) in the unsaved new records.
  var hasReturningRecords: Bool { unsavedInserts.contains { !$0.isTemporary } }

  /// The effect of a command on the list.
  struct Changes {
    /// The row of the first added record.
    var appearedAt: Int?
    /// Records that are now deleted, or no longer inserted.
    var deleted: Set<PersistentIdentifier> = []
    /// Records that are new or restored.
    var restored: Set<PersistentIdentifier> = []
    /// The restored records that the list does not have, not even in a folded group.
    var hidden: Set<PersistentIdentifier> = []
    /// True if rows were removed, so that later rows moved up.
    var hasLostRows = false
  }

  /// Runs a query and replaces the list; the records are given if the store cannot answer it.
  ///
  /// - Complexity: The cost of the query in the store.
  mutating func query(
    _ spec: QuerySpec,
    _ context: ModelContext,
    records: [PersistentIdentifier]? = nil
  ) throws {
    let listing: any Listing =
      if let records {
        IdentifierListing(records) { try context.snapshots(for: $0, attributes: $1) }
      } else {
        try context.listingWithDeleted(matching: spec.query)
      }
    let changes = context.pendingInsertsAndDeletes
    let deleted = try deleted(changes, spec, context)
    let whole = Query(spec.entityName)
    if changes.isEmpty || spec.filter == .all {
      let all = spec.filter == .all ? listing : try context.listing(matching: whole)
      // One page tells whether there are any.
      if listing.count == .exact(0), all.count == .atLeast(0) { try all.countOn() }
      self.all = all.count.isExact ? nil : all
      totals.queried = all.count.number
    } else {
      all = nil
      totals.queried = try context.fetchCount(matching: whole)
    }
    note(changes, entityName: spec.entityName)
    (self.spec, self.listing, overlay, addedNumbers) = (spec, listing, ListingOverlay(), [:])
    (gone, folded) = ([], [])
    let rest = try deleted.filter { try listing.position(of: $0) == nil }
    append(rest)
    totals.added = spec.filter == .all ? rest.count : unsavedDeletes.count
    isAsQueried = context.pendingCounts == (0, 0, 0)
    checkInvariants()
  }

  /// The deleted records that match, which the context itself omits.
  private func deleted(_ changes: ChangeSet, _ spec: QuerySpec, _ context: ModelContext) throws
    -> [PersistentIdentifier]
  {
    guard !changes.deleted.isEmpty else { return [] }
    let entity = try context.schema.entity(named: spec.entityName)
    let filter = try BoundFilter(withIdentifierIn: entity.layout, spec)
    return changes.deleted.filter {
      $0.persistentIdentifier.entityName == spec.entityName
        && filter.lists($0.arranged(as: entity.layout))
    }.map(\.persistentIdentifier)
  }

  /// Updates the list with the new and deleted records after a command.
  ///
  /// - Complexity: O(changes).
  /// - Throws: The error of a store that cannot be read; the list must then be queried.
  mutating func follow(
    _ changes: ChangeSet,
    in context: ModelContext,
    saved remapped: IdentifierMap?
  ) throws -> Changes {
    guard let spec else { return Changes() }
    defer { checkInvariants() }
    isAsQueried = isAsQueried && context.pendingCounts == (0, 0, 0) && remapped == nil
    let insertsBefore = unsavedInserts
    let deletesBefore = unsavedDeletes
    note(changes, entityName: spec.entityName)
    var gone = insertsBefore.subtracting(unsavedInserts)
    var followed = Changes()
    if let remapped {
      // The listing follows a save itself.
      if !remapped.isEmpty { replaceAdded { $0.isTemporary ? remapped[$0] ?? $0 : $0 } }
      gone = deletesBefore.subtracting(unsavedDeletes)
    } else {
      followed.deleted = unsavedDeletes.subtracting(deletesBefore).union(gone)
      followed.restored = deletesBefore.subtracting(unsavedDeletes)
      followed.hidden = try unfolded.unlisted(followed.restored)
    }
    if !gone.isEmpty {
      try remove(gone)
      totals.added -= gone.count
      followed.hasLostRows = true
    }
    let new = unsavedInserts.subtracting(insertsBefore)
    followed.restored.formUnion(new)
    followed.appearedAt = try append(new, in: changes)
    return followed
  }

  private mutating func append(
    _ new: Set<PersistentIdentifier>,
    in changes: ChangeSet
  ) throws -> Int? {
    guard !new.isEmpty else { return nil }
    // They come after the last record, so it must be known.
    try listing.countAll()
    let first = count
    var appeared: [PersistentIdentifier] = []
    for snapshot in changes.inserted where new.contains(snapshot.persistentIdentifier) {
      let identifier = snapshot.persistentIdentifier
      // A record that is restored under its own identifier may still be listed.
      let isListed = try !identifier.isTemporary && row(of: identifier) != nil
      if !isListed { appeared.append(identifier) }
    }
    append(appeared)
    totals.added += count - first
    return count > first ? first : nil
  }

  private mutating func append(_ identifiers: [PersistentIdentifier]) {
    for identifier in identifiers { addedNumbers[identifier] = addedNumbers.count }
    overlay.append(identifiers, after: listing.count.number)
  }

  private mutating func remove(_ gone: Set<PersistentIdentifier>) throws {
    var positions: [Int] = []
    for identifier in gone where addedNumbers[identifier] == nil {
      if let position = try listing.position(of: identifier) { positions.append(position) }
    }
    overlay.remove(Array(Set(overlay.removed).union(positions)).sorted())
    self.gone = Array(Set(self.gone).union(positions)).sorted()
    if gone.contains(where: { addedNumbers[$0] != nil }) {
      replaceAdded { gone.contains($0) ? nil : $0 }
    }
  }

  /// Replaces the identifiers of added records, or removes those without one.
  private mutating func replaceAdded(_ replaced: (PersistentIdentifier) -> PersistentIdentifier?) {
    let current = overlay.addedIdentifiers.compactMap(replaced)
    overlay.removeAdded()
    addedNumbers = [:]
    append(current)
  }

  private mutating func note(_ changes: ChangeSet, entityName: String) {
    unsavedInserts = Set(
      changes.inserted.lazy.map(\.persistentIdentifier).filter { $0.entityName == entityName }
    )
    unsavedDeletes = Set(
      changes.deleted.lazy.map(\.persistentIdentifier).filter { $0.entityName == entityName }
    )
  }
}

extension BoundFilter {
  /// The filter of a list, which may name records by their identifiers, for records of a layout.
  init(withIdentifierIn layout: SnapshotLayout, _ spec: QuerySpec) throws {
    let identifier = Schema.Entity(spec.entityName, attributes: []).identifierKey
    try self.init(spec.filter, layout: SnapshotLayout(layout.names + [identifier]))
  }

  /// True if a record of the layout matches.
  func lists(_ snapshot: DefaultSnapshot) -> Bool {
    matches(snapshot.orderedValues + [.text(snapshot.persistentIdentifier.description)])
  }
}
