/// The records that match a query, in order, to be read by their positions.
///
/// A listing is how a screen, or anything else that shows a part of many records, reads them: nobody holds all
/// records or all identifiers. Its order is fixed while it lives: a record that is changed keeps its position, one that
/// is deleted keeps it without values, and a new one is not listed. To see the order of now, make another listing:
///
/// ```swift
/// let listing = try store.listing(matching: Query("Film", sort: [SortKey("year")]))
/// let page = try listing.records(in: 0..<40, attributes: ["title", "year"])
/// ```
///
/// A listing belongs to the thread that uses it.
///
/// **Errors.** All functions throw the errors of the store, and `Interruption.Stopped` where work was canceled.
public protocol Listing: AnyObject {
  /// The number of positions.
  var count: ListingCount { get }

  /// The identifiers of a range of positions; positions after the last one are left out.
  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier]

  /// The records of a range of positions with their current values; positions after the last one are left out.
  ///
  /// The layout is that of the entity, or `attributes` if given, as with `Query.attributes`.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`.
  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord]

  /// The position of a record; nil if it is not listed.
  func position(of identifier: PersistentIdentifier) throws -> Int?

  /// The first position from `start` on whose record matches a filter now; backward the last one up to `start`.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute` or `.invalidFilter`.
  func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int?
}

/// The number of records of a listing.
public enum ListingCount: Hashable, Sendable {
  /// Exactly this number.
  case exact(Int)
  /// This number or more: the others were not counted yet.
  case atLeast(Int)
  /// About this number.
  case estimated(Int)

  /// The number, exact or not.
  public var number: Int {
    switch self {
    case .exact(let number), .atLeast(let number), .estimated(let number): number
    }
  }

  /// True if the number is exact.
  public var isExact: Bool {
    if case .exact = self { return true }
    return false
  }
}

/// One position of a listing.
public struct ListedRecord: Hashable, Sendable {
  /// The identifier of the record.
  public let identifier: PersistentIdentifier
  /// The record with its current values; nil if it was deleted since the listing was made.
  public let snapshot: DefaultSnapshot?

  /// Describes a position.
  public init(identifier: PersistentIdentifier, snapshot: DefaultSnapshot?) {
    self.identifier = identifier
    self.snapshot = snapshot
  }
}

extension Listing {
  /// The number of records that a search reads at once.
  private var pageCount: Int { 1024 }

  /// Reads records until one matches.
  ///
  /// - Complexity: O(n) in the positions up to the match.
  public func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    var bound: (layout: SnapshotLayout, filter: BoundFilter)?
    var next = start
    while isForward ? next < count.number : next >= 0 {
      try Interruption.check()
      let page =
        isForward
        ? next..<min(count.number, next + pageCount) : max(0, next + 1 - pageCount)..<(next + 1)
      let records = try records(in: page, attributes: nil)
      let places = isForward ? Array(records.indices) : records.indices.reversed()
      for place in places {
        guard let snapshot = records[place].snapshot else { continue }
        if bound?.layout !== snapshot.layout {
          bound = (snapshot.layout, try BoundFilter(filter, layout: snapshot.layout))
        }
        if bound?.filter.matches(snapshot) == true { return page.lowerBound + place }
      }
      next = isForward ? page.upperBound : page.lowerBound - 1
    }
    return nil
  }
}

/// A listing of identifiers that are all known, for stores that cannot do better.
///
/// It holds 24 bytes for each record.
public final class IdentifierListing: Listing {
  private let all: [PersistentIdentifier]
  private let read:
    ([PersistentIdentifier], [String]?) throws -> [PersistentIdentifier: DefaultSnapshot]
  private lazy var positions = Dictionary(
    all.enumerated().map { ($0.element, $0.offset) },
    uniquingKeysWith: { first, _ in first }
  )

  /// Lists records; `read` fetches some of them, as `QueryableStore.snapshots(for:attributes:)` does.
  public init(
    _ identifiers: [PersistentIdentifier],
    read:
      @escaping ([PersistentIdentifier], [String]?) throws -> [PersistentIdentifier:
      DefaultSnapshot]
  ) {
    all = identifiers
    self.read = read
  }

  /// The number of identifiers.
  public var count: ListingCount { .exact(all.count) }

  /// The identifiers of these positions.
  public func identifiers(in range: Range<Int>) -> [PersistentIdentifier] {
    Array(all[range.clamped(to: all.indices)])
  }

  /// Reads the records of these positions.
  public func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    let page = identifiers(in: range)
    let snapshots = try read(page, attributes)
    return page.map { ListedRecord(identifier: $0, snapshot: snapshots[$0]) }
  }

  /// The position of a record.
  ///
  /// - Complexity: O(n) for the first call, then O(1).
  public func position(of identifier: PersistentIdentifier) -> Int? { positions[identifier] }
}

extension Sequence<DefaultSnapshot> {
  /// How often each value of the first attribute occurs.
  var firstValueCounts: [Value: Int] {
    reduce(into: [:]) { $0[$1.orderedValues[0], default: 0] += 1 }
  }
}
