package import OpenSwiftData

/// A listing of a `TableStore`: the numbers of the rows that matched, whose values are read when they are needed.
///
/// If the store has compacted its table or read its file again, the rows are found by their former numbers or
/// their keys.
package final class TableListing<Store: TableStore>: Listing {
  private let store: Store
  private let query: Query
  private var rows: RowListing
  /// The rows that the last search found; valid while the table has the same lookup cache.
  private var lastMatches: (filter: Filter, rows: Bitmap, state: LookupCache?)?

  init(_ store: Store, _ query: Query, _ rows: RowListing) {
    (self.store, self.query, self.rows) = (store, query, rows)
  }

  /// The number of matching rows.
  package var count: ListingCount { .exact(rows.count) }

  /// Reads the keys of the rows.
  package func identifiers(in range: Range<Int>) throws -> [PersistentIdentifier] {
    try withTable { table, rows in rows.page(range, in: table).map(\.identifier) }
  }

  /// Reads the rows column by column.
  package func records(in range: Range<Int>, attributes: [String]?) throws -> [ListedRecord] {
    try withTable { table, rows in
      let page = rows.page(range, in: table)
      let projection = try table.projection(attributes)
      let present = page.filter { $0.row >= 0 }.map(\.row)
      var snapshots = try table.snapshots(
        at: present,
        as: projection,
        pausing: { _ in try Interruption.check() }
      )[
        ...
      ]
      return page.map { identifier, row in
        ListedRecord(identifier: identifier, snapshot: row >= 0 ? snapshots.popFirst() : nil)
      }
    }
  }

  /// Finds the row by its key.
  package func position(of identifier: PersistentIdentifier) throws -> Int? {
    try withTable { table, rows in rows.position(of: identifier, in: table) }
  }

  /// Selects the matching rows with the columns; repeated searches share the selection.
  package func position(matching filter: Filter, from start: Int, isForward: Bool) throws -> Int? {
    let known = lastMatches
    let (position, matches) = try withTable { table, rows in
      var matches = known.flatMap { known in
        known.filter == filter && known.state != nil && known.state === table.lookups
          ? known : nil
      }
      if matches == nil { matches = (filter, try table.select(filter), table.lookups) }
      let found = matches?.rows
      return (
        found.flatMap { rows.position(in: $0, of: table, from: start, isForward: isForward) },
        matches
      )
    }
    lastMatches = matches
    return position
  }

  /// Runs the body with the table of the entity, whose rows the listing refers to.
  private func withTable<Result: Sendable>(
    _ body: (EntityTable, inout RowListing) throws -> Result
  ) throws -> Result {
    var current = rows
    // Released here so that the body does not copy it.
    defer { rows = current }
    let query = query
    let (result, followed) = try store.reading { session in
      let table = try session.table.entityTable(named: query.entityName)
      var rows = current
      // If the entity was dropped and created again, none of the former records can be found.
      if !rows.follow(table) { rows = try RowListing(query, in: table) }
      return (try body(table, &rows), rows)
    }
    current = followed
    return result
  }
}

extension TableStore {
  /// Lists the matching rows without reading them.
  package func listing(matching query: Query) throws -> any Listing {
    guard query.limit == nil, query.offset == 0 else {
      return IdentifierListing(try identifiers(matching: query)) { [self] in
        try snapshots(for: $0, attributes: $1)
      }
    }
    let rows = try reading {
      try RowListing(query, in: $0.table.entityTable(named: query.entityName))
    }
    return TableListing(self, query, rows)
  }

  /// Counts the values in their column.
  package func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    try reading {
      let table = try $0.table.entityTable(named: query.entityName)
      let selected = query.filter == .all ? table.live : try table.select(query.filter)
      return try table.valueCounts(slot: table.slot(of: attribute), in: selected)
    }
  }

  /// Groups equal values in their column first; numbers are added one by one, in order.
  package func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    try reading {
      let table = try $0.table.entityTable(named: query.entityName)
      let selected = query.filter == .all ? table.live : try table.select(query.filter)
      return try table.summary(slot: table.slot(of: attribute), in: selected)
    }
  }
}
