/// The records of a store that match a query, with the unsaved changes of a context.
///
/// The records and their order are fixed when it is created. Values are current: a changed record has its
/// unsaved values, a saved one its permanent identifier, and one deleted in the store has none.
final class ContextListing: Listing {
  private let base: any Listing
  /// The unsaved changes; nil if there were none that affect the result, so that the store may still be counting.
  private let overlay: ListingOverlay?
  private let fetching: Fetching
  private let remapping: Remapping
  private let entityName: String
  /// The added records with the identifiers that they had at first.
  private let added: [PersistentIdentifier]
  private lazy var numbers = Dictionary(
    added.enumerated().map { ($0.element, $0.offset) },
    uniquingKeysWith: { first, _ in first }
  )
  /// The same numbers by the identifiers that saves have assigned, and the version of the remapping they are of.
  private var savedNumbers: (version: Int, numbers: [PersistentIdentifier: Int])?

  init(
    _ base: any Listing,
    _ overlay: ListingOverlay?,
    of entityName: String,
    _ fetching: Fetching,
    _ remapping: Remapping
  ) {
    (self.base, self.overlay, self.entityName) = (base, overlay, entityName)
    (self.fetching, self.remapping) = (fetching, remapping)
    added = overlay?.addedIdentifiers ?? []
  }

  var count: ListingCount { base.count.adding(overlay?.growth ?? 0) }

  func countOn() throws { try base.countOn() }

  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    guard let overlay else { return try base.identifiers(in: range) }
    let range = range.clamped(to: 0..<count.number)
    return try overlay.merged(range, base: base.identifiers, added: current)
  }

  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    try fetching.merging.enter()
    let layout = attributes.map { SnapshotLayout($0) }
    guard let overlay else {
      return try base.records(in: range, attributes: attributes).map { fresh($0, layout) }
    }
    let range = range.clamped(to: 0..<count.number)
    let addedRecords = try fetching.snapshots(
      for: overlay.addedIdentifiers(in: range).map(current),
      attributes: attributes
    )
    return try overlay.merged(
      range,
      base: { try base.records(in: $0, attributes: attributes).map { fresh($0, layout) } },
      added: {
        let identifier = current($0)
        return ListedRecord(identifier: identifier, snapshot: addedRecords[identifier])
      }
    )
  }

  /// A record of the store with its unsaved values.
  private func fresh(_ record: ListedRecord, _ layout: SnapshotLayout?) -> ListedRecord {
    guard let changed = fetching.pending.snapshot(of: record.identifier) else { return record }
    return ListedRecord(identifier: record.identifier, snapshot: changed.projected(on: layout))
  }

  func position(of identifier: PersistentIdentifier) throws -> Int? {
    if let overlay, let number = number(ofAdded: identifier) {
      return overlay.position(ofAdded: number)
    }
    return try base.position(of: identifier).flatMap(position(ofBase:))
  }

  private func position(ofBase base: Int) -> Int? {
    guard let overlay else { return base }
    return overlay.position(ofBase: base)
  }

  private func number(ofAdded identifier: PersistentIdentifier) -> Int? {
    if added.isEmpty { return nil }
    if let number = numbers[identifier] { return number }
    // New records may get permanent identifiers with different saves.
    if savedNumbers?.version != remapping.version {
      let saved = added.enumerated().filter { $0.element != current($0.element) }
      savedNumbers = (
        remapping.version,
        Dictionary(
          saved.map { (current($0.element), $0.offset) },
          uniquingKeysWith: { first, _ in first }
        )
      )
    }
    return savedNumbers?.numbers[identifier]
  }

  private func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    identifier.isTemporary ? remapping[identifier] ?? identifier : identifier
  }

  // MARK: Searching

  func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    try fetching.merging.enter()
    let entity = try fetching.stores.schema.entity(named: entityName)
    let bound = try BoundFilter(filter, layout: entity.layout)
    let changed = try changedPositions(bound)
    let stored = try storedPosition(filter, from: start, isForward, changed)
    let unsaved = changed.values.compactMap { $0 }
      .filter { isForward ? $0 >= start : $0 <= start }
    let nearest = isForward ? unsaved.min() : unsaved.max()
    guard let stored, let nearest else { return stored ?? nearest }
    return isForward ? min(stored, nearest) : max(stored, nearest)
  }

  /// The listed records with unsaved changes, each with its position if it matches now.
  private func changedPositions(_ filter: BoundFilter) throws -> [PersistentIdentifier: Int?] {
    var found: [PersistentIdentifier: Int?] = [:]
    var states: [ModelState] = []
    fetching.pending.forEach { if $0.entity.name == entityName { states.append($0) } }
    var meter = WorkMeter()
    for state in states {
      try meter.count()
      let matches = filter.matches(state.orderedValues)
      found[state.identifier] = .some(matches ? try position(of: state.identifier) : nil)
    }
    // Added records that have been saved or discarded since are read from the store.
    let rest = added.map { current($0) }.filter { found[$0] == nil }
    let saved = try fetching.snapshots(for: rest)
    for identifier in rest {
      let matches = saved[identifier].map(filter.matches) ?? false
      found[identifier] = .some(matches ? try position(of: identifier) : nil)
    }
    return found
  }

  /// The nearest position of a record without unsaved changes that matches in the store.
  private func storedPosition(
    _ filter: Filter,
    from start: Int,
    _ isForward: Bool,
    _ changed: [PersistentIdentifier: Int?]
  ) throws -> Int? {
    var next: Int? = start
    if let overlay {
      let start = isForward ? max(0, start) : min(start, count.number - 1)
      next = overlay.base(near: start, isForward: isForward, count: count.number)
    }
    while let from = next {
      guard
        let place = try base.position(matching: filter, from: from, isForward: isForward)
      else { return nil }
      if let position = position(ofBase: place),
        let identifier = try base.identifiers(in: place..<(place + 1)).first,
        changed[identifier] == nil
      {
        return position
      }
      let following = place + (isForward ? 1 : -1)
      next = following >= 0 ? following : nil
    }
    return nil
  }
}
