/// The records that match a query, in order, to be read by their positions.
///
/// A screen, or any other reader of a part of many records, uses a listing instead of all records or
/// identifiers.
///
/// ```swift
/// let listing = try store.listing(matching: Query("Film", sort: [SortKey("year")]))
/// let page = try listing.records(in: 0..<40, attributes: ["title", "year"])
/// ```
///
/// **Contract:**
/// - The positions count from 0. Their records and their order are those of `identifiers(matching:)` for the same query
///   when the listing was made, and stay fixed while it lives, whoever saves. To see the order of now, make another.
/// - A record that is changed keeps its position, and is read with its current values, even if it no longer matches.
/// - A record that is deleted keeps its position and its identifier: it is read without values. If it is inserted again
///   under its identifier, as undo does, it has values again.
/// - A record that is inserted later is not listed.
/// - `count` may be found on the way: see ``countOn()``. It never shrinks while it is `atLeast`.
/// - A function that throws, also because it was canceled, leaves the listing as it was.
///
/// A listing belongs to the thread that uses it.
///
/// **Errors.** All functions throw the errors of the store, and `Interruption.Stopped` where work was canceled.
public protocol Listing: AnyObject {
  /// The number of positions.
  var count: ListingCount { get }

  /// Does a part of the counting that is left, about as much as reading a page costs; nothing if the count is exact.
  ///
  /// Each call lets an `atLeast` count grow or makes it exact, and repeated calls make any count exact. Reading beyond
  /// the positions that are known so far counts on as well.
  func countOn() throws

  /// The identifiers of a range of positions; positions after the last one are ignored.
  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier]

  /// The records of a range of positions with their current values; positions after the last one are ignored.
  ///
  /// The layout is that of the entity, or `attributes` if given, as with `Query.attributes`.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`.
  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord]

  /// The position of a record; nil if it is not listed.
  func position(of identifier: PersistentIdentifier) throws -> Int?

  /// The first position at or after `start` whose record matches a filter; backward, the last one at or
  /// before it.
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
  /// Does nothing: for listings whose count is exact from the beginning.
  public func countOn() {}

  /// Counts until the count is exact.
  ///
  /// - Throws: The error of the store, `Interruption.Stopped`.
  package func countAll() throws { try count(through: .max) }

  /// Counts until a position is known to exist, or the count is exact.
  ///
  /// - Throws: The error of the store, `Interruption.Stopped`.
  package func count(through position: Int) throws {
    while true {
      switch count {
      case .exact: return
      case .atLeast(let number) where number > position: return
      case .estimated where position < .max:
        if try !identifiers(in: position..<(position + 1)).isEmpty { return }
      case .atLeast, .estimated: break
      }
      try Interruption.check()
      try countOn()
    }
  }

  /// The number of records that a search reads at once.
  private var pageCount: Int { 1024 }

  /// Reads records until one matches.
  ///
  /// - Complexity: O(n) in the positions up to the match.
  public func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    var bound: (layout: SnapshotLayout, filter: BoundFilter)?
    var next = isForward ? max(0, start) : start
    var isAtEnd = false
    while isForward ? !isAtEnd : next >= 0 {
      try Interruption.check()
      let page =
        isForward ? next..<(next + pageCount) : max(0, next + 1 - pageCount)..<(next + 1)
      let records = try records(in: page, attributes: nil)
      isAtEnd = records.count < page.count
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

extension Int {
  /// The number with commas between groups of three digits, as in `1,000,000`.
  package var groupedDigits: String {
    let digits = String(magnitude)
    var text = self < 0 ? "-" : ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }
}

extension ListingCount {
  /// The number of a listing with some records more.
  package func adding(_ records: Int) -> ListingCount {
    switch self {
    case .exact(let number): .exact(number + records)
    case .atLeast(let number): .atLeast(max(0, number + records))
    case .estimated(let number): .estimated(max(0, number + records))
    }
  }

  /// The number with its kind: `12`, `4,096+` or `~1,000,000`.
  package var text: String {
    switch self {
    case .exact(let number): String(number)
    case .atLeast(let number): "\(number.groupedDigits)+"
    case .estimated(let number): "~\(number.groupedDigits)"
    }
  }
}

/// A listing that holds all identifiers, for stores without a better one.
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
