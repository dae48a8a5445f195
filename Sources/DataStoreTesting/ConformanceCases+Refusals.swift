import Foundation
import OpenSwiftData

extension StoreConformance {
  /// An invalid change set for the content of the store, which must refuse it.
  private static func refusal(
    _ claim: String,
    _ code: PersistenceError.Code,
    _ changes: @escaping @Sendable ([DefaultSnapshot]) -> ChangeSet
  ) -> Case {
    Case(claim, needs: promise(for: code)) { trial in
      let store = try trial.filled()
      let films = try store.all()
      // A valid change accompanies the invalid one and must not be applied either.
      var refused = changes(films)
      refused.inserted.insert(Fixture.new(Fixture.film, 900, Fixture.title("good")), at: 0)
      refused.updated.insert(
        RecordUpdate(before: films[40], after: films[40].with(["title": .text("good")])),
        at: 0
      )
      refused.deleted.insert(films[41], at: 0)
      try trial.expectRefusal(code, of: "the commit", by: store) {
        _ = try store.commit(refused, author: nil)
      }
      let kept = try StorePicture(of: store).records
      let again = try StorePicture(of: try trial.reopened(store)).records
      trial.expectEqual(again, kept, "the records after a refused commit and reopening")
    }
  }

  /// The promise that requires a store to refuse changes with the code.
  private static func promise(for code: PersistenceError.Code) -> Promises {
    switch code {
    case .conflict: .conflicts
    case .notUnique: .uniqueness
    default: .validation
    }
  }

  private static func unknown(_ film: DefaultSnapshot) -> DefaultSnapshot {
    film.copy(
      persistentIdentifier: IdentifierScope(
        store: film.persistentIdentifier.storeIdentifier,
        entity: Fixture.film
      )
      .identifier(key: RecordKey(milliseconds: 123_456_789, sequence: 99))
    )
  }

  private static func update(_ film: DefaultSnapshot, _ values: [String: Value]) -> ChangeSet {
    ChangeSet(updated: [RecordUpdate(before: film, after: film.with(values))])
  }

  private static func insert(_ values: [String: Value]) -> ChangeSet {
    ChangeSet(inserted: [Fixture.new(Fixture.film, 901, values)])
  }

  /// Values that no store can keep, by attribute.
  private static let nonsense: [(String, Value)] = [
    ("gross", .decimal(.nan)),
    ("added", .datetime(Date(timeIntervalSinceReferenceDate: .nan))),
    ("added", .datetime(Date(timeIntervalSinceReferenceDate: .infinity))),
    ("added", .datetime(.distantPast - 86_400 * 367)),
    ("added", .datetime(Date(timeIntervalSince1970: 253_402_300_800))),
    ("released", .date(CalendarDate(daysSince1970: -719_529))),
    ("released", .date(CalendarDate(daysSince1970: 2_932_897))),
    ("released", .date(CalendarDate(daysSince1970: .max))),
  ]

