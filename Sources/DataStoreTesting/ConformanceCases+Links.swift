import OpenSwiftData

extension StoreConformance {
  static let linkCases: [Case] = [
    Case("referencesBetweenNewRecordsAreReplaced") { trial in
      let store = try trial.makeStore()
      let old = try trial.insertPeople(1, into: store)[0]
      let film = Fixture.temporary(Fixture.film, 1)
      let people = (1...3).map { Fixture.temporary(Fixture.person, $0) }
      let result = try store.commit(
        ChangeSet(
          inserted: [
            Fixture.new(
              Fixture.film,
              1,
              Fixture.title("Up", ["director": .link(people[1]), "cast": .links(people + [old])])
            )
          ]
            + (1...3).map {
              Fixture.new(Fixture.person, $0, ["name": .text("\($0)"), "debut": .link(film)])
            }
        ),
        author: nil
      )
      let map = result.remappedIdentifiers
      let stored = try store.all()[0]
      trial.expectEqual(stored["director"], map[people[1]].map { .link($0) }, "the link")
      trial.expectEqual(
        stored["cast"],
        .links(people.compactMap { map[$0] } + [old]),
        "the links in order"
      )
      let debuts = try store.all(Fixture.person).suffix(3).map { $0["debut"] }
      trial.expectEqual(Set(debuts), [map[film].map { .link($0) }], "links to a later record")
    },
    Case("linksMayReferToRecordsOfSubclasses", needs: .untypedRecords) { trial in
      let schema = Schema(
        Schema.Entity("Trip", attributes: [.init("name", .text)]),
        Schema.Entity("BusinessTrip", attributes: [.init("name", .text), .init("firm", .text)]),
        Schema.Entity(
          "Stop",
          attributes: [.init("trip", .link("Trip")), .init("all", .links("Trip"))]
        )
      )
      let store = try trial.makeStore(schema)
      let (trip, other) = (Fixture.temporary("Trip", 1), Fixture.temporary("BusinessTrip", 2))
      let map = try store.commit(
        ChangeSet(inserted: [
          Fixture.new("Trip", 1, ["name": .text("Sea")], in: schema),
          Fixture.new("BusinessTrip", 2, ["name": .text("Fair")], in: schema),
          Fixture.new(
            "Stop",
            3,
            ["trip": .link(other), "all": .links([trip, other])],
            in: schema
          ),
        ]),
        author: nil
      ).remappedIdentifiers
      let links = [trip, other].map { map[$0] ?? $0 }
      var expected: [Value] = [.link(links[1]), .links(links)]
      trial.expectEqual(try store.all("Stop").map(\.orderedValues), [expected], "the links")
      let again = try trial.reopened(store)
      guard let before = try again.all("Stop").first else { return }
      trial.expectEqual(before.orderedValues, expected, "the links after opening again")
      expected = [.link(links[0]), .links(links.reversed())]
      let after = before.with(["trip": expected[0], "all": expected[1]])
      try again.commit(
        ChangeSet(updated: [RecordUpdate(before: before, after: after)]),
        author: nil
      ).check()
      let last = try trial.reopened(again)
      trial.expectEqual(try last.all("Stop").map(\.orderedValues), [expected], "changed links")
    },
    Case("updatesMayReferToNewRecords") { trial in
      let store = try trial.makeStore()
      let film = try Fixture.fill(store, films: [Fixture.title("Up")])[0]
      let person = Fixture.new(Fixture.person, 5, ["name": .text("Pete")])
      let before = try store.all()[0]
      let link = person.persistentIdentifier
      let after = before.with(["director": .link(link), "cast": .links([link, link])])
      let result = try store.commit(
        ChangeSet(inserted: [person], updated: [RecordUpdate(before: before, after: after)]),
        author: nil
      )
      let permanent = result.remappedIdentifiers[link] ?? link
      let stored = try store.one(film)
      trial.expectEqual(stored?["director"], .link(permanent), "the link")
      trial.expectEqual(stored?["cast"], .links([permanent, permanent]), "the links")
    },
    Case("linksToNewRecordsOutliveTheStore", needs: .lasting) { trial in
      let store = try trial.makeStore()
      let film = Fixture.new(
        Fixture.film,
        1,
        Fixture.title("Up", ["director": .link(Fixture.temporary(Fixture.person, 2))])
      )
      let person = Fixture.new(
        Fixture.person,
        2,
        ["name": .text("Pete"), "debut": .link(film.persistentIdentifier)]
      )
      let map = try store.commit(ChangeSet(inserted: [film, person]), author: nil)
        .remappedIdentifiers
      let again = try trial.reopened(store)
      let director = try again.all().first?["director"]
      let debut = try again.all(Fixture.person).first?["debut"]
      trial.expectEqual(director, map[person.persistentIdentifier].map { .link($0) }, "the link")
      trial.expectEqual(debut, map[film.persistentIdentifier].map { .link($0) }, "the link back")
    },
  ]
}
