import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// How a log limits its size, and what it reports.
@Suite struct LogRetentionTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private static let long = String(repeating: "long ", count: 20_000)

  /// Writes the given number of versions of one film, 100 kB each.
  private func write(
    _ count: Int,
    to store: LogStore,
    _ film: PersistentIdentifier,
    from first: Int = 0
  ) throws {
    for number in first..<first + count {
      try store.update(film, "title", to: .text("\(number) " + Self.long))
    }
  }

  @Test(arguments: [
    ("all", HistoryRetention.all), ("none", .none), ("0", .none), ("1", .last(1)),
    ("100", .last(100)), ("007", .last(7)),
  ])
  func whatIsKeptIsReadFromItsText(text: String, expected: HistoryRetention) {
    #expect(HistoryRetention(text) == expected)
  }

  @Test(arguments: ["", "ALL", "-1", "+1", "1.5", " 1", "1k", "99999999999999999999", "١"])
  func invalidRetentionIsNil(text: String) { #expect(HistoryRetention(text) == nil) }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"),
    (999_950, "1.0 MB"), (12_400_000, "12.4 MB"), (3_000_000_000, "3.0 GB"),
    (5_000_000_000_000_000, "5000.0 TB"),
  ])
  func sizesAreToldInTheUnitThatSuitsThem(bytes: Int, text: String) {
    let gained = LogCompaction(bytesBefore: bytes, bytesAfter: 1, droppedTransactions: 1)
    #expect(
      gained.description == "compacted \(text) to 1 byte, 1 transaction dropped from the history"
    )
  }

  @Test func aFileThatIsMostlyHistoryIsCompactedBehindASave() throws {
    let store = try fixture.open(history: .none)
    let film = try store.insertFilm("Up")
    try write(5, to: store, film)
    #expect(store.compactIfWorthwhile() == [], "a small file")
    try write(7, to: store, film, from: 5)
    let size = try fixture.bytes().count
    #expect(size > LogSession.worthwhileBytes)
    let everything = try store.everything()
    let lines = store.compactIfWorthwhile()
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("compacted 2.") == true, "\(lines)")
    #expect(lines.first?.hasSuffix(" kB") == true, "\(lines)")
    #expect(try fixture.bytes().count < 110_000)
    #expect(store.compactIfWorthwhile() == [])
    #expect(try store.everything() == everything)
    #expect(try fixture.open().everything() == everything)
  }

  /// Each of these differs from the compacted file in one respect.
  @Test(arguments: ["all", "small", "needed", "reader", "locked", "kept"])
  func whatIsNotWorthwhileIsNotDone(why: String) throws {
    let retention: HistoryRetention =
      switch why {
      case "all": .all
      case "kept": .last(20)
      default: .none
      }
    let store = try fixture.open(history: retention)
    let film = try store.insertFilm("Up")
    switch why {
    case "small":
      for number in 0..<99 { try store.update(film, "year", to: .integer(Int64(number))) }
    case "needed": for _ in 0..<12 { try store.insertFilm(Self.long) }
    default: try write(14, to: store, film)
    }
    let bytes = try fixture.bytes()
    let inode = try fixture.files.status(of: fixture.path, in: nil).inode
    if why == "reader" {
      let reader = try LogStore(
        LogStoreConfiguration(path: fixture.path, isReadOnly: true, history: .none)
      )
      #expect(reader.compactIfWorthwhile() == [])
    } else if why == "locked" {
      let directory = try fixture.files.openDirectory(fixture.folder.path)
      defer { fixture.files.closeQuietly(directory) }
      let lock = try FileLock(
        fileSystem: fixture.files,
        directory: directory,
        name: "films.catlog"
      )
      try lock.withLock { #expect(store.compactIfWorthwhile() == []) }
      #expect(fixture.files.pausedNanoseconds == 0, "a save does not wait for that")
    } else {
      #expect(store.compactIfWorthwhile() == [])
    }
    #expect(try fixture.bytes() == bytes)
    #expect(try fixture.files.status(of: fixture.path, in: nil).inode == inode)
  }

  @Test func lookingWhetherItIsWorthwhileCallsNothing() throws {
    let store = try fixture.open(history: .none)
    try write(4, to: store, try store.insertFilm("Up"))
    fixture.files.inject()
    #expect(store.compactIfWorthwhile() == [])
    #expect(fixture.files.calls == [])
  }

  @Test func aCompactionThatFailsIsANoteAndTheSaveStays() throws {
    let store = try fixture.open(history: .none)
    let film = try store.insertFilm("Up")
    try write(14, to: store, film)
    let everything = try store.everything()
    fixture.files.inject { $0.path.contains(".compact-") ? .fail(.noSpace) : .none }
    let lines = store.compactIfWorthwhile()
    fixture.files.inject()
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("films.catlog: saved, but not compacted: ") == true)
    #expect(try store.everything() == everything)
    try store.insertFilm("Cars")
    #expect(try fixture.open().everything().count == everything.count + 1)
    #expect(store.compactIfWorthwhile().count == 1)
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  /// The estimated size is the size after a compaction.
  @Test(arguments: [HistoryRetention.none, .last(1), .last(5), .last(40)])
  func theEstimateIsTheSizeThatCompactingLeaves(retention: HistoryRetention) throws {
    let store = try fixture.open(history: retention)
    let studio = try store.new("Studio", 1, ["name": .text("Pixar")])
    _ = try store.commit(ChangeSet(inserted: [studio]), author: "me")
    var films: [PersistentIdentifier] = []
    for number in 0..<60 {
      films.append(try store.insertFilm(String(repeating: "title", count: number * 7)))
      let earlier = films[number / 10 * 5 + 1 < number ? number / 10 * 5 + 1 : number]
      if number % 3 == 0 { try store.update(earlier, "title", to: .text("\(number)")) }
      if number % 4 == 1 { try store.update(earlier, "year", to: .null) }
      if number % 5 == 0 { try store.delete(films[number]) }
    }
    let configuration = LogStoreConfiguration(path: fixture.path, history: retention)
    for session in [try LogSession(configuration), try LogSession(configuration)] {
      var session = session
      let horizon = session.content.retention(retention)
      let estimate = session.content.estimatedBytes(horizon)
      let written = session.content.recordBytes
      _ = try session.compact(keeping: retention)
      let size = session.content.committedOffset
      #expect(abs(estimate - size) < 1000, "\(estimate) reckoned, \(size) left")
      #expect(abs(written - session.content.recordBytes) < 200)
      session.closeFile()
    }
  }

  @Test func aLogThatIsSavedToForLongStaysSmall() throws {
    let store = try fixture.open(history: .last(2))
    let film = try store.insertFilm("Up")
    var compactions = 0
    for number in 0..<60 {
      try write(1, to: store, film, from: number)
      compactions += store.compactIfWorthwhile().count
      #expect(try fixture.bytes().count < LogSession.worthwhileBytes + 300_000)
    }
    #expect((10...30).contains(compactions))
    let reopened = try fixture.open(history: .last(2))
    #expect(try reopened.transactions(after: 59, touching: nil).map(\.token) == [60, 61])
    #expect(try reopened.everything() == store.everything())
  }

  @Test func compactingByHandObeysTheConfiguration() throws {
    let all = try fixture.open()
    let film = try all.insertFilm("Up")
    for number in 0..<9 { try all.update(film, "year", to: .integer(Int64(number))) }
    let bytes = try fixture.bytes()
    #expect(try all.compact() == "nothing to compact: \(all.path) keeps its full history")
    #expect(try fixture.bytes() == bytes)
    let some = try fixture.open(history: .last(3))
    #expect(try some.compact().hasSuffix(", 7 transactions dropped from the history"))
    #expect(try some.transactions(after: nil, touching: nil).map(\.token) == [8, 9, 10])
  }

  @Test func externalSavesAreReportedAfterCompactionAndConflicts() throws {
    let first = try fixture.open()
    let film = try first.insertFilm("Up")
    let second = try fixture.open()
    let before = try #require(try second.snapshots(for: [film])[film])
    let heard = Heard()
    let listening = second.changeFeed.observe { heard.note($0) }
    try first.update(film, "title", to: .text("theirs"))
    var after = before
    after.orderedValues[0] = .text("mine")
    #expect(
      errorCode {
        _ = try second.commit(
          ChangeSet(updated: [RecordUpdate(before: before, after: after)]),
          author: nil
        )
      } == .conflict
    )
    #expect(heard.updated == [film])
    try first.update(film, "title", to: .text("again"))
    _ = try second.compact(keeping: .last(1))
    #expect(heard.updated == [film, film])
    withExtendedLifetime(listening) {}
  }
}

/// The reports of a change feed.
private final class Heard: Sendable {
  private let changes = Mutex<[StoreChange]>([])

  var updated: [PersistentIdentifier] { changes.withLock { $0.flatMap(\.updated) } }

  func note(_ change: StoreChange) { changes.withLock { $0.append(change) } }
}
