package import OpenSwiftData

/// The filter and the order of the table.
package struct QuerySpec: Hashable, Sendable {
  /// The entity of the records.
  package var entityName: String
  /// The condition for the records to list.
  package var filter = Filter.all
  /// The order of the records.
  package var sort: [SortKey] = []
  /// The filter as text if it names records, titles or paths that must be looked up; nil otherwise.
  package var text: String?
  /// The groups that are folded; nil for none.
  package var folds: GroupFolds?

  /// The filter and the order as a query.
  package var query: Query { Query(entityName, filter: filter, sort: sort) }
}

/// Where the cursor was before a list was filtered.
package struct CursorOrigin: Hashable, Sendable {
  /// The list.
  let spec: QuerySpec
  /// The record; nil if it was not loaded.
  let record: PersistentIdentifier?
  let row: Int
  /// The first row on the screen.
  let top: Int
}

/// The number of listed records, and of all records of the entity.
package struct ListExtent: Hashable, Sendable {
  /// The number of records in the list, exact or as far as they are counted.
  package let listed: ListingCount
  /// The number of records of the entity.
  package let all: ListingCount
  /// The number of records that are not in the list because their groups are folded.
  package var foldedCount = 0

  /// The number of records that match, in the list or folded.
  package var matching: ListingCount { listed.adding(foldedCount) }

  /// Creates an extent; a list is never larger than its entity.
  package init(listed: ListingCount, all: ListingCount) {
    self.listed = listed
    self.all = all.isExact || all.number >= listed.number ? all : .atLeast(listed.number)
  }

  /// Creates an extent with exact numbers.
  package init(count: Int, total: Int) {
    self.init(listed: .exact(count), all: .exact(total))
  }

  /// The number of records in the list that are known to be there, or about their number.
  package var count: Int { listed.number }
  /// The number of records of the entity, exact or not.
  package var total: Int { all.number }
  /// True if both numbers are exact.
  package var isExact: Bool { listed.isExact && all.isExact }
}
