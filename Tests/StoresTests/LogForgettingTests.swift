import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Deleting history, tokens of deleted transactions, and repeated compaction.
@Suite struct LogForgettingTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// Ten transactions: a film, its years, another film.
  private func write(to store: LogStore) throws -> PersistentIdentifier {
    let film = try store.insertFilm("Up")
    for year in 0..<8 { try store.update(film, "year", to: .integer(Int64(year))) }
    try store.insertFilm("Cars")
    return film
  }

  private func descriptor(upTo token: Int64, of store: LogStore)
    -> HistoryDescriptor<DefaultHistoryTransaction>
  {
    let last = DefaultHistoryToken([store.identifier: token])
    return HistoryDescriptor(predicate: #Predicate { $0.token <= last })
  }

  private func descriptor(after token: Int64, of identifier: String)
    -> HistoryDescriptor<DefaultHistoryTransaction>
  {
    let last = DefaultHistoryToken([identifier: token])
    return HistoryDescriptor(predicate: #Predicate { $0.token > last })
  }

  @Test func deletedHistoryIsGoneFromTheFile() throws {
    let store = try fixture.open()
    _ = try write(to: store)
    let everything = try store.everything()
    let history = try store.transactions(after: nil, touching: nil)
    let size = try fixture.bytes().count
    try store.deleteHistory(descriptor(upTo: 6, of: store))
    #expect(try fixture.bytes().count < size)
    for opened in [store, try fixture.open()] {
      #expect(try opened.transactions(after: nil, touching: nil) == Array(history[6...]))
      #expect(
        try opened.fetchHistory(HistoryDescriptor()).map(\.transactionIdentifier) == [7, 8, 9, 10]
      )
      #expect(try opened.fetchHistory(descriptor(after: 6, of: store.identifier)).count == 4)
      #expect(throws: SwiftDataError.historyTokenExpired) {
        _ = try opened.fetchHistory(descriptor(after: 5, of: store.identifier))
      }
      #expect(try opened.everything() == everything)
      #expect(try opened.check() == [])
    }
    #expect(try store.commit(ChangeSet(), author: nil).token == nil)
    try store.insertFilm("Coco")
    #expect(try fixture.open().transactions(after: 10, touching: nil).map(\.token) == [11])
  }

  @Test func unknownTokensAreNoObstacle() throws {
    let store = try fixture.open()
    _ = try write(to: store)
    let bytes = try fixture.bytes()
    try store.deleteTransactions([99])
    #expect(try fixture.bytes() == bytes)
    try store.deleteTransactions([1, 2, 3, 99])
    #expect(try store.transactions(after: nil, touching: nil).first?.token == 4)
    // Transactions that were discarded before cannot be discarded again.
    try store.deleteHistory(descriptor(after: 2, of: store.identifier))
    #expect(try store.transactions(after: nil, touching: nil) == [])
  }

  @Test func forgettingNothingChangesNoRecord() throws {
    let store = try fixture.open()
    #expect(try store.fetchHistory(HistoryDescriptor()).isEmpty)
    try store.deleteHistory(HistoryDescriptor())
    #expect(try fixture.folder.names() == [])
    _ = try write(to: store)
    try store.deleteTransactions([])
    #expect(try store.transactions(after: nil, touching: nil).count == 10)
  }

  // Covers F03.
  @Test func aTokenOfTheFutureIsRefusedAndNotAnsweredByNothing() throws {
    let store = try fixture.open()
    _ = try write(to: store)
    #expect(try store.transactions(after: 10, touching: nil) == [])
    #expect(errorCode { _ = try store.transactions(after: 11, touching: nil) } == .historyExpired)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      _ = try store.fetchHistory(descriptor(after: 11, of: store.identifier))
    }
  }

  /// A reader that has seen ten transactions must not get an empty result when only five are left.
  ///
  /// Covers D15.
  @Test func anOlderCopyThatWasPutBackRefusesNewerTokens() throws {
    do {
      let store = try fixture.open()
      try store.insertFilm("Up")
    }
    let old = try fixture.bytes()
    do {
      let store = try fixture.open()
      try store.insertFilm("Cars")
    }
    try fixture.put(old)
    let restored = try fixture.open()
    #expect(errorCode { _ = try restored.transactions(after: 2, touching: nil) } == .historyExpired)
    #expect(try restored.transactions(after: 1, touching: nil) == [])
  }

  /// A token contains its stores: for any other store everything is new.
  ///
  /// Covers F03.
  @Test func aTokenOfAnotherStoreHidesNothing() throws {
    let store = try fixture.open()
    _ = try write(to: store)
    let found = try store.fetchHistory(descriptor(after: 7, of: "another store"))
    #expect(found.count == 10)
  }

  @Test func identifiersAreNotGivenAgainAfterForgettingAndReopening() throws {
    var seen: Set<PersistentIdentifier> = []
    for round in 0..<6 {
      let store = try fixture.open(history: .none)
      let film = try store.insertFilm("film \(round)")
      #expect(seen.insert(film).inserted)
      try store.delete(film)
      // The clock goes back, so that keys made only from the time would be repeated.
      fixture.files.moveClock(bySeconds: -3600)
      if round.isMultiple(of: 2) {
        try store.deleteHistory(HistoryDescriptor())
      } else {
        _ = try store.compact()
      }
      #expect(try fixture.open().films() == [])
    }
  }

  @Test func transactionsCountOnThroughForgetting() throws {
    for round in 1...5 {
      let store = try fixture.open()
      try store.insertFilm("film \(round)")
      try store.deleteHistory(HistoryDescriptor())
      #expect(try store.transactions(after: Int64(round), touching: nil) == [])
    }
    let store = try fixture.open()
    try store.insertFilm("last")
    #expect(try store.transactions(after: nil, touching: nil).map(\.token) == [6])
  }

  // Covers F07.
  @Test func aThousandCompactionsLeaveTheFileAsItIs() throws {
    let store = try fixture.open(history: .last(3))
    _ = try write(to: store)
    _ = try store.compact()
    let size = try fixture.bytes().count
    let everything = try store.everything()
    let digest = try LogSession(store.configuration).content.digest()
    for round in 1...1000 {
      _ = try store.compact()
      if try fixture.bytes().count != size { Issue.record("round \(round) changed the size") }
    }
    #expect(try LogSession(store.configuration).content.digest() == digest)
    #expect(try store.everything() == everything)
    #expect(try fixture.open().everything() == everything)
    #expect(try fixture.folder.names() == ["films.catlog"])
    let header = try LogSession(store.configuration).content.header
    #expect(header.generation == 1002)
  }

  // Covers F06.
  @Test(arguments: [0, 1, 20_000])
  func compactingKeepsTheDigest(count: Int) throws {
    let store = try fixture.open(history: .none)
    let films = try (0..<max(1, count)).map {
      try store.new("Film", $0 + 1, ["title": .text("film \($0)"), "year": .integer(Int64($0))])
    }
    let result = try store.commit(ChangeSet(inserted: films), author: nil)
    if count == 0 { try store.delete(try #require(result.remappedIdentifiers.values.first)) }
    let before = try LogSession(store.configuration).content.digest()
    _ = try store.compact()
    let reread = try LogSession(store.configuration)
    #expect(try reread.content.digest() == before)
    #expect(reread.content.table.count(of: "Film") == count)
    #expect(reread.content.horizon == reread.content.lastToken)
  }

  // Covers F06.
  @Test func aStoreThatWasNeverSavedIsCompactedWithoutAFile() throws {
    let store = try fixture.open(history: .none)
    #expect(try store.compact().hasPrefix("compacted 0 bytes to 0 bytes"))
    #expect(try fixture.folder.names() == [])
  }

  // Covers F04.
  @Test func aNewFileThatHoldsSomethingElseNeverGetsTheName() throws {
    let store = try fixture.open(history: .none)
    _ = try write(to: store)
    let bytes = try fixture.bytes()
    let everything = try store.everything()
    let files = fixture.files
    let folder = fixture.folder
    // Another program writes to the new file before it is read back.
    fixture.files.observe { call in
      guard call.operation == .read, call.path.contains(".compact-") else { return }
      let name = splitPath(call.path).name
      try? files.base.overwrite(folder.file(name), at: 200, 0x55)
    }
    #expect(errorCode { _ = try store.compact() } == .damaged)
    fixture.files.inject()
    #expect(try fixture.bytes() == bytes)
    #expect(try store.everything() == everything)
    #expect(try fixture.folder.names() == ["films.catlog"])
    _ = try store.compact()
    #expect(try fixture.open().everything() == everything)
  }

  // Covers F08.
  @Test func oldTransactionsAreReadUnderTheSchemaOfTheirTime() throws {
    let store = try fixture.open()
    let film = try store.insertFilm("Up", year: 2009)
    try store.apply(.renameAttribute(entity: "Film", from: "year", to: "made"), author: nil)
    try store.update(film, "made", to: .integer(2010))
    try store.apply(.dropAttribute(entity: "Film", name: "made"), author: nil)
    try store.update(film, "title", to: .text("Up!"))
    try store.deleteTransactions([1])
    for opened in [store, try fixture.open(schema: nil)] {
      let history = try opened.transactions(after: nil, touching: nil)
      #expect(history.map(\.token) == [2, 3, 4, 5])
      #expect(history[1].changes.updated.first?.before.values == ["made": .integer(2009)])
      #expect(history[3].changes.updated.first?.after.values == ["title": .text("Up!")])
    }
    try store.deleteTransactions([2, 3, 4])
    #expect(try fixture.open(schema: nil).everything() == store.everything())
  }
}
