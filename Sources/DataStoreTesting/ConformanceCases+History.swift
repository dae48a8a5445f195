import OpenSwiftData

extension StoreConformance {
  /// A case for stores that promise history; other stores do not declare it, or refuse to read it.
  private static func history(
    _ claim: String,
    needs: Promises = .history,
    _ body: @escaping @Sendable (ConformanceTrial, any HistoryKeepingStore) throws -> Void
  ) -> Case {
    Case(claim, needs: needs, isRefusedOtherwise: true) { trial in
      let store = try trial.makeStore()
      let keeper = store as? any HistoryKeepingStore
      guard trial.promises(.history) else {
        guard let keeper else { return }
        return try trial.expectRefusal(.unsupported, of: "reading the history", by: store) {
          _ = try keeper.transactions(after: nil, touching: nil)
        }
      }
      guard let store = keeper else {
        return trial.note("a store with a history does not declare HistoryKeepingStore")
      }
      guard trial.promises(needs) else { return }
      try body(trial, store)
    }
  }

  static let historyCases: [Case] = [
    history("theHistoryTellsWhatWasCommittedInOrder") { trial, store in
      let script = try HistoryScript(on: store)
      let found = try store.transactions(after: nil, touching: nil)
      trial.expectEqual(found.map(\.token), script.tokens, "the tokens")
      trial.expectEqual(
        found.map(\.changes.withoutWhatStayed),
        script.changes.map(\.withoutWhatStayed),
        "the changes"
      )
      trial.expectEqual(found.map(\.author), ["ann", nil, "bob"], "the authors")
      trial.expectEqual(Set(found.map(\.id)).count, 3, "the number of different names")
      trial.expect(found.allSatisfy { $0.schemaChange == nil }, "a commit changed the schema")
    },
    history("theHistoryAfterATokenLeavesOutWhatWasBefore") { trial, store in
      let script = try HistoryScript(on: store)
      for (place, token) in script.tokens.enumerated() {
        let found = try store.transactions(after: token, touching: nil)
        trial.expectEqual(
          found.map(\.token),
          Array(script.tokens[(place + 1)...]),
          "after \(token)"
        )
      }
    },
    history("theHistoryOfARecordIsItsOwn") { trial, store in
      let script = try HistoryScript(on: store)
      let changed = try store.transactions(after: nil, touching: script.films[0])
      trial.expectEqual(changed.map(\.token), Array(script.tokens.prefix(2)), "of a changed record")
      let update = changed.last?.changes.updated.first
      trial.expectEqual(update?.before["title"], .text("A"), "the value before")
      trial.expectEqual(update?.after["title"], .text("A2"), "the value after")
      trial.expect(changed.allSatisfy { $0.changes.count == 1 }, "it tells of other records")
      let deleted = try store.transactions(after: script.tokens[0], touching: script.films[1])
      trial.expectEqual(deleted.map(\.token), [script.tokens[2]], "of a deleted record")
      trial.expectEqual(
        deleted.last?.changes.deleted.first?["title"],
        .text("B"),
        "the title of a deleted record"
      )
      let unknown = Fixture.temporary(Fixture.film, 99)
      trial.expectEqual(
        try store.transactions(after: nil, touching: unknown),
        [],
        "of an unknown record"
      )
    },
    history("refusedCommitsLeaveNoTrace", needs: [.history, .validation]) { trial, store in
      let script = try HistoryScript(on: store)
      do {
        _ = try store.commit(ChangeSet(inserted: [Fixture.new(Fixture.film, 1)]), author: nil)
        trial.note("a record without its title was not refused")
      } catch is PersistenceError {}
      let tokens = try store.transactions(after: nil, touching: nil).map(\.token)
      trial.expectEqual(tokens, script.tokens, "the tokens")
    },
    history("theHistoryOutlivesTheStore", needs: [.history, .lastingHistory]) { trial, store in
      guard trial.canReopen else { return }
      let script = try HistoryScript(on: store)
      let before = try store.transactions(after: nil, touching: nil)
      let again = try trial.reopened(store)
      trial.expectEqual(
        try again.history(after: nil),
        before,
        "the history after reopening"
      )
      let token = try again.update(script.films[0], ["title": .text("A3")]).token
      trial.expect(token ?? 0 > script.tokens[2], "the next token does not come after the last")
    },
  ]
}

extension ChangeSet {
  /// The same changes, with updates that contain only the changed values, as a history may return them.
  fileprivate var withoutWhatStayed: ChangeSet {
    var changes = self
    changes.updated = updated.map { update in
      let layout = SnapshotLayout(update.changedSlots.map { update.after.layout.names[$0] })
      return RecordUpdate(
        before: update.before.arranged(as: layout) { _ in .null },
        after: update.after.arranged(as: layout) { _ in .null }
      )
    }
    return changes
  }
}

/// Three commits, the first and the last with an author.
private struct HistoryScript {
  let films: [PersistentIdentifier]
  var tokens: [Int64] = []
  var changes: [ChangeSet] = []

  init(on store: any QueryableStore) throws {
    let inserted = ["A", "B", "C"].enumerated().map {
      Fixture.new(Fixture.film, $0.offset, Fixture.title($0.element))
    }
    let first = ChangeSet(inserted: inserted)
    let result = try store.commit(first, author: "ann")
    films = inserted.compactMap { result.remappedIdentifiers[$0.persistentIdentifier] }
    changes = [first.remapped(result.remappedIdentifiers)]
    tokens = [result.token ?? -1]
    let stored = try store.all()
    let after = stored[0].with(["title": .text("A2"), "year": .null])
    try commit(ChangeSet(updated: [RecordUpdate(before: stored[0], after: after)]), nil, store)
    try commit(ChangeSet(deleted: [stored[1]]), "bob", store)
  }

  private mutating func commit(
    _ change: ChangeSet,
    _ author: String?,
    _ store: any QueryableStore
  ) throws {
    tokens.append(try store.commit(change, author: author).token ?? -1)
    changes.append(change)
  }
}
