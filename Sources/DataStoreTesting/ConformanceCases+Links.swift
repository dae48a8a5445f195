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
