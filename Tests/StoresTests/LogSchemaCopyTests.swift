import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A log contains copies of the schema and the file header, which salvage uses.
@Suite struct LogSchemaCopyTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private func salvaged() throws -> (losses: [String], titles: [String]) {
    let new = fixture.folder.file("new.catlog")
    try? FileManager.default.removeItem(atPath: new)
    let report = try LogSalvage.run(from: fixture.path, to: new)
    let store = try LogStore(LogStoreConfiguration(path: new, schema: nil))
    return (report.losses, try store.titles().sorted())
  }

  /// Frames by their kinds.
  private func frames(_ kind: LogFormat.FrameKind) throws -> [Range<Int>] {
    let bytes = try fixture.bytes()
    var found: [Range<Int>] = []
    var offset = LogFormat.headerBytes
    bytes.withUnsafeBytes { buffer in
      while offset < buffer.count {
        let length = buffer.littleEndian(offset + LogFormat.Frame.payloadLength, as: UInt32.self)
        let end = offset + LogFormat.frameBytes(payload: Int(length))
        if buffer[offset + LogFormat.Frame.kind] == kind.rawValue { found.append(offset..<end) }
        offset = end
      }
    }
    return found
  }

  private func flip(_ place: Int) throws {
    var bytes = try fixture.bytes()
    bytes[place] ^= 4
    try fixture.put(bytes)
  }

  @Test(arguments: [false, true])
  func theFirstSchemaIsFoundAgain(isCompacted: Bool) throws {
    let store = try fixture.open()
    for title in ["Up", "Cars", "Coco"] { try store.insertFilm(title) }
    if isCompacted { _ = try store.compact(keeping: .none) }
    try flip(try #require(try frames(.schema).first).lowerBound + 60)
    #expect(errorCode { _ = try fixture.open() } == .damaged)
    let (losses, titles) = try salvaged()
    #expect(titles == ["Cars", "Coco", "Up"] && losses.count == 1, "\(losses)")
  }

  @Test func theEntityThatALostFrameCreatedIsFoundAgain() throws {
    let store = try fixture.open(schema: Schema())
    let entity = Schema.Entity("Film", attributes: LogFixture.schema.entities[0].fields)
    let studio = Schema.Entity("Studio", attributes: LogFixture.schema.entities[1].fields)
    let first = Schema.Entity("Studio", attributes: [studio.fields[0]])
    try store.apply(.createEntity(first), author: nil)
    try store.apply(
      .createEntity(Schema.Entity("Film", attributes: Array(entity.fields.prefix(2)))),
      author: nil
    )
    for title in ["Up", "Cars", "Coco"] { try store.insertFilm(title) }
    try flip(try #require(try frames(.schemaChange).last).lowerBound + 70)
    let (losses, titles) = try salvaged()
    #expect(titles == ["Cars", "Coco", "Up"])
    #expect(losses.contains { $0.contains("schema change before transaction 3") })
  }

  @Test func everySingleFlippedBitOutsideOfASaveLosesNoRecord() throws {
    let store = try fixture.open(schema: Schema())
    try store.apply(
      .createEntity(Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)])),
      author: nil
    )
    for title in ["Up", "Cars"] {
      let film = try store.new("Film", 1, ["title": .text(title)])
      _ = try store.commit(ChangeSet(inserted: [film]), author: nil)
    }
    let bytes = try fixture.bytes()
    let saves = try frames(.transaction)
    for place in stride(from: 0, to: bytes.count, by: 3) {
      if saves.contains(where: { $0.contains(place) }) { continue }
      try fixture.put(bytes)
      try flip(place)
      #expect(try salvaged().titles == ["Cars", "Up"], "byte \(place)")
    }
  }

  @Test func theFileHeaderIsFoundAgain() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars"] { try store.insertFilm(title) }
    let identifier = store.identifier
    var bytes = try fixture.bytes()
    for place in 0..<LogFormat.headerBytes { bytes[place] = 0 }
    try fixture.put(bytes)
    let (losses, titles) = try salvaged()
    #expect(titles == ["Cars", "Up"] && losses.first?.contains("first 64 bytes") == true)
    let new = fixture.folder.file("new.catlog")
    #expect(try LogStore(LogStoreConfiguration(path: new)).identifier == identifier)
    // A file that never was a log is still rejected.
    try fixture.put([UInt8](repeating: 7, count: 5000))
    #expect(errorCode { _ = try salvaged() } == .notAStore)
  }

  /// Reading a base with a later schema would show values in the wrong fields.
  @Test func aBaseIsReadUnderItsOwnSchemaOnly() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars"] { try store.insertFilm(title) }
    _ = try store.compact(keeping: .none)
    try store.apply(.dropAttribute(entity: "Film", name: "title"), author: nil)
    let studio = try store.new("Studio", 1, ["name": .text("Pixar")])
    _ = try store.commit(ChangeSet(inserted: [studio]), author: nil)
    let copies = try frames(.schemaCopy)
    #expect(copies.count == 2)
    try flip(try #require(try frames(.schema).first).lowerBound + 60)
    try flip(copies[0].lowerBound + 120)
    let new = fixture.folder.file("new.catlog")
    let report = try LogSalvage.run(from: fixture.path, to: new)
    #expect(report.recordCount == 1, "\(report.losses)")
    #expect(report.losses.contains { $0.contains("missing schema") })
  }

  @Test func copiesCostLittle() throws {
    let store = try fixture.open()
    try store.insertFilm("first")
    fixture.files.inject()
    for number in 0..<800 { try store.insertFilm("film \(number)") }
    let copies = try frames(.schemaCopy)
    #expect(copies.count > 1)
    #expect(fixture.files.count(of: .synchronize) == 800 + copies.count - 1)
    let bytes = copies.reduce(0) { $0 + $1.count }
    #expect(bytes * 50 < (try fixture.bytes().count), "\(bytes) bytes of copies")
    #expect(try fixture.open().transactions(after: 800, touching: nil).count == 1)
  }

  @Test func aLogWithoutCopiesGetsOneWithItsNextSave() throws {
    let store = try fixture.open()
    for title in ["Up", "Cars"] { try store.insertFilm(title) }
    // As an older program wrote it: without the copy after the first save.
    var bytes = try fixture.bytes()
    bytes.removeSubrange(try #require(try frames(.schemaCopy).first))
    var before = LogSealing.sealed(bytes)
    try fixture.put(before)
    #expect(try fixture.open().titles() == ["Up", "Cars"])
    #expect(try frames(.schemaCopy).isEmpty)
    try fixture.open().insertFilm("Coco")
    #expect(try frames(.schemaCopy).count == 1)
    before = try fixture.bytes()
    try fixture.open().insertFilm("Brave")
    #expect(try frames(.schemaCopy).count == 1)
    #expect(try fixture.bytes().starts(with: before))
  }
}
