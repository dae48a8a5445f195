import OpenSwiftData

extension StoreConformance {
  static let failureCases: [Case] = [
    Case("aSaveThatFailsChangesNothing", needs: .failures) { trial in
      let store = try trial.filled()
      let before = try store.all()
      let changes = ChangeSet(
        inserted: [Fixture.new(Fixture.film, 900, Fixture.title("new"))],
        updated: [RecordUpdate(before: before[1], after: before[1].with(["year": .integer(1)]))],
        deleted: [before[0]]
      )
      try trial.failNextSave(of: store)
      do {
        _ = try store.commit(changes, author: nil)
        trial.note("the save was made to fail and did not")
      } catch {}
      trial.expectEqual(try store.all(), before, "the films after a failed save")
      trial.expectEqual(try trial.reopened(store).all(), before, "the films after reopening")
    },
    Case("aSaveThatFailedCanBeMadeAgain", needs: .failures) { trial in
      let store = try trial.filled()
      let before = try store.all()
      let changes = ChangeSet(
        inserted: [Fixture.new(Fixture.film, 900, Fixture.title("new"))],
        deleted: [before[0]]
      )
      try trial.failNextSave(of: store)
      do { _ = try store.commit(changes, author: nil) } catch {}
      try store.commit(changes, author: nil).check()
      let titles = try store.all().map { $0["title"] }
      let expected = before.dropFirst().map { $0["title"] } + [.text("new")]
      trial.expectEqual(titles, expected, "the titles after the second attempt")
    },
  ]
}
