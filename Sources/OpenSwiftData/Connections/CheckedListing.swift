/// A listing of a store whose records are checked when they are read.
final class CheckedListing: Listing {
  private let listing: any Listing
  private let storeName: String
  private let check: ([PersistentIdentifier: DefaultSnapshot], [String]?) throws -> Void

  /// Checks the records of a listing; `check` throws if one of them is wrong.
  init(
    _ listing: any Listing,
    of storeName: String,
    check: @escaping ([PersistentIdentifier: DefaultSnapshot], [String]?) throws -> Void
  ) {
    (self.listing, self.storeName) = (listing, storeName)
    self.check = check
  }

  var count: ListingCount { listing.count }

  /// Counts on; a store that makes no progress would let others wait without end.
  func countOn() throws {
    let former = count
    try listing.countOn()
    guard case .atLeast(let number) = former, count == former else { return }
    throw PersistenceError(
      .storeViolation,
      "store \(storeName): a listing stopped counting at \(number)"
    )
  }

  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    try listing.identifiers(in: range)
  }

  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    let records = try listing.records(in: range, attributes: attributes)
    var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
    for record in records { snapshots[record.identifier] = record.snapshot }
    try check(snapshots, attributes)
    return records
  }

  func position(of identifier: PersistentIdentifier) throws -> Int? {
    try listing.position(of: identifier)
  }

  func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    try listing.position(matching: filter, from: start, isForward: isForward)
  }
}
