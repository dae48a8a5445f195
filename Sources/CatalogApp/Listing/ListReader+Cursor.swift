import OpenSwiftData

/// Where the cursor is in a list that was just queried.
extension ListReader {
  /// The number of rows that are known before a list is shown: those of a large screen.
  static var firstRows: Int { 256 }
  /// The number of records read together to find the first match.
  private static let pageCounts = (first: 16, largest: 1024)
  /// The number of records that are looked at to find it.
  private static let comparedRows = 65_536

  /// Keeps the list in which the cursor was when a prompt was opened, as long as a filter is typed there.
  func noteListBefore(_ origin: CursorOrigin?) {
    guard let origin else { return listBefore = nil }
    if asked == origin.spec {
      listBefore = (origin.spec, list)
    } else if listBefore?.asked != origin.spec {
      listBefore = nil
    }
  }

  /// The row up to which a new list is counted, because the screen showed it before.
  func knownRow(of asked: QuerySpec, _ origin: CursorOrigin?, _ former: RecordList) -> Int {
    if let origin { return asked == origin.spec ? origin.row : 0 }
    return list.isLike(former) ? facts.row : 0
  }

  /// The row of the record where the cursor was when a filter was begun; if the filter hides it, that of the nearest
  /// record after it, or else the first one.
  ///
  /// While matches are not counted, only the first ones are looked at: more would delay the list.
  func row(from origin: CursorOrigin, _ asked: QuerySpec) throws -> Int {
    let before = listBefore?.list
    let place = origin.row..<(origin.row + 1)
    guard let record = try origin.record ?? before?.identifiers(in: place).first else { return 0 }
    if asked == origin.spec, try list.identifiers(in: place) == [record] { return origin.row }
    guard list.extent.listed.isExact else { return try firstRow(of: record) ?? 0 }
    if let row = try list.row(of: record) ?? list.row(hiding: record) { return row }
    guard let before else { return 0 }
    return try firstRow(ofThose: before, after: origin.row) ?? 0
  }

  /// The row of a record; if a filter hides it, that of the nearest record after it, or else the first one.
  ///
  /// - Returns: Nil if it is not known.
  func row(keeping record: PersistentIdentifier, _ former: RecordList) throws -> Int? {
    guard list.extent.listed.isExact || list.isLike(former) else {
      return try firstRow(of: record)
    }
    if let row = try list.row(of: record) ?? list.row(hiding: record) { return row }
    // A list that can no longer be read tells nothing about the order.
    guard former.spec?.entityName == list.spec?.entityName, former.extent.listed.isExact,
      former.spec?.filter != list.spec?.filter, let row = try? former.row(of: record)
    else { return nil }
    guard former.spec?.sort == list.spec?.sort else { return 0 }
    return try firstRow(ofThose: former, after: row) ?? firstRow(after: record) ?? 0
  }

  /// The row of the first record that another list has after a row.
  ///
  /// - Complexity: O(n) in the rows up to it, of which only so many are looked at.
  private func firstRow(ofThose other: RecordList, after row: Int) throws -> Int? {
    var start = row + 1
    var size = Self.pageCounts.first
    let end = start + Self.comparedRows
    while start < end {
      try Interruption.check()
      // The other list may not be counted so far.
      guard (try? other.count(through: start + size)) != nil,
        let page = try? other.identifiers(in: start..<min(end, start + size)), !page.isEmpty
      else { return nil }
      if let first = try list.listed(Set(page)).first { return try list.row(of: first) }
      start += size
      size = min(size * 2, Self.pageCounts.largest)
    }
    return nil
  }

  /// The row of the first match after a record that does not match, in the order of all records.
  ///
  /// An inverted filter has none of the records that the list had before.
  private func firstRow(after record: PersistentIdentifier) throws -> Int? {
    guard let spec = list.spec, spec.filter != .all else { return nil }
    let all = try allRecords(spec)
    return try all.row(of: record).flatMap { try firstRow(ofThose: all, after: $0) }
  }

  /// The row of a record that the list has, if it is found before the list would be delayed.
  private func firstRow(of record: PersistentIdentifier) throws -> Int? {
    guard try isListed(record) else { return nil }
    let end = ContinuousClock.now + Self.lookingTime
    do {
      return try Interruption.allowed(by: { ContinuousClock.now >= end }) {
        try list.row(of: record)
      }
    } catch is Interruption.Stopped {
      try Interruption.check()
      return nil
    }
  }

  /// How long a record is looked for before the list is shown.
  private static let lookingTime = Duration.milliseconds(50)

  /// True if a record matches the filter of the list.
  private func isListed(_ record: PersistentIdentifier) throws -> Bool {
    guard let spec = list.spec,
      let snapshot = try session.context.snapshots(for: [record])[record]
    else { return false }
    return try BoundFilter(withIdentifierIn: snapshot.layout, spec).lists(snapshot)
  }
}
