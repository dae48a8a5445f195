import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// More damage than an interrupted save can cause: it is rejected with its position, never
/// truncated, and readable for salvage.
@Suite struct LogLostFramesTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private static let schema = Schema(
    Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)])
  )

  /// Forty saves, and the end of each.
  private func makeLog(_ count: Int = 40) throws -> [Int] {
    let store = try fixture.open(schema: Self.schema)
    return try (1...count).map { number in
      try store.insertFilm("film \(number)")
      return try fixture.bytes().count
    }
  }

  private func salvaged() throws -> (losses: [String], titles: Set<String>) {
    let new = fixture.folder.file("new.catlog")
    try? FileManager.default.removeItem(atPath: new)
    let report = try LogSalvage.run(from: fixture.path, to: new)
    let store = try LogStore(LogStoreConfiguration(path: new, schema: nil))
    return (report.losses, Set(try store.titles()))
  }

  /// Opening for saving, reading and checking does not change a byte.
  private func expectRefused(_ bytes: [UInt8], _ what: String) throws {
    try fixture.put(bytes)
    for isReadOnly in [false, true] {
      let error = #expect(throws: PersistenceError.self, "\(what)") {
        _ = try fixture.open(isReadOnly: isReadOnly)
      }
      #expect(error?.code == .damaged && error?.message.contains("salvage") == true, "\(what)")
    }
    #expect(try fixture.bytes() == bytes, "\(what)")
    #expect(try fixture.folder.names().allSatisfy { !$0.contains(".lost-") }, "\(what)")
  }

  @Test(arguments: [1, 2, 7, 8, 64])
  func insertedBytesLoseOneSaveAndNoneBehindIt(count: Int) throws {
    let sizes = try makeLog()
    let bytes = try fixture.bytes()
    for save in [1, 20, 37] {
      for place in [sizes[save], sizes[save] + 20, sizes[save] + 60] {
        var changed = bytes
        changed.insert(contentsOf: repeatElement(UInt8(0x41), count: count), at: place)
        try expectRefused(changed, "\(count) bytes inserted at \(place)")
        let (losses, titles) = try salvaged()
        // Damage between two saves loses nothing of either.
        #expect(titles.count >= 39 && !losses.isEmpty, "\(count) bytes at \(place): \(losses)")
      }
    }
  }

  @Test(arguments: [1, 3, 8, 100])
  func removedBytesAreFound(count: Int) throws {
    let sizes = try makeLog()
    let bytes = try fixture.bytes()
    for save in [1, 20, 35] {
      var changed = bytes
      changed.removeSubrange(sizes[save] + 10..<sizes[save] + 10 + count)
      try expectRefused(changed, "\(count) bytes removed")
      #expect(try salvaged().titles.count >= 38)
    }
  }

  /// Zeroes every page: at most one save is lost with status 0, and a greater loss is always
  /// rejected.
  @Test(arguments: [512, 4096])
  func aZeroPageIsNeverTakenForOneInterruptedSave(pageBytes: Int) throws {
    for shift in 0..<16 {
      let fixture = try LogFixture()
      let store = try fixture.open(schema: Self.schema)
      // Frames begin at different offsets of a page each time.
      try store.insertFilm(String(repeating: "x", count: shift * 8))
      var sizes = [try fixture.bytes().count]
      for number in 1...40 {
        try store.insertFilm("film \(number)")
        sizes.append(try fixture.bytes().count)
      }
      var bytes = try fixture.bytes()
      let page = (bytes.count - 1) / pageBytes * pageBytes
      for place in page..<bytes.count { bytes[place] = 0 }
      try fixture.put(bytes)
      let lost = sizes.filter { $0 > page }.count
      do {
        let opened = try fixture.open(schema: nil)
        #expect(lost <= 1 || opened.mayHaveLostSave, "shift \(shift): \(lost) saves lost")
        let start = sizes.last { $0 <= page } ?? 0
        #expect(lost <= 1 || page - start < 16, "shift \(shift): \(page - start) bytes of a header")
      } catch let error as PersistenceError {
        #expect(error.code == .damaged && lost > 1, "shift \(shift): \(error)")
      }
      #expect(try fixture.bytes() == bytes)
    }
  }

  @Test func nextSaveRemovesAnInterruptedSave() throws {
    let sizes = try makeLog(3)
    let bytes = try fixture.bytes()
    let start = sizes[1]
    var torn = bytes
    for place in start..<bytes.count { torn[place] = 0 }
    try fixture.put(torn)
    let store = try fixture.open()
    #expect(!store.mayHaveLostSave || start % 512 == 0)
    try store.insertFilm("Coco")
    #expect(try fixture.open().titles() == ["film 1", "film 2", "Coco"])
  }

  @Test func aSoundSaveThatTheEndOfTheFileFollowsTooLateIsNoTail() throws {
    _ = try makeLog(5)
    var bytes = try fixture.bytes()
    // A flipped bit in the last save, and one additional byte.
    bytes[bytes.count - 30] ^= 1
    try expectRefused(bytes + [0, 0, 0, 0, 0, 0, 0, 0], "bytes behind a damaged save")
  }

  @Test func afterAFailedWriteTheFileIsDurablyAsBefore() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    fixture.files.inject { call in
      guard call.operation == .write else { return .none }
      return call.number <= 3 ? .shorten(9) : .fail(.noSpace)
    }
    #expect(errorCode { try store.insertFilm("Cars") } == .inaccessible)
    let operations = fixture.files.calls.map(\.operation)
    let truncated = try #require(operations.lastIndex(of: .truncate))
    #expect(operations[truncated...].contains(.synchronize))
  }
}
