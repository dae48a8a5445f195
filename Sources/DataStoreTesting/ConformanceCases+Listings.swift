import Foundation
import OpenSwiftData

extension StoreConformance {
  static let listingCases: [Case] = [
    Case("aListingAgreesWithFetching") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: Fixture.mixedFilms())
      for query in listedQueries where trial.takesNextQuery() {
        let listing = try store.listing(matching: query)
        let expected = try store.identifiers(matching: query)
        try trial.compare(listing, of: store, expected, query)
        for film in films where !expected.contains(film) {
          let position = try listing.position(of: film)
          trial.expectEqual(position, nil, "the position of an unlisted record, \(query.sketch)")
        }
      }
    },
    Case("theRecordsOfAListingHaveTheWantedAttributes") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: Fixture.mixedFilms())
      let listing = try store.listing(matching: Query(Fixture.film, sort: [SortKey("serial")]))
      for names in [["title"], ["year", "title"], ["cast", "serial", "code"], []] {
        let layout = SnapshotLayout(names)
        let whole = try listing.records(in: 3..<30, attributes: nil)
        let found = try listing.records(in: 3..<30, attributes: names)
        trial.expectEqual(
          found.map(\.snapshot),
          whole.map { $0.snapshot?.arranged(as: layout) },
          "the values of \(names)"
        )
      }
    },
    Case("aListingStaysAsItWasMade") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: Fixture.mixedFilms())
      let all = try store.all()
      let queries = [
        Query(Fixture.film), Query(Fixture.film, sort: [SortKey("year"), SortKey("serial")]),
        Query(Fixture.film, filter: .compare("serial", .less, .integer(40))),
      ]
      let listings = try queries.map { try store.listing(matching: $0) }
      let expected = try queries.map { try store.identifiers(matching: $0) }
      for listing in listings { try listing.countAll() }
      // A changed record neither matches nor sorts as before, one is gone, and one is new.
      try store.update(films[5], ["year": .integer(-9000), "serial": .integer(900)])
      try store.commit(ChangeSet(deleted: [all[7]]), author: nil).check()
      _ = try Fixture.fill(store, films: [Fixture.title("New")])
      for place in listings.indices {
        try trial.compare(listings[place], of: store, expected[place], queries[place])
        guard let position = expected[place].firstIndex(of: films[7]) else { continue }
        let gone = try listings[place].records(in: position..<(position + 1), attributes: nil)
        trial.expectEqual(
          gone,
          [ListedRecord(identifier: films[7], snapshot: nil)],
          "the deleted record, \(queries[place].sketch)"
        )
      }
      try store.commit(ChangeSet(inserted: [all[7]]), author: nil).check()
      for place in listings.indices {
        try trial.compare(listings[place], of: store, expected[place], queries[place])
      }
    },
    Case("aListingFindsTheNearestMatch") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: Fixture.mixedFilms())
      let filter = Filter.compare("serial", .less, .integer(30))
      let query = Query(Fixture.film, sort: [SortKey("title"), SortKey("serial")])
      let listing = try store.listing(matching: query)
      let listed = try store.identifiers(matching: query)
      for round in 0..<2 {
        let current = try store.snapshots(for: listed)
        let matches = listed.indices.filter { place in
          guard case .integer(let serial) = current[listed[place]]?["serial"] else {
            return false
          }
          return serial < 30
        }
        for start in [0, 1, 17, 40, 58, 59] {
          for isForward in [true, false] {
            let nearest =
              isForward ? matches.first { $0 >= start } : matches.last { $0 <= start }
            let found = try listing.position(matching: filter, from: start, isForward: isForward)
            trial.expectEqual(
              found,
              nearest,
              "the match \(isForward ? "from" : "up to") \(start), round \(round)"
            )
          }
        }
        try store.update(films[3], ["serial": .integer(300)])
        try store.update(films[40], ["serial": .integer(3)])
      }
    },
    Case("valueCountsAgreeWithFetching") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: Fixture.mixedFilms())
      for name in Fixture.pool.keys.sorted() + ["serial", "code"] {
        for filter in [Filter.all, .compare("serial", .greater, .integer(20)), .constant(false)] {
          let query = Query(Fixture.film, filter: filter)
          let values = try store.snapshots(matching: query).compactMap { $0[name] }
          let expected = Dictionary(grouping: values) { $0 }.mapValues(\.count)
          let found = try store.valueCounts(of: name, matching: query)
          trial.expectEqual(found, expected, "the counts of \(name), \(query.sketch)")
          var summary = ValueSummary()
          for value in values { summary.add(value) }
          let summed = try store.summary(of: name, matching: query)
          trial.expectEqual(summed.figures, summary.figures, "the summary of \(name)")
        }
      }
    },
    Case("matchingRecordsAreDeletedInOneCommit") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: Fixture.mixedFilms())
      let query = Query(Fixture.film, filter: .compare("serial", .less, .integer(25)))
      let rest = try store.all().filter { $0["serial"]?.compare(.integer(25)) != .orderedAscending }
      let deleted = try store.delete(matching: [query], author: "Ada")
      trial.expectEqual(deleted, 25, "the number of deleted records")
      trial.expectEqual(try store.all(), rest, "the records that are left")
      trial.expectEqual(try store.delete(matching: [query], author: nil), 0, "deleting nothing")
    },
  ]

  /// Filters, orders and windows of listings.
  private static let listedQueries: [Query] = {
    let filters: [Filter] = [
      .all, .compare("serial", .greater, .integer(20)), .isNull("title"), .constant(false),
      .not(.isNull("year")), .or([.isNull("seen"), .compare("serial", .less, .integer(9))]),
    ]
    let orders: [[SortKey]] = [
      [], [SortKey("title")], [SortKey("year", isDescending: true), SortKey("title")],
      [SortKey("seen", nullsFirst: true), SortKey("rating"), SortKey("year")],
    ]
    return filters.flatMap { filter in
      orders.flatMap { sort in
        [(nil, 0), (7, 0), (nil, 5), (9, 3)].map { limit, offset in
          Query(Fixture.film, filter: filter, sort: sort, limit: limit, offset: offset)
        }
      }
    }
  }()
}

extension ConformanceTrial {
  /// Compares a listing with the identifiers that it must have, by position, and with their current values.
  fileprivate func compare(
    _ listing: any Listing,
    of store: any QueryableStore,
    _ expected: [PersistentIdentifier],
    _ query: Query
  ) throws {
    let what = "of a listing, \(query.sketch)"
    // The first screenful is there before all are counted.
    expectEqual(try listing.identifiers(in: 0..<3), Array(expected.prefix(3)), "the start \(what)")
    try listing.countAll()
    expectEqual(listing.count, .exact(expected.count), "the count \(what)")
    let count = expected.count
    let current = try store.snapshots(for: expected)
    for range in [0..<count, 2..<5, count..<(count + 9), max(0, count - 2)..<(count + 2)] {
      let page = Array(expected[range.clamped(to: expected.indices)])
      expectEqual(try listing.identifiers(in: range), page, "the identifiers \(range) \(what)")
      let found = try listing.records(in: range, attributes: nil)
      expectEqual(found.map(\.identifier), page, "the records \(range) \(what)")
      expectEqual(found.map(\.snapshot), page.map { current[$0] }, "the values \(range) \(what)")
    }
    for (place, identifier) in expected.enumerated() {
      let position = try listing.position(of: identifier)
      expectEqual(position, place, "the position of \(identifier) \(what)")
    }
  }
}
