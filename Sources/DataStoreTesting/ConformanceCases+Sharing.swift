import Dispatch
import OpenSwiftData
import Synchronization

extension StoreConformance {
  /// A case with two stores that are open on the same location.
  private static func shared(
    _ claim: String,
    needs: Promises = [],
    _ body: @escaping @Sendable (ConformanceTrial, SharedLocation) throws -> Void
  ) -> Case {
    Case(claim, needs: needs.union([.sharing, .lasting])) { trial in
      try body(trial, SharedLocation(trial))
    }
  }

  static let sharingCases: [Case] = [
    shared("recordsOfAnotherOpenerAreReturnedAfterRefreshing") { trial, stores in
      let identifiers = try stores.changeHere()
      try stores.there.refreshIfFeeding()
      let expected = try stores.here.all()
      trial.expectEqual(try stores.there.all(), expected, "the films after refreshing")
      let count = try stores.there.count(matching: Query(Fixture.film))
      trial.expectEqual(count, expected.count, "the number of films after refreshing")
      let film = try stores.there.one(identifiers.updated)
      trial.expectEqual(film?["title"], .text("theirs"), "the changed title after refreshing")
      let deleted = try stores.there.one(identifiers.deleted)
      trial.expectEqual(deleted, nil, "the deleted film after refreshing")
    },
    shared("refreshSendsTheChangesOfOthers") { trial, stores in
      guard let feed = stores.there.feed else { return }
      let news = News()
      let subscription = feed.observe { news.add($0) }
      defer { subscription.cancel() }
      let identifiers = try stores.changeHere()
      try stores.there.refreshIfFeeding()
      let changes = news.all
      func expectNamed(
        _ identifier: PersistentIdentifier,
        _ list: KeyPath<StoreChange, [PersistentIdentifier]>,
        _ what: String
      ) {
        let isNamed = changes.contains { $0.isIncomplete || $0[keyPath: list].contains(identifier) }
        trial.expect(isNamed, "refresh did not send the \(what) film \(identifier)")
      }
      expectNamed(identifiers.inserted, \.inserted, "new")
      expectNamed(identifiers.updated, \.updated, "changed")
      expectNamed(identifiers.deleted, \.deleted, "deleted")
      try stores.there.refreshIfFeeding()
      trial.expectEqual(news.all.count, changes.count, "the news after refreshing without a change")
    },
    Case("aSchemaThatAnotherOpenerChangedIsAdopted", needs: [.sharing, .lasting, .schemaChanges]) {
      trial in
      guard let here = try trial.filledUntyped() as? any SchemaChangingStore else { return }
      let there = try trial.reopened(here)
      let news = News()
      let subscription = there.feed?.observe { news.add($0) }
      defer { subscription?.cancel() }
      try here.apply(.addAttribute(entity: Fixture.film, .init("remark", .text)), author: nil)
      try there.refreshIfFeeding()
      trial.expectEqual(there.schema, here.schema, "the schema after refreshing")
      trial.expectEqual(try there.all(), try here.all(), "the films after refreshing")
      guard there.feed != nil else { return }
      trial.expect(
        news.all.contains { $0.isSchemaChanged },
        "refresh did not send that the schema changed (isSchemaChanged)"
      )
    },
    shared("newsAreSentWhileOtherThreadsCanRead") { trial, stores in
      guard let feed = stores.there.feed else { return }
      let reader = Reader(stores.there)
      let isBlocked = Mutex(false)
      let subscription = feed.observe { _ in
        if !reader.canRead(withinSeconds: 5) { isBlocked.withLock { $0 = true } }
      }
      defer { subscription.cancel() }
      _ = try stores.changeHere()
      try stores.there.refreshIfFeeding()
      trial.expect(
        !isBlocked.withLock { $0 },
        "the store cannot be read while it sends a change; release its lock first"
      )
    },
    shared("recordsOfTwoOpenersAreKept") { trial, stores in
      let before = try stores.here.all().count
      let mine = try stores.insert("mine", into: stores.here)
      let theirs = try stores.insert("theirs", into: stores.there)
      trial.expect(mine != theirs, "both stores gave a new film the identifier \(mine)")
      let titles = try trial.reopened(stores.here).all().dropFirst(before).map { $0["title"] }
      trial.expectEqual(
        Set(titles),
        [.text("mine"), .text("theirs")],
        "the titles of the films that two stores inserted"
      )
    },
    shared("aValueThatAnotherOpenerChangedIsAConflict", needs: .conflicts) { trial, stores in
      let stale = try stores.there.all()[0]
      try stores.here.update(stale.persistentIdentifier, ["title": .text("theirs")])
      let update = RecordUpdate(before: stale, after: stale.with(["title": .text("mine")]))
      do {
        _ = try stores.there.commit(ChangeSet(updated: [update]), author: nil)
        trial.note("a change of a title that another store had changed was not refused")
      } catch let error as PersistenceError {
        trial.expectEqual(error.code, .conflict, "the code (\(error.message))")
      }
      let stored = try trial.reopened(stores.here).one(stale.persistentIdentifier)
      trial.expectEqual(stored?["title"], .text("theirs"), "the stored title")
    },
    shared("theHistoryHasTheChangesOfOthers", needs: .history) { trial, stores in
      let last = try stores.there.history(after: nil).last?.token
      let film = try stores.here.all()[0].persistentIdentifier
      try stores.here.update(film, ["title": .text("theirs")])
      try stores.there.refreshIfFeeding()
      let found = try stores.there.history(after: last).filter { transaction in
        transaction.changes.updated.contains { $0.persistentIdentifier == film }
      }
      trial.expectEqual(found.count, 1, "the number of transactions with the film")
      let update = found.first?.changes.updated.first
      trial.expectEqual(update?.after["title"], .text("theirs"), "the title in the history")
    },
    shared("openersMayWriteAtOnce") { trial, stores in
      let before = try stores.here.all().count
      let writers = [Reader(stores.here), Reader(stores.there)]
      let problems = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        do {
          for round in 0..<10 { try writers[number].insert("\(number)-\(round)") }
        } catch {
          problems.withLock { $0.append("store \(number) threw \(error)") }
        }
      }
      for problem in problems.withLock({ $0 }) { trial.note(problem) }
      let films = try trial.reopened(stores.here).all().dropFirst(before)
      let expected = (0..<2).flatMap { number in (0..<10).map { Value.text("\(number)-\($0)") } }
      trial.expectEqual(Set(films.map { $0["title"] }), Set(expected), "the titles of both stores")
      let identifiers = Set(films.map(\.persistentIdentifier))
      trial.expectEqual(identifiers.count, 20, "the number of different identifiers")
    },
  ]
}

