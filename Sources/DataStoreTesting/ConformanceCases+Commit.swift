import Foundation
import OpenSwiftData

extension StoreConformance {
  static let commitCases: [Case] = [
    Case("nothingToDoIsNoTransaction") { trial in
      let store = try trial.filled()
      let before = try StorePicture(of: store)
      let result = try store.commit(ChangeSet(), author: "nobody")
      trial.expectEqual(result, CommitResult(), "the result")
      trial.expectEqual(try StorePicture(of: store), before, "the store")
    },
    Case("everyTemporaryIdentifierIsReplacedOnce") { trial in
      let store = try trial.makeStore()
      var seen: Set<PersistentIdentifier> = []
      for round in 0..<3 {
        let inserted = (1...50).map { Fixture.new(Fixture.film, $0, Fixture.title("\(round)")) }
        let result = try store.commit(ChangeSet(inserted: inserted), author: nil)
        trial.expectEqual(
          Set(result.remappedIdentifiers.keys),
          Set(inserted.map(\.persistentIdentifier)),
          "the replaced identifiers"
        )
        for permanent in result.remappedIdentifiers.values {
          trial.expect(!permanent.isTemporary, "\(permanent) is temporary")
          trial.expect(seen.insert(permanent).inserted, "\(permanent) was given twice")
          trial.expectEqual(permanent.entityName, Fixture.film, "the entity of \(permanent)")
          trial.expectEqual(permanent.storeIdentifier, store.identifier, "its store")
        }
      }
      trial.expectEqual(
        Set(try store.identifiers(matching: Query(Fixture.film))),
        seen,
        "the films"
      )
    },
    Case("permanentIdentifiersAreKept", needs: .permanentIdentifiers) { trial in
      let store = try trial.filled()
      let film = try store.all()[7]
      try store.commit(ChangeSet(deleted: [film]), author: nil).check()
      let result = try store.commit(ChangeSet(inserted: [film]), author: nil)
      trial.expectEqual(result.remappedIdentifiers, [:], "the replaced identifiers")
      trial.expectEqual(try store.one(film.persistentIdentifier), film, "the record")
      let next = try Fixture.fill(store, films: [Fixture.title("next")])
      trial.expect(next.first != film.persistentIdentifier, "its identifier was given again")
    },
    Case("updatesReplaceAllValuesOfTheRecordOnly") { trial in
      let store = try trial.filled()
      let before = try store.all()
      let changed = before[3].with(
        ["title": .text("Changed"), "year": .null, "rating": .number(1), "seen": .boolean(true)]
      )
      let update = RecordUpdate(before: before[3], after: changed)
      let result = try store.commit(ChangeSet(updated: [update]), author: nil)
      trial.expectEqual(result.remappedIdentifiers, [:], "the replaced identifiers")
      trial.expect(result.token != nil, "an update has no token")
      var expected = before
      expected[3] = changed
      trial.expectEqual(try store.all(), expected, "the films")
      // Detects a store that confuses the values of any two records.
      let updates = expected.enumerated().map { place, film in
        RecordUpdate(before: film, after: film.with(["title": .text("Changed \(place)")]))
      }
      try store.commit(ChangeSet(updated: updates), author: nil).check()
      trial.expectEqual(try store.all(), updates.map(\.after), "the films, all changed")
    },
    Case("everyNewRecordHasItsOwnValues") { trial in
      let store = try trial.makeStore()
      let titles = (0..<20).map { Value.text("Film \($0)") }
      let films = try Fixture.fill(store, films: titles.map { ["title": $0] })
      for opened in [store, try trial.reopened(store)] {
        let found = try opened.all().map { ($0.persistentIdentifier, $0["title"] ?? .null) }
        trial.expectEqual(
          Dictionary(found) { first, _ in first },
          Dictionary(uniqueKeysWithValues: zip(films, titles)),
          "the titles"
        )
      }
    },
    Case("twoMayChangeARecordAtDifferentPlaces", needs: .conflicts) { trial in
      let store = try trial.filled()
      let stale = try store.all()[3]
      try store.update(stale.persistentIdentifier, ["title": .text("theirs")])
      let ours = RecordUpdate(before: stale, after: stale.with(["year": .integer(1)]))
      try store.commit(ChangeSet(updated: [ours]), author: nil).check()
      for opened in [store, try trial.reopened(store)] {
        let found = try opened.one(stale.persistentIdentifier)
        let expected = stale.with(["title": .text("theirs"), "year": .integer(1)])
        trial.expectEqual(found, expected, "the record")
      }
    },
    Case("numbersOfDeletedRecordsAreNotGivenAgain", needs: .permanentIdentifiers) { trial in
      let store = try trial.makeStore()
      let scope = IdentifierScope(store: store.identifier, entity: Fixture.film)
      let films = (1...3).map {
        Fixture.new(Fixture.film, $0, Fixture.title("\($0)"))
          .copy(persistentIdentifier: scope.identifier(number: $0))
      }
      try store.commit(ChangeSet(inserted: films), author: nil).check()
      try store.commit(ChangeSet(deleted: [films[2]]), author: nil).check()
      let new = try Fixture.fill(store, films: [Fixture.title("new")])
      trial.expect(new != [films[2].persistentIdentifier], "the number 3 was given again")
      let added = try store.snapshots(for: new)
      try store.commit(ChangeSet(deleted: Array(added.values)), author: nil).check()
      guard trial.promises(.lastingHistory) else { return }
      let last = try Fixture.fill(try trial.reopened(store), films: [Fixture.title("last")])
      trial.expect(
        last != new && last != [films[2].persistentIdentifier],
        "a number was given again after reopening"
      )
    },
    Case("deletedRecordsAreGone") { trial in
      let store = try trial.filled()
      let before = try store.all()
      let gone = [before[0], before[30], before[59]]
      try store.commit(ChangeSet(deleted: gone), author: nil).check()
      let kept = before.filter { !gone.contains($0) }
      trial.expectEqual(try store.all(), kept, "the films")
      trial.expectEqual(try store.snapshots(for: gone.map(\.persistentIdentifier)), [:], "the gone")
      trial.expectEqual(try trial.reopened(store).all(), kept, "the films after reopening")
    },
    Case("oneCommitMayDoEverythingAtOnce") { trial in
      let store = try trial.filled()
      let before = try store.all()
      let after = before[1].with(["title": .text("after")])
      let changes = ChangeSet(
        inserted: [Fixture.new(Fixture.film, 1, Fixture.title("new"))],
        updated: [RecordUpdate(before: before[1], after: after)],
        deleted: [before[0]]
      )
      let result = try store.commit(changes, author: nil)
      let titles = try store.all().map { $0["title"] }
      let expected = [.text("after")] + before.dropFirst(2).map { $0["title"] } + [.text("new")]
      trial.expectEqual(titles, expected, "the titles")
      trial.expectEqual(result.remappedIdentifiers.count, 1, "the number of replaced identifiers")
    },
    Case("uniqueValuesMayChangePlacesInOneCommit") { trial in
      let store = try trial.filled()
      let before = try store.all()
      let updates = [
        RecordUpdate(
          before: before[1],
          after: before[1].with(["code": before[2]["code"] ?? .null])
        ),
        RecordUpdate(
          before: before[2],
          after: before[2].with(["code": before[1]["code"] ?? .null])
        ),
      ]
      try store.commit(ChangeSet(updated: updates), author: nil).check()
      trial.expectEqual(try store.all()[1]["code"], before[2]["code"], "the first code")
      let last = try store.all()[2]
      let taker = Fixture.new(Fixture.film, 1, Fixture.title("t", ["code": last["code"] ?? .null]))
      try store.commit(ChangeSet(inserted: [taker], deleted: [last]), author: nil).check()
      trial.expectEqual(try store.all().last?["code"], last["code"], "the code of a deleted record")
    },
    Case("tokensGrow") { trial in
      let store = try trial.makeStore()
      var last = Int64.min
      for number in 0..<5 {
        let film = Fixture.new(Fixture.film, number, Fixture.title("\(number)"))
        let token = try store.commit(ChangeSet(inserted: [film]), author: nil).token
        trial.expect(token ?? last > last, "\(String(describing: token)) comes after \(last)")
        last = token ?? last
      }
    },
    Case("whatWasCommittedOutlivesTheStore", needs: .lasting) { trial in
      let store = try trial.filled()
      let people = try trial.insertPeople(2, into: store)
      let films = try store.all()
      let changed = films[1].with(["director": .link(people[0]), "cast": .links(people)])
      let changes = ChangeSet(
        updated: [RecordUpdate(before: films[1], after: changed)],
        deleted: [films[0]]
      )
      try store.commit(changes, author: nil).check()
      let before = try StorePicture(of: store)
      let again = try trial.reopened(store)
      let after = try StorePicture(of: again)
      trial.expectEqual(after.schema, before.schema, "the schema")
      trial.expectEqual(after.records, before.records, "the records")
      let new = try Fixture.fill(again, films: [Fixture.title("new")])
      trial.expect(
        !films.map(\.persistentIdentifier).contains(where: new.contains),
        "an identifier was given again after reopening"
      )
    },
  ]
}
