import OpenSwiftData

extension StoreConformance {
  static let fetchCases: [Case] = [
    Case("anEmptyStoreAnswersEverythingWithNothing") { trial in
      let store = try trial.makeStore()
      trial.expectEqual(store.schema, Fixture.schema, "the schema of a new store")
      trial.expectEqual(try store.all(), [], "the films of a new store")
      trial.expectEqual(try store.count(matching: Query(Fixture.film)), 0, "their number")
      trial.expectEqual(try store.identifiers(matching: Query(Fixture.film)), [], "identifiers")
    },
    Case("recordsComeInTheOrderOfTheirCreation", needs: .order) { trial in
      let store = try trial.makeStore()
      let first = try Fixture.fill(store, films: ["C", "A", "B"].map { Fixture.title($0) })
      let later = try Fixture.fill(store, films: [Fixture.title("AA")])
      trial.expectEqual(
        try store.identifiers(matching: Query(Fixture.film)),
        first + later,
        "order"
      )
      try store.update(first[0], ["title": .text("Z")])
      trial.expectEqual(
        try store.identifiers(matching: Query(Fixture.film)),
        first + later,
        "order after an update"
      )
    },
    Case("sortingFollowsEveryKeyAndKeepsTheOrderOfEquals") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: Fixture.mixedFilms())
      for name in Fixture.pool.keys.sorted() + ["serial", "code"] {
        for key in SortKey.allForms(of: name) {
          try trial.compare(store, Query(Fixture.film, sort: [key]))
          try trial.compare(store, Query(Fixture.film, sort: [key, SortKey("year")]))
          try trial.compare(store, Query(Fixture.film, sort: [SortKey("seen"), key], limit: 20))
        }
      }
    },
    Case("limitAndOffsetCutTheSortedRecords") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: Fixture.mixedFilms())
      let filter = Filter.compare("year", .greater, .integer(0))
      for (limit, offset) in [
        (0, 0), (1, 0), (7, 0), (7, 3), (1000, 0), (nil, 5), (3, 59), (3, 60), (3, 1000), (0, 9),
        (Int.max, 2), (nil, Int.max),
      ] {
        for sort in [[], [SortKey("title"), SortKey("serial", isDescending: true)]] {
          for filter in [Filter.all, filter] {
            let query = Query(
              Fixture.film,
              filter: filter,
              sort: sort,
              limit: limit,
              offset: offset
            )
            try trial.compare(store, query)
          }
        }
      }
    },
    Case("onlyTheWantedAttributesComeInTheWantedOrder") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: Fixture.mixedFilms())
      for names in [["title"], ["year", "title"], ["cast", "serial", "code"], []] {
        let query = Query(Fixture.film, sort: [SortKey("rating")], limit: 9, attributes: names)
        try trial.compare(store, query)
        let layout = try store.snapshots(matching: query).first?.layout.names
        trial.expectEqual(layout, names, "the names of the values")
      }
    },
    Case("snapshotsForIdentifiersAreThoseThatAreThere") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: Fixture.mixedFilms())
      let all = try store.all()
      try store.commit(ChangeSet(deleted: [all[4]]), author: nil).check()
      let wanted = [films[9], films[4], films[9], films[0]]
      let unknown = Fixture.temporary(Fixture.film, 77)
      let found = try store.snapshots(for: wanted + [unknown])
      trial.expectEqual(found, [films[9]: all[9], films[0]: all[0]], "the snapshots")
      trial.expectEqual(try store.snapshots(for: []), [:], "the snapshots of no identifiers")
    },
    Case("snapshotsForIdentifiersHaveTheWantedAttributes") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: Fixture.mixedFilms())
      let gone = films[3]
      let all = try store.all()
      try store.commit(ChangeSet(deleted: [all[3]]), author: nil).check()
      let whole = try store.snapshots(for: films)
      for names in [["title"], ["year", "title"], ["cast", "serial", "code"], []] {
        let layout = SnapshotLayout(names)
        let found = try store.snapshots(for: films, attributes: names)
        trial.expectEqual(
          found,
          whole.mapValues { $0.arranged(as: layout) },
          "the values of \(names)"
        )
        trial.expect(
          found.values.allSatisfy { $0.layout.names == names },
          "other names than \(names)"
        )
      }
      for identifier in [films[0], gone] {
        let what = "reading a field that \(identifier) does not have"
        try trial.expectRefusal(.unknownAttribute, of: what, by: store) {
          _ = try store.snapshots(for: [identifier], attributes: ["title", "nothing"])
        }
      }
    },
    Case("prefixesFindIdentifiersOfOneEntityOrAll") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: Fixture.mixedFilms())
      for film in films.prefix(8) {
        let text = film.description
        let whole = try store.identifiers(withPrefix: text, entityName: nil, limit: 10)
        trial.expect(whole.contains(film), "the whole text \(text) does not find its record")
        let prefix = String(text.prefix(2))
        let expected = Set(films.filter { $0.description.hasPrefix(prefix) })
        let found = try store.identifiers(
          withPrefix: prefix,
          entityName: Fixture.film,
          limit: 1000
        )
        trial.expectEqual(Set(found), expected, "the records that begin with \(prefix)")
        let other = try store.identifiers(withPrefix: text, entityName: Fixture.person, limit: 9)
        trial.expectEqual(other, [], "the people with the identifier of a film")
      }
      let some = try store.identifiers(withPrefix: "", entityName: nil, limit: 3)
      trial.expectEqual(some.count, 3, "the number of records up to the limit")
      let none = try store.identifiers(withPrefix: "no such", entityName: nil, limit: 3)
      trial.expectEqual(none, [], "records whose identifier begins with \"no such\"")
    },
    Case("unknownNamesAreRefused") { trial in
      let store = try trial.makeStore()
      _ = try Fixture.fill(store, films: [Fixture.title("Up")])
      let queries: [(PersistenceError.Code, Query)] = [
        (.unknownEntity, Query("Nothing")),
        (.unknownAttribute, Query(Fixture.film, filter: .isNull("nothing"))),
        (.unknownAttribute, Query(Fixture.film, sort: [SortKey("nothing")])),
        (.unknownAttribute, Query(Fixture.film, attributes: ["nothing"])),
      ]
      for (code, query) in queries {
        try trial.expectRefusal(code, of: "fetching \(query)", by: store) {
          _ = try store.snapshots(matching: query)
        }
        try trial.expectRefusal(code, of: "naming \(query)", by: store) {
          _ = try store.identifiers(matching: query)
        }
        try trial.expectRefusal(code, of: "counting \(query)", by: store) {
          _ = try store.count(matching: query)
        }
      }
    },
  ]
}

