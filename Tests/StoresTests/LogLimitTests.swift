import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Logs at the ends of the ranges, and keys of several kinds.
@Suite struct LogLimitTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// A film with a permanent identifier of the caller's choice.
  private func film(_ key: PersistentIdentifier, _ store: LogStore) throws -> DefaultSnapshot {
    let new = try store.new("Film", 1, ["title": .text("\(key)")])
    return DefaultSnapshot(
      persistentIdentifier: key,
      layout: new.layout,
      orderedValues: new.orderedValues
    )
  }

  private func identifier(_ key: String, _ store: LogStore) throws -> PersistentIdentifier {
    try .identifier(for: store.identifier, entityName: "Film", primaryKey: key)
  }

  private func identifier(_ key: Int, _ store: LogStore) throws -> PersistentIdentifier {
    try .identifier(for: store.identifier, entityName: "Film", primaryKey: key)
  }

  /// Formerly the compaction failed its verification, now and for ever.
  @Test func compactsAfterAKindOfKeysHasGone() throws {
    let store = try fixture.open(history: .none)
    let keys = [try identifier(1, store), try identifier("abc", store), try identifier(3, store)]
    _ = try store.commit(ChangeSet(inserted: try keys.map { try film($0, store) }), author: nil)
    _ = try store.compact(keeping: .none)
    try store.delete(keys[1])
    _ = try store.compact(keeping: .none)
    let reopened = try fixture.open(history: .none, schema: nil)
    #expect(try reopened.films().map(\.persistentIdentifier) == [keys[0], keys[2]])
    try reopened.insertFilm("new")
    _ = try reopened.compact(keeping: .none)
    #expect(try fixture.open(schema: nil).films().count == 3)
  }

  /// Formerly the next number overflowed.
  @Test func recordsAfterTheGreatestNumberGetRecordKeys() throws {
    let store = try fixture.open(history: .none)
    let last = try identifier(Int.max, store)
    _ = try store.commit(ChangeSet(inserted: [try film(last, store)]), author: nil)
    let next = try store.insertFilm("next")
    #expect(next != last && next.numberKey == nil)
    _ = try store.compact(keeping: .none)
    let reopened = try fixture.open(schema: nil)
    #expect(try reopened.films().map(\.persistentIdentifier) == [last, next])
  }

  /// A log of these frames after its schema.
  private func write(_ frames: (LogFrameWriter) throws -> Void) throws {
    let header = LogHeader(identifier: UUID(), generation: 2, salt: 9)
    var bytes = header.encoded()
    let writer = LogFrameWriter(continuing: LogChain(header)) { bytes += $0 }
    try writer.write(LogFixture.schema)
    try frames(writer)
    try fixture.put(bytes)
  }

  /// Formerly every later frame was ignored, and a save overflowed.
  @Test(arguments: [Int64.max, Int64.max / 2 + 1])
  func rejectsAHorizonWithoutRoomForSaves(horizon: Int64) throws {
    try write { writer in
      let end = LogBaseEnd(
        horizon: horizon,
        recordCount: 0,
        highestKey: nil,
        greatestNumbers: [0, 0]
      )
      writer.append { end.encode(to: &$0) }
      try writer.finish(.baseEnd)
    }
    let error = #expect(throws: PersistenceError.self) { _ = try fixture.open() }
    #expect(error?.code == .damaged)
  }

  /// Formerly the records one by one were added to columns that were too short.
  @Test func rejectsRecordsBetweenTheSectionsOfAGroup() throws {
    let store = try fixture.open(history: .none)
    for title in ["a", "b", "c"] { try store.insertFilm(title) }
    _ = try store.compact(keeping: .none)
    let frame = try #require(try fixture.frames(of: .baseColumns).first)
    let payload = Array(try fixture.bytes()[frame].dropFirst(LogFormat.frameHeaderBytes))
    let film = try film(try identifier("z", store), store)
    try write { writer in
      // The keys alone: a header of 32 bytes, and 16 bytes for each.
      writer.append { frame in
        for byte in payload[..<(32 + 3 * 16)] { frame.append(byte: byte) }
      }
      try writer.finish(.baseColumns)
      var items = LogItemEncoder(LogSchema(LogFixture.schema, storeIdentifier: store.identifier))
      try writer.append { try items.append(LogItem.insert, film, to: &$0) }
      try writer.finish(.baseChunk)
    }
    let error = #expect(throws: PersistenceError.self) { _ = try fixture.open() }
    #expect(error?.code == .damaged)
  }
}