  static let refusalCases: [Case] = [
    refusal("updatingAnUnknownRecordIsAConflict", .conflict) { films in
      let film = unknown(films[1])
      return update(film, ["title": .text("x")])
    },
    refusal("deletingAnUnknownRecordIsAConflict", .conflict) { films in
      ChangeSet(deleted: [unknown(films[1])])
    },
    refusal("updatingAStaleRecordIsAConflict", .conflict) { films in
      let stale = films[1].with(["title": .text("stale")])
      return ChangeSet(
        updated: [RecordUpdate(before: stale, after: stale.with(["title": .text("x")]))]
      )
    },
    refusal("deletingAStaleRecordIsAConflict", .conflict) { films in
      ChangeSet(deleted: [films[1].with(["rating": .number(-77)])])
    },
    refusal("insertingAnExistingRecordIsAConflict", .conflict) { films in
      ChangeSet(inserted: [films[1]])
    },
    refusal("aRequiredValueMustBeThereInANewRecord", .invalidValue) { _ in insert([:]) },
    refusal("aRequiredValueMustStay", .invalidValue) { films in
      update(films[1], ["title": .null])
    },
    refusal("aNewValueMustBeOfItsType", .invalidValue) { _ in
      insert(Fixture.title("x", ["year": .text("2009")]))
    },
    refusal("aChangedValueMustBeOfItsType", .invalidValue) { films in
      update(films[1], ["rating": .integer(9)])
    },
    refusal("aNewRecordMustNotRepeatAUniqueValue", .notUnique) { films in
      insert(Fixture.title("x", ["code": films[1]["code"] ?? .null]))
    },
    refusal("anUpdateMustNotRepeatAUniqueValue", .notUnique) { films in
      update(films[1], ["code": films[2]["code"] ?? .null])
    },
    refusal("twoNewRecordsMustNotShareAUniqueValue", .notUnique) { _ in
      ChangeSet(
        inserted: [902, 903].map {
          Fixture.new(Fixture.film, $0, Fixture.title("x", ["code": Fixture.uuid(5000)]))
        }
      )
    },
    Case("valuesThatAreUniqueTogetherStayDifferent", needs: .uniqueness) { trial in
      let schema = Schema([Showing.self])
      let store = try trial.makeStore(schema)
      func new(_ number: Int, _ room: Int?, _ hour: Int) -> DefaultSnapshot {
        let values: [String: Value] = [
          "room": room.map { .integer(Int64($0)) } ?? .null, "hour": .integer(Int64(hour)),
        ]
        return Fixture.new("Showing", number, values, in: schema)
      }
      let first = [new(1, 1, 20), new(2, 1, 21), new(3, 2, 20), new(4, nil, 20), new(5, nil, 20)]
      try store.commit(ChangeSet(inserted: first), author: nil).check()
      let before = try store.all("Showing").filter { $0["room"] == .integer(1) }
      guard let early = before.first(where: { $0["hour"] == .integer(20) }),
        let late = before.first(where: { $0["hour"] == .integer(21) })
      else { return trial.note("the showings in room 1 were not found") }
      let moved = RecordUpdate(before: late, after: late.with(["hour": .integer(20)]))
      let refused: [(String, ChangeSet)] = [
        ("a new pair that is there", ChangeSet(inserted: [new(6, 1, 20)])),
        ("a new pair twice", ChangeSet(inserted: [new(7, 3, 20), new(8, 3, 20)])),
        ("a change to a pair that is there", ChangeSet(updated: [moved])),
      ]
      for (what, changes) in refused {
        try trial.expectRefusal(.notUnique, of: what, by: store) {
          _ = try store.commit(changes, author: nil)
        }
      }
      let back = RecordUpdate(before: early, after: early.with(["hour": .integer(21)]))
      try store.commit(ChangeSet(updated: [moved, back]), author: nil).check()
      guard let gone = try store.one(late.persistentIdentifier) else {
        return trial.note("a changed showing is not there")
      }
      try store.commit(ChangeSet(inserted: [new(9, 1, 20)], deleted: [gone]), author: nil).check()
      trial.expectEqual(try store.all("Showing").count, 5, "the number of showings")
    },
    Case("valuesThatAreNoneAreRefusedByName", needs: .validation) { trial in
      let store = try trial.filled()
      let film = try store.all()[1]
      for (name, value) in nonsense {
        for changes in [update(film, [name: value]), insert(Fixture.title("x", [name: value]))] {
          try trial.expectRefusal(.invalidValue, of: "\(value.text) as \(name)", by: store) {
            do {
              _ = try store.commit(changes, author: nil)
            } catch let error as PersistenceError {
              trial.expect(
                error.message.contains("\(Fixture.film).\(name)"),
                "the message \(error.message) does not name \(Fixture.film).\(name)"
              )
              throw error
            }
          }
        }
      }
    },
    Case("aRecordOfAnUnknownEntityIsRefused") { trial in
      let store = try trial.filled()
      let entity = Schema.Entity("Nothing", attributes: [.init("a", .text)])
      let stranger = Fixture.new("Nothing", 1, in: Schema(entity))
      try trial.expectRefusal(.unknownEntity, of: "an unknown entity", by: store) {
        _ = try store.commit(ChangeSet(inserted: [stranger]), author: nil)
      }
    },
    Case("aStoreWorksOnAfterARefusal", needs: .validation) { trial in
      let store = try trial.filled()
      let before = try store.all()
      for _ in 0..<3 {
        do {
          _ = try store.commit(insert([:]), author: nil)
          trial.note("a record without its title was not refused")
        } catch is PersistenceError {}
      }
      try store.update(before[1].persistentIdentifier, ["title": .text("after")])
      let added = try Fixture.fill(store, films: [Fixture.title("added")])
      trial.expectEqual(try store.all().count, before.count + 1, "the number of films")
      let again = try trial.reopened(store)
      trial.expectEqual(try again.all()[1]["title"], .text("after"), "the changed title")
      trial.expectEqual(try again.one(added[0])?["title"], .text("added"), "the added title")
    },
  ]
}
