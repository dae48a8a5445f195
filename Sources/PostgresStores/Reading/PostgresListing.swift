import OpenSwiftData
import SQL

/// The records of a query by position, whose keys are in this program: no table and no transaction waits on the server.
///
/// In the order of the keys they are found a part at a time, each after the last key. In another order the first ones come
/// from a statement with a limit; then one statement copies all keys, of which those that are known keep their positions.
final class PostgresListing: Listing {
  private let store: PostgresStore
  private let query: Query
  private let isByKey: Bool
  private let table: TableDescription
  private var keys: KeyArray
  private var isComplete = false
  /// About how many records there are; nil if that is not known.
  private let estimate: Int?

  /// The number of keys that are found at a time.
  private static let partCount = 8192
  private static let firstPageCount = 256

  /// Lists the records of a query and finds the first ones.
  init(_ query: Query, _ store: PostgresStore) throws {
    (self.query, self.store) = (query, store)
    table = try store.reading { reader in
      let table = try reader.table(query.entityName)
      try query.validate(for: table.entity)
      return table
    }
    keys = KeyArray(table)
    estimate =
      query.filter == .all && query.isUnlimited ? store.estimate(of: query.entityName) : nil
    isByKey = query.sort.isEmpty && query.isUnlimited && !table.isCounted
    try countOn()
  }

  var count: ListingCount {
    if isComplete { return .exact(keys.count) }
    return estimate.map { .estimated(max($0, keys.count)) } ?? .atLeast(keys.count)
  }

  func countOn() throws {
    if isComplete { return }
    let known = keys.count
    var part = query
    if isByKey {
      part.limit = Self.partCount
    } else if known == 0 {
      part.limit = min(query.limit ?? .max, Self.firstPageCount)
    }
    let found = try find(part, known)
    keys.append(found)
    isComplete = part.limit.map { found.count < $0 } ?? true
    if !isByKey, known > 0 || query.limit.map({ keys.count >= $0 }) ?? false { isComplete = true }
  }

  /// The keys of a query after those that are known.
  private func find(_ part: Query, _ known: Int) throws -> KeyArray {
    var seen: Set<PersistentIdentifier> = []
    var last: [SQLValue]?
    if isByKey, known > 0 {
      last = keys.identifiers(in: known - 1..<known).first.flatMap(table.serverKey)
    } else {
      seen = Set(keys.identifiers(in: 0..<known))
    }
    return try store.reading { [seen, last] reader in
      var seen = seen
      guard try reader.table(query.entityName).keyColumns == self.table.keyColumns else {
        throw self.table.entity.changedError
      }
      var found = KeyArray(self.table)
      try reader.forEachKey(matching: part, after: last, copying: !isByKey && known > 0) { parts in
        // Few are left to be seen after the first keys.
        if !seen.isEmpty, let identifier = self.table.key.identifier(parts, in: self.table.scope),
          seen.remove(identifier) != nil
        {
          return
        }
        guard found.append(parts) else { throw self.table.entity.changedError }
      }
      return found
    }
  }

  func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    try find(range)
    return keys.identifiers(in: range.clamped(to: 0..<keys.count))
  }

  private func find(_ range: Range<Int>) throws {
    while keys.count < range.upperBound, !isComplete {
      try Interruption.check()
      try countOn()
    }
  }

  func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    let page = try identifiers(in: range)
    let snapshots = try store.snapshots(for: page, attributes: attributes)
    return page.map { ListedRecord(identifier: $0, snapshot: snapshots[$0]) }
  }

  func position(of identifier: PersistentIdentifier) throws -> Int? {
    while true {
      if let place = keys.position(of: identifier) { return place }
      if isComplete { return nil }
      try Interruption.check()
      try countOn()
    }
  }

  /// The number of records that a search asks for at once.
  private static let searchCount = 4096

  func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    try filter.validate(for: table.entity)
    var next = isForward ? max(0, start) : start
    while isForward || next >= 0 {
      try Interruption.check()
      let range =
        isForward
        ? next..<next + Self.searchCount : max(0, next + 1 - Self.searchCount)..<next + 1
      let page = try identifiers(in: range)
      if page.isEmpty, isForward { return nil }
      let matches = try store.reading {
        try $0.matching(filter, among: page, of: self.query.entityName)
      }
      let place =
        isForward
        ? page.firstIndex(where: matches.contains) : page.lastIndex(where: matches.contains)
      if let place { return range.lowerBound + place }
      next = isForward ? range.upperBound : range.lowerBound - 1
    }
    return nil
  }
}
