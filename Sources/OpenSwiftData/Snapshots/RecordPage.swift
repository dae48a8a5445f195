/// Some consecutive records of a result, to be read field by field or record by record.
///
/// A page is a value: it stays as it is while its store changes.
package protocol RecordPage: Sendable {
  /// The number of records.
  var count: Int { get }
  /// The names of the values.
  var layout: SnapshotLayout { get }
  /// The identifier of a record.
  func identifier(at place: Int) -> PersistentIdentifier
  /// The records in a range.
  func snapshots(in range: Range<Int>) -> [DefaultSnapshot]
  /// The values of one field of all records.
  func values(slot: Int) -> [Value]
  /// Appends the text forms of one field of the records in a range.
  func append(_ range: Range<Int>, slot: Int, to column: inout TextColumn)
  /// Appends the identifiers of the records in a range.
  func appendIdentifiers(_ range: Range<Int>, to column: inout TextColumn)
}

extension RecordPage {
  /// All records.
  package var snapshots: [DefaultSnapshot] { snapshots(in: 0..<count) }

  package func values(slot: Int) -> [Value] { snapshots.map { $0.orderedValues[slot] } }

  package func appendIdentifiers(_ range: Range<Int>, to column: inout TextColumn) {
    for place in range { column.append(identifier(at: place)) }
  }
}

/// A page of snapshots.
package struct SnapshotPage: RecordPage {
  /// The maximum number of records in a page.
  package static let sizeLimit = 512

  private let records: [DefaultSnapshot]
  package let layout: SnapshotLayout

  /// Creates a page of records with the same layout.
  package init(_ records: [DefaultSnapshot], layout: SnapshotLayout) {
    self.records = records
    self.layout = layout
  }

  /// Creates a page of the records that were found, in the order of the identifiers.
  init(_ found: [PersistentIdentifier: DefaultSnapshot], in order: [PersistentIdentifier]) {
    let records = order.compactMap { found[$0] }
    self.init(records, layout: records.first?.layout ?? SnapshotLayout([]))
  }

  package var count: Int { records.count }

  package func identifier(at place: Int) -> PersistentIdentifier {
    records[place].persistentIdentifier
  }

  package func snapshots(in range: Range<Int>) -> [DefaultSnapshot] { Array(records[range]) }

  package func append(_ range: Range<Int>, slot: Int, to column: inout TextColumn) {
    for place in range { column.append(records[place].orderedValues[slot]) }
  }

  /// Calls the body with the records, page by page; records of another layout begin a new page.
  package static func forEach(
    _ snapshots: [DefaultSnapshot],
    _ body: (any RecordPage) throws -> Void
  ) rethrows {
    var start = 0
    while start < snapshots.count {
      let layout = snapshots[start].layout
      var end = start + 1
      while end < snapshots.count, end - start < sizeLimit, snapshots[end].layout === layout {
        end += 1
      }
      try body(SnapshotPage(Array(snapshots[start..<end]), layout: layout))
      start = end
    }
  }
}

/// A page of a store with the unsaved changes of a context: some of its records are replaced or missing, and
/// others are added.
package struct ChangedPage: RecordPage {
  private let stored: any RecordPage
  /// For each record its place in the stored page, or, with all bits inverted, among the changed ones.
  private var places: [Int] = []
  private var changed: [DefaultSnapshot] = []

  /// Creates an empty page over a stored one.
  package init(_ stored: any RecordPage) { self.stored = stored }

  package var count: Int { places.count }
  package var layout: SnapshotLayout { stored.layout }

  /// Appends a record of the stored page.
  package mutating func append(stored place: Int) { places.append(place) }

  /// Appends a changed record.
  package mutating func append(_ snapshot: DefaultSnapshot) {
    places.append(~changed.count)
    changed.append(snapshot.arranged(as: layout))
  }

  package func identifier(at place: Int) -> PersistentIdentifier {
    let place = places[place]
    return place >= 0 ? stored.identifier(at: place) : changed[~place].persistentIdentifier
  }

  package func snapshots(in range: Range<Int>) -> [DefaultSnapshot] {
    var snapshots: [DefaultSnapshot] = []
    snapshots.reserveCapacity(range.count)
    forEachRun(in: range) {
      snapshots += stored.snapshots(in: $0)
    } _: {
      snapshots.append($0)
    }
    return snapshots
  }

  package func append(_ range: Range<Int>, slot: Int, to column: inout TextColumn) {
    forEachRun(in: range) {
      stored.append($0, slot: slot, to: &column)
    } _: {
      column.append($0.orderedValues[slot])
    }
  }

  /// Calls one body with each run of stored records, and the other with each changed record.
  private func forEachRun(
    in range: Range<Int>,
    _ takeStored: (Range<Int>) -> Void,
    _ takeChanged: (DefaultSnapshot) -> Void
  ) {
    var start = range.lowerBound
    while start < range.upperBound {
      let first = places[start]
      var end = start + 1
      guard first >= 0 else {
        takeChanged(changed[~first])
        start = end
        continue
      }
      while end < range.upperBound, places[end] == first + end - start { end += 1 }
      takeStored(first..<first + end - start)
      start = end
    }
  }
}