/// Two stores on the same location, with some films.
private struct SharedLocation {
  let here: any QueryableStore
  let there: any QueryableStore

  init(_ trial: ConformanceTrial) throws {
    here = try trial.filled()
    there = try trial.reopened(here)
    // What the other store has read must not be returned later.
    _ = try there.all()
  }

  struct Changed {
    let inserted: PersistentIdentifier
    let updated: PersistentIdentifier
    let deleted: PersistentIdentifier
  }

  /// Inserts a film, changes one and deletes one in the first store.
  func changeHere() throws -> Changed {
    let films = try here.all()
    let new = Fixture.new(Fixture.film, 900, Fixture.title("new"))
    let after = films[1].with(["title": .text("theirs")])
    let result = try here.commit(
      ChangeSet(
        inserted: [new],
        updated: [RecordUpdate(before: films[1], after: after)],
        deleted: [films[2]]
      ),
      author: nil
    )
    return Changed(
      inserted: result.remappedIdentifiers[new.persistentIdentifier] ?? new.persistentIdentifier,
      updated: films[1].persistentIdentifier,
      deleted: films[2].persistentIdentifier
    )
  }

  /// Inserts a film into one of the stores.
  func insert(_ title: String, into store: any QueryableStore) throws -> PersistentIdentifier {
    let new = Fixture.new(Fixture.film, 900, Fixture.title(title))
    let result = try store.commit(ChangeSet(inserted: [new]), author: nil)
    return result.remappedIdentifiers[new.persistentIdentifier] ?? new.persistentIdentifier
  }
}

/// The changes that a store has sent.
private final class News: Sendable {
  private let changes = Mutex<[StoreChange]>([])

  var all: [StoreChange] { changes.withLock { $0 } }

  func add(_ change: StoreChange) { changes.withLock { $0.append(change) } }
}

/// A store that another thread uses.
///
/// Unchecked because stores are not declared Sendable. Their contract requires that calls may come from any
/// thread.
private struct Reader: @unchecked Sendable {
  private let store: any QueryableStore

  init(_ store: any QueryableStore) { self.store = store }

  /// True if a query on another thread is answered in time.
  ///
  /// The thread ends as soon as the store answers.
  func canRead(withinSeconds seconds: Int) -> Bool {
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      // Only the time matters here; other cases test the answer.
      _ = try? store.count(matching: Query(Fixture.film))
      isDone.signal()
    }
    return isDone.wait(timeout: .now() + .seconds(seconds)) == .success
  }

  func insert(_ title: String) throws {
    let new = Fixture.new(Fixture.film, 900, Fixture.title(title))
    try store.commit(ChangeSet(inserted: [new]), author: nil).check()
  }
}

extension QueryableStore {
  /// The feed of the store, or of the store inside a container; nil if it has none.
  fileprivate var feed: StoreChangeFeed? {
    let store = (self as? ConnectedStore)?.store ?? self
    return (store as? any ChangeFeedingStore)?.changeFeed
  }

  /// Reads what others have saved; does nothing for a store that reads its location for each answer.
  fileprivate func refreshIfFeeding() throws {
    if let connected = self as? ConnectedStore { return try connected.refresh() }
    try (self as? any ChangeFeedingStore)?.refresh()
  }
}
