import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Discarding any transactions, not only the oldest: which stay, which expire, and what the file
/// contains.
@Suite struct HistoryForgettingTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  enum Kind: CaseIterable { case memory, json, log }

  private func open(_ kind: Kind) throws -> any TableStore {
    switch kind {
    case .memory: try MemoryStore(MemoryStoreConfiguration(schema: LogFixture.schema))
    case .json:
      try JSONStore(
        JSONStoreConfiguration(
          path: fixture.folder.file("films.json"),
          schema: LogFixture.schema,
          fileSystem: fixture.files
        )
      )
    case .log: try fixture.open()
    }
  }

  /// Random saves and deletions of history, compared with a simple model.
  @Test(arguments: Kind.allCases)
  func exactlyWhatIsChosenIsForgotten(kind: Kind) throws {
    for seed in 1...UInt64(testRounds(4)) {
      try? FileManager.default.removeItem(atPath: fixture.path)
      try? FileManager.default.removeItem(atPath: fixture.folder.file("films.json"))
      var random = SeededGenerator(seed: seed)
      var store = try open(kind)
      var all: [Transaction] = []
      var horizon: Int64 = 0
      for step in 0..<25 {
        switch random.below(5) {
        case 0...2:
          try change(store, &random, step)
          let last = try #require(
            try store.transactions(after: max(all.last?.token ?? 0, horizon), touching: nil).last
          )
          all.append(last)
        case 3 where !all.isEmpty:
          let chosen = Set(all.map(\.token).filter { _ in random.chance(20) })
          try store.deleteTransactions(chosen)
          all.removeAll { chosen.contains($0.token) }
          horizon = max(horizon, chosen.max() ?? 0)
        default:
          if kind == .log { store = try fixture.open(schema: nil) }
        }
        try compare(store, all, horizon, "\(kind), seed \(seed), step \(step)")
      }
    }
  }

  private func change(
    _ store: any TableStore,
    _ random: inout SeededGenerator,
    _ step: Int
  ) throws {
    let films = try store.snapshots(matching: Query("Film"))
    let layout = try store.schema.entity(named: "Film").layout
    switch random.below(6) {
    case 0:
      try store.apply(
        .addAttribute(entity: "Film", Schema.Attribute("extra\(step)", .integer)),
        author: "ann"
      )
    case 1 where films.count > 1:
      _ = try store.commit(ChangeSet(deleted: [films[0]]), author: nil)
    case 2 where !films.isEmpty:
      var after = films[0]
      after.orderedValues[layout.slot(of: "title") ?? 0] = .text("changed \(step)")
      let update = RecordUpdate(before: films[0], after: after)
      _ = try store.commit(ChangeSet(updated: [update]), author: "bob")
    default:
      // Includes one transaction of several frames.
      let size = step == 3 ? LogFormat.partBytes : 3
      let film = DefaultSnapshot(
        persistentIdentifier: IdentifierScope(store: nil, entity: "Film")
          .temporaryIdentifier(1, context: 1),
        layout: layout,
        orderedValues: layout.names.map {
          $0 == "title" ? .text(String(repeating: "x", count: size)) : .null
        }
      )
      let other = DefaultSnapshot(
        persistentIdentifier: IdentifierScope(store: nil, entity: "Film")
          .temporaryIdentifier(2, context: 1),
        layout: layout,
        orderedValues: film.orderedValues
      )
      _ = try store.commit(ChangeSet(inserted: [film, other]), author: nil)
    }
  }

  private func compare(
    _ store: any TableStore,
    _ all: [Transaction],
    _ horizon: Int64,
    _ what: String
  ) throws {
    #expect(try store.transactions(after: nil, touching: nil) == all, "\(what)")
    let tokens = Set(all.map(\.token) + [horizon])
    for token in tokens {
      if token < horizon {
        let code = errorCode { _ = try store.transactions(after: token, touching: nil) }
        #expect(code == .historyExpired, "\(what), after \(token)")
      } else {
        let later = try store.transactions(after: token, touching: nil)
        #expect(later == all.filter { $0.token > token }, "\(what), after \(token)")
      }
    }
    #expect(try store.check() == [], "\(what)")
  }

  @Test func whatIsForgottenIsGoneFromTheFileAndTheRecordsStay() throws {
    let store = try fixture.open()
    for title in ["Up", "a secret film", "Cars"] { try store.insertFilm(title) }
    let secret = try #require(try store.films().first { $0["title"] == .text("a secret film") })
    try store.update(secret.persistentIdentifier, "title", to: .text("Brave"))
    let everything = try store.everything()
    try store.deleteTransactions([2, 4])
    let text = String(decoding: try fixture.bytes(), as: UTF8.self)
    #expect(!text.contains("a secret film") && text.contains("Brave"))
    for opened in [store, try fixture.open()] {
      #expect(try opened.transactions(after: nil, touching: nil).map(\.token) == [1, 3])
      #expect(try opened.everything() == everything)
    }
    try store.insertFilm("Coco")
    #expect(try fixture.open().transactions(after: 4, touching: nil).map(\.token) == [5])
  }

  @Test func whatWasNotForgottenBeforeTheHorizonStillTellsOfARecordAndOfAMigration() throws {
    let store = try fixture.open()
    let film = try store.insertFilm("Up")
    try store.insertFilm("Cars")
    try store.update(film, "title", to: .text("Up!"))
    try store.apply(.renameAttribute(entity: "Film", from: "year", to: "made"), author: nil)
    try store.update(film, "made", to: .integer(2009))
    let before = try store.transactions(after: nil, touching: film)
    try store.deleteTransactions([2])
    try store.deleteTransactions([5])
    let reopened = try fixture.open(schema: nil)
    let after = try reopened.transactions(after: nil, touching: film)
    #expect(after == before.filter { $0.token != 5 })
    let all = try reopened.transactions(after: nil, touching: nil)
    #expect(all.map(\.token) == [1, 3, 4] && all.last?.schemaChange != nil)
  }

  @Test func compactingKeepsOfAHistoryWithHolesWhatItIsAskedTo() throws {
    let store = try fixture.open()
    for number in 1...8 { try store.insertFilm("film \(number)") }
    try store.deleteTransactions([2, 5])
    func tokens() throws -> [Int64] {
      try fixture.open().transactions(after: nil, touching: nil).map(\.token)
    }
    #expect(try tokens() == [1, 3, 4, 6, 7, 8])
    _ = try store.compact(keeping: .all)
    #expect(try tokens() == [1, 3, 4, 6, 7, 8])
    #expect(
      try store.compact(keeping: .last(4)).contains("2 transactions dropped from the history")
    )
    #expect(try tokens() == [4, 6, 7, 8])
    #expect(errorCode { _ = try store.transactions(after: 4, touching: nil) } == .historyExpired)
    _ = try store.compact(keeping: .last(3))
    #expect(try tokens() == [6, 7, 8])
    _ = try store.compact(keeping: .none)
    #expect(try tokens() == [])
    #expect(try store.films().count == 8)
  }

  /// Programs that do not recognize these frames skip them, as if the history began at the horizon.
  @Test func theFramesOfTheHistoryCanBeSkipped() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco"] { try store.insertFilm(title) }
    try store.deleteTransactions([2])
    for place in try fixture.content().past.places {
      let kind = try fixture.bytes()[place.offset + LogFormat.Frame.kind]
      #expect(kind & LogFormat.FrameKind.skippableBit != 0)
    }
    let new = fixture.folder.file("new.catlog")
    #expect(try LogSalvage.run(from: fixture.path, to: new).losses == [])
  }
}