extension SortKey {
  static func allForms(of name: String) -> [SortKey] {
    [false, true].flatMap { isDescending in
      [false, true].map { SortKey(name, isDescending: isDescending, nullsFirst: $0) }
    }
  }
}

extension CommitResult {
  /// Does nothing: the commit must succeed, and its result is not needed.
  func check() {}
}

extension ConformanceTrial {
  /// Compares the three answers to a query with the query run over all records of the entity.
  ///
  /// A suite may skip some queries of cases that have many.
  func compare(_ store: any QueryableStore, _ query: Query) throws {
    guard takesNextQuery() else { return }
    let entity = try store.schema.entity(named: query.entityName)
    let expected = try query.run(over: store.all(query.entityName), of: entity)
    let found = try store.snapshots(matching: query)
    let what = query.sketch
    if found != expected {
      note(
        "\(what): expected \(expected.map(\.persistentIdentifier)), "
          + "found \(found.map(\.persistentIdentifier)) or other values"
      )
    }
    let identifiers = try store.identifiers(matching: query)
    expectEqual(identifiers, expected.map(\.persistentIdentifier), "identifiers of \(what)")
    expectEqual(try store.count(matching: query), expected.count, "count of \(what)")
    var read: [DefaultSnapshot] = []
    try store.forEachSnapshot(matching: query) { read.append($0) }
    if read != found { note("\(what): forEachSnapshot reads other records than snapshots") }
  }
}

extension Query {
  /// A short form of the query, for a finding.
  var sketch: String {
    let keys = sort.map {
      "\($0.isDescending ? "-" : "")\($0.attribute)\($0.nullsFirst ? "^" : "")"
    }
    return "\(entityName) where \(filter) sort \(keys) limit \(limit ?? -1) offset \(offset) "
      + "fields \(attributes ?? ["all"])"
  }
}
