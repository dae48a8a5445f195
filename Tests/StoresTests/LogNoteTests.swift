import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Messages of saves, and the order of schema changes, in a log.
@Suite struct LogNoteTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private func save(_ store: LogStore, _ title: String, message: String?) throws {
    let film = try store.new("Film", 1, ["title": .text(title)])
    _ = try store.commit(ChangeSet(inserted: [film]), author: nil, message: message)
  }

  private func messages(_ store: LogStore) throws -> [String?] {
    try store.transactions(after: nil, touching: nil).map(\.message)
  }

  @Test func messagesSurviveClosingAndCompaction() throws {
    let store = try fixture.open()
    try save(store, "Up", message: "first")
    try save(store, "Cars", message: nil)
    try save(store, "Coco", message: "third\nline")
    let expected = ["first", nil, "third\nline"]
    #expect(try messages(store) == expected)
    #expect(try messages(fixture.open(isReadOnly: true)) == expected)
    _ = try store.compact(keeping: .last(2))
    #expect(try messages(store) == [nil, "third\nline"])
    try save(store, "Soul", message: "fourth")
    _ = try store.deleteTransactions([4])
    #expect(try messages(store) == [nil, "third\nline"])
    #expect(try messages(fixture.open(isReadOnly: true)) == [nil, "third\nline"])
    #expect(try store.check() == [])
  }

  @Test func aNoteWithoutItsTransactionMeansNothing() throws {
    let store = try fixture.open()
    try save(store, "Up", message: nil)
    let before = try fixture.bytes().count
    try save(store, "Cars", message: "lost")
    store.close()
    let bytes = try fixture.bytes()
    let length = bytes.withUnsafeBytes {
      $0.littleEndian(before + LogFormat.Frame.payloadLength, as: UInt32.self)
    }
    #expect(bytes[before + LogFormat.Frame.kind] == LogFormat.FrameKind.note.rawValue)
    let end = before + LogFormat.frameBytes(payload: Int(length))
    // A crash between the note and its transaction, or in the middle of the transaction.
    for count in [end, end + 8, bytes.count - 8] {
      try fixture.put(Array(bytes[..<count]))
      let reopened = try fixture.open()
      #expect(try reopened.titles() == ["Up"])
      try save(reopened, "Soul", message: nil)
      #expect(try messages(reopened) == [nil, nil])
      reopened.close()
      try fixture.removeKept()
    }
  }

  @Test func schemaStepsAreKeptInOrder() throws {
    let store = try fixture.open(schema: Schema())
    let entity = Schema.Entity("A", attributes: [Schema.Attribute("x", .text)])
    let steps: [SchemaStep] = [
      .createEntity(entity),
      .addAttribute(entity: "A", Schema.Attribute("y", .text), at: nil),
      .renameAttribute(entity: "A", from: "x", to: "z"),
      .dropAttribute(entity: "A", name: "y"),
    ]
    _ = try store.commit(ChangeSet(), after: steps, author: nil, message: "all")
    let expected = steps.compactMap(\.change)
    for opened in [store, try fixture.open(isReadOnly: true, schema: nil)] {
      let transaction = try #require(try opened.transactions(after: nil, touching: nil).last)
      #expect(transaction.schemaSteps == expected && transaction.message == "all")
    }
  }

  @Test func aSaveWithoutAMessageIsOneFrame() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco", "Soul"] { try save(store, title, message: nil) }
    let kinds = try frameKinds()
    #expect(!kinds.contains(LogFormat.FrameKind.note.rawValue))
  }

  private func frameKinds() throws -> [UInt8] {
    let bytes = try fixture.bytes()
    var kinds: [UInt8] = []
    var offset = LogFormat.headerBytes
    bytes.withUnsafeBytes { buffer in
      while offset < buffer.count {
        kinds.append(buffer[offset + LogFormat.Frame.kind])
        let length = buffer.littleEndian(offset + LogFormat.Frame.payloadLength, as: UInt32.self)
        offset += LogFormat.frameBytes(payload: Int(length))
      }
    }
    return kinds
  }

  /// A log opened at a point of its history.
  @Test func aViewOfThePastIsRead() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco"] { try save(store, title, message: nil) }
    func view(_ point: HistoryPoint) throws -> LogStore {
      try LogStore(
        LogStoreConfiguration(path: fixture.path, isReadOnly: true, end: point)
      )
    }
    for count in 0...3 {
      let past = try view(.token(Int64(count)))
      #expect(try past.films().count == count)
      #expect(try messages(past).count == count)
    }
    let past = try view(.token(2))
    try save(store, "Soul", message: nil)
    #expect(try past.films().count == 2, "the past does not change")
    #expect(try view(.time(.distantPast)).films().isEmpty)
    #expect(try view(.time(.distantFuture)).films().count == 4)
    #expect(errorCode { _ = try view(.token(5)) } == .historyExpired)
    _ = try store.compact(keeping: .last(1))
    #expect(errorCode { _ = try view(.token(2)) } == .historyExpired)
    #expect(errorCode { _ = try view(.time(.distantPast)) } == .historyExpired)
    #expect(try view(.token(3)).films().count == 3)
  }
}
