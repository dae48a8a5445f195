/// A listing whose identifiers a store finds page by page, so that the first page is there before all are counted.
///
/// It is for stores that need long to find all matches, such as a database with a cursor or a service with pages:
///
/// ```swift
/// func listing(matching query: Query) throws -> any Listing {
///   let cursor = try connection.open(query)
///   return PagedListing(estimate: cursor.estimate) {
///     try cursor.nextIdentifiers(limit: 1000)
///   } read: { [self] in
///     try snapshots(for: $0, attributes: $1)
///   }
/// }
/// ```
///
/// The pages must be those of the moment when the listing was made. It holds 24 bytes for each record that it knows.
public final class PagedListing: Listing {
  private let estimate: Int?
  /// Finds the next page; nil after the last one.
  private var next: (() throws -> [PersistentIdentifier])?
  private let read:
    ([PersistentIdentifier], [String]?) throws -> [PersistentIdentifier: DefaultSnapshot]
  private var known: [PersistentIdentifier] = []
  /// The positions of the first known records, as far as they were needed.
  private var positions: [PersistentIdentifier: Int] = [:]

  /// Lists records that are found page by page.
  ///
  /// - Parameters:
  ///   - estimate: About how many there are; nil if that is not known.
  ///   - next: Finds the identifiers that follow, in order; none at the end. If it throws, it is called again for the
  ///     same page.
  ///   - read: Reads some of the records, as `QueryableStore.snapshots(for:attributes:)` does.
  public init(
    estimate: Int? = nil,
    next: @escaping () throws -> [PersistentIdentifier],
    read:
      @escaping ([PersistentIdentifier], [String]?) throws -> [PersistentIdentifier:
      DefaultSnapshot]
  ) {
    (self.estimate, self.next, self.read) = (estimate, next, read)
  }

  /// Exact once all pages were found.
  public var count: ListingCount {
    if next == nil { return .exact(known.count) }
    return estimate.map { .estimated(max($0, known.count)) } ?? .atLeast(known.count)
  }

  /// Finds the next page.
  public func countOn() throws {
    guard let next else { return }
    let page = try next()
    if page.isEmpty { self.next = nil } else { known += page }
  }

  /// Finds pages until the range is known.
  public func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    while known.count < range.upperBound, next != nil {
      try Interruption.check()
      try countOn()
    }
    return Array(known[range.clamped(to: known.indices)])
  }

  /// Reads the records of these positions.
  public func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    let page = try identifiers(in: range)
    let snapshots = try read(page, attributes)
    return page.map { ListedRecord(identifier: $0, snapshot: snapshots[$0]) }
  }

  /// The position of a record; finds pages until it is known.
  public func position(of identifier: PersistentIdentifier) throws -> Int? {
    while true {
      for place in positions.count..<known.count { positions[known[place]] = place }
      if let position = positions[identifier] { return position }
      if next == nil { return nil }
      try Interruption.check()
      try countOn()
    }
  }
}
