import DataStoreTesting
import OpenSwiftData

/// A listing with one flaw, or a correct one if the flaw is another.
final class FlawedListing: Listing {
  private let store: ReferenceStore
  private let query: Query
  private let flaw: Flaw
  private let made: [PersistentIdentifier]
  private let values: [PersistentIdentifier: DefaultSnapshot]

  init(_ store: ReferenceStore, _ query: Query, _ flaw: Flaw) throws {
    (self.store, self.query, self.flaw) = (store, query, flaw)
    made = try store.identifiers(matching: query)
    values = try store.snapshots(for: made)
  }

  private func all() throws -> [PersistentIdentifier] {
    switch flaw {
    case .listsAnew: return try store.identifiers(matching: query)
    case .dropsDeletedPositions:
      let present = try store.snapshots(for: made)
      return made.filter { present[$0] != nil }
    default: return made
    }
  }

  var count: ListingCount {
    switch flaw {
    case .neverCountsOn: .atLeast(made.count)
    case .countsOneTooMany: .exact(made.count + 1)
    default: .exact(made.count)
    }
  }

  func countOn() throws {
    if flaw == .neverCountsOn { throw PersistenceError(.storeViolation, "never") }
  }

  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    let all = try all()
    return Array(all[range.clamped(to: all.indices)])
  }

  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    let page = try identifiers(in: range)
    let current = try store.snapshots(for: page, attributes: attributes)
    let isFormer = flaw == .listsFormerValues && attributes == nil
    return page.map {
      ListedRecord(identifier: $0, snapshot: isFormer ? values[$0] : current[$0])
    }
  }

  func position(of identifier: PersistentIdentifier) throws -> Int? {
    try all().firstIndex(of: identifier)
  }

  func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    let records = try records(in: 0..<made.count, attributes: nil)
    let places = records.indices.filter {
      isForward || flaw == .searchesOnlyForward ? $0 >= start : $0 <= start
    }
    let matches = try places.filter { place in
      guard let snapshot = records[place].snapshot else { return false }
      return try BoundFilter(filter, layout: snapshot.layout).matches(snapshot)
    }
    return isForward ? matches.first : matches.last
  }
}
