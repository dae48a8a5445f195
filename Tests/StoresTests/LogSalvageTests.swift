import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

@Suite struct LogSalvageTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  /// Five saves, and their ranges in the file.
  private func makeLog() throws -> [Int] {
    let store = try fixture.open()
    var sizes: [Int] = []
    let up = try store.insertFilm("Up")
    sizes.append(try fixture.bytes().count)
    try store.insertFilm("Cars")
    sizes.append(try fixture.bytes().count)
    try store.update(up, "title", to: .text("Up!"))
    sizes.append(try fixture.bytes().count)
    try store.insertFilm("Brave")
    sizes.append(try fixture.bytes().count)
    try store.delete(up)
    sizes.append(try fixture.bytes().count)
    return sizes
  }

  private func salvage() throws -> (LogSalvage.Report, [String]) {
    let new = fixture.folder.file("new.catlog")
    let report = try LogSalvage.run(from: fixture.path, to: new)
    let store = try LogStore(LogStoreConfiguration(path: new, schema: nil))
    #expect(store.openingReport.tail == .none)
    return (report, try store.titles().sorted())
  }

  @Test func aSoundLogIsCopiedWithoutLoss() throws {
    _ = try makeLog()
    let (report, titles) = try salvage()
    #expect(report == LogSalvage.Report(recordCount: 2, losses: []))
    #expect(titles == ["Brave", "Cars"])
  }

  @Test func salvageSkipsADamagedSaveAndKeepsTheOthers() throws {
    let sizes = try makeLog()
    var bytes = try fixture.bytes()
    bytes[sizes[0] + LogFormat.frameHeaderBytes + 3] ^= 0x10
    try fixture.put(bytes)
    #expect(throws: PersistenceError.self) { _ = try fixture.open() }
    let (report, titles) = try salvage()
    #expect(titles == ["Brave"] && report.recordCount == 1)
    #expect(
      report.losses == [
        "offsets \(sizes[0])–\(sizes[1] - 1) unreadable, after transaction 1; 1 frame lost"
      ]
    )
    #expect(try fixture.bytes() == bytes)
  }

  @Test func changesToLostRecordsAreListed() throws {
    let store = try fixture.open()
    _ = try store.insertFilm("Up")
    let first = try fixture.bytes().count
    let cars = try store.insertFilm("Cars")
    let middle = try fixture.bytes().count
    try store.update(cars, "title", to: .text("Cars 2"))
    var bytes = try fixture.bytes()
    for place in first..<middle { bytes[place] = 0xAA }
    try fixture.put(bytes)
    let (report, titles) = try salvage()
    #expect(titles == ["Up"])
    #expect(report.losses.count == 2)
    #expect(report.losses.last?.contains("change to Film \(cars) skipped") == true)
  }

  @Test func everyBitFlipLeavesARecordThatWasSaved() throws {
    _ = try makeLog()
    let bytes = try fixture.bytes()
    let known: Set<String> = ["Up", "Up!", "Cars", "Brave"]
    for place in stride(from: LogFormat.headerBytes, to: bytes.count, by: testRounds(1) > 1 ? 1 : 7)
    {
      var flipped = bytes
      flipped[place] ^= UInt8(1 << (place % 8))
      try fixture.put(flipped)
      let new = fixture.folder.file("new.catlog")
      try? FileManager.default.removeItem(atPath: new)
      do {
        _ = try LogSalvage.run(from: fixture.path, to: new)
        let store = try LogStore(LogStoreConfiguration(path: new, schema: nil))
        #expect(Set(try store.titles()).isSubset(of: known), "byte \(place)")
      } catch let error as PersistenceError {
        // The schema, which is needed to read anything.
        #expect(error.code == .damaged, "byte \(place): \(error)")
      }
    }
  }

  @Test func aLargeSaveThatLostAPartIsLeftOutAsAWhole() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let first = try fixture.bytes().count
    let films = try (1...4).map { (number: Int) in
      let title = String(repeating: "\(number)", count: LogFormat.partBytes / 2)
      return try store.new("Film", number, ["title": .text(title)])
    }
    _ = try store.commit(ChangeSet(inserted: films), author: nil)
    var bytes = try fixture.bytes()
    bytes[bytes.count - 100] ^= 1
    try fixture.put(bytes)
    let (report, titles) = try salvage()
    #expect(titles == ["Up"] && bytes.count > first + LogFormat.partBytes)
    #expect(report.losses.contains { $0.hasPrefix("transaction 2 of ") }, "\(report.losses)")
  }

  @Test func withoutItsSchemaTheFileIsNamed() throws {
    let sizes = try makeLog()
    var bytes = try fixture.bytes()
    bytes[LogFormat.headerBytes + LogFormat.frameHeaderBytes] ^= 1
    // The copy of it ends with the first save.
    bytes[sizes[0] - 20] ^= 1
    try fixture.put(bytes)
    let error = #expect(throws: PersistenceError.self) { _ = try salvage() }
    #expect(
      error?.description.contains("films.catlog: the schema and every copy of it are lost") == true
    )
  }

  @Test func aFileThatIsThereIsNotOverwritten() throws {
    _ = try makeLog()
    try fixture.folder.put("new.catlog", [1, 2, 3])
    #expect(throws: (any Error).self) {
      _ = try LogSalvage.run(from: fixture.path, to: fixture.folder.file("new.catlog"))
    }
    #expect(try fixture.folder.bytes("new.catlog") == [1, 2, 3])
  }

  @Test func theSalvagedLogGoesOnWithNewKeysAndNumbers() throws {
    _ = try makeLog()
    let new = fixture.folder.file("new.catlog")
    _ = try LogSalvage.run(from: fixture.path, to: new)
    let store = try LogStore(LogStoreConfiguration(path: new, schema: nil))
    let film = try store.insertFilm("Coco")
    #expect(try store.snapshots(for: [film]).count == 1)
    let again = try LogStore(LogStoreConfiguration(path: new, schema: nil))
    #expect(try again.titles().sorted() == ["Brave", "Cars", "Coco"])
  }
}
