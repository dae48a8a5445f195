import OpenSwiftData
import Testing

@testable import Stores

/// The messages of a log, and its configuration.
@Suite struct LogWordsTests {
  @Test(arguments: [
    (LogDamage.empty, PersistenceError.Code.notAStore, "empty file"),
    (.notALog, .notAStore, "not a catalog log"),
    (.copiedAsText, .damaged, "copy it again"),
    (.damagedHeader, .damaged, "first 64 bytes"),
    (.unknownVersion(9), .unsupported, "format version 9"),
    (.unknownFeatures(0x80), .unsupported, "0x80"),
    (
      .damagedMiddle(offset: 7, afterSequence: 3, laterOffset: nil), .damaged,
      "offset 7, after frame 3;"
    ),
    (
      .damagedMiddle(offset: 7, afterSequence: 3, laterOffset: 9), .damaged,
      "intact data resumes at offset 9"
    ),
    (.nonsense(offset: 7, sequence: 3, reason: "why"), .damaged, "frame 3 at offset 7: why"),
    (.unknownFrame(offset: 7, kind: 85), .unsupported, "unknown frame kind 85 at offset 7"),
    (.shortened(to: 3, from: 9), .conflict, "from 9 to 3 bytes"),
    (.exchanged, .conflict, "replaced by a different store"),
  ])
  func everyDamageSaysWhatItIs(damage: LogDamage, code: PersistenceError.Code, words: String) {
    let error = LogSession.damage(damage, path: "/x/y")
    #expect(error.code == code)
    #expect(error.message.hasPrefix("/x/y: "))
    #expect(error.message.contains(words), "\(error.message)")
    #expect(!error.message.contains("\n"))
  }

  @Test func reportsSayWhereTheBytesAre() {
    var report = LogOpeningReport(tail: .none, keptTailPath: nil)
    #expect(report.message == nil && !report.mayHaveLostSave)
    report.tail = .torn(offset: 5, sizeBytes: 3)
    #expect(report.message == "interrupted save ignored: 3 bytes at offset 5")
    #expect(!report.mayHaveLostSave)
    report = LogOpeningReport(tail: .damaged(offset: 5, sizeBytes: 3), keptTailPath: "/k")
    #expect(report.message?.hasSuffix("kept in /k; the last save may be lost") == true)
    #expect(report.mayHaveLostSave)
  }

  @Test func configurationsAreEqualInEverythingButTheFileSystem() {
    let one = LogStoreConfiguration(path: "/x/films.catlog", fileSystem: FaultyFileSystem())
    #expect(one == LogStoreConfiguration(path: "/x/films.catlog"))
    #expect(one.hashValue == LogStoreConfiguration(path: "/x/films.catlog").hashValue)
    #expect(one.name == "films.catlog")
    for change: (inout LogStoreConfiguration) -> Void in [
      { $0.name = "other" }, { $0.schema = Schema() }, { $0.path = "/y" }, { $0.isReadOnly = true },
      { $0.durability = .processDeath }, { $0.history = .none }, { $0.lockTimeoutSeconds = 1 },
    ] {
      var other = one
      change(&other)
      #expect(other != one)
    }
    let json = JSONStoreConfiguration(path: "/x/films.json")
    #expect(json == JSONStoreConfiguration(path: "/x/films.json"))
    #expect(json != JSONStoreConfiguration(path: "/x/films.json", isReadOnly: true))
    #expect(Set([json, JSONStoreConfiguration(path: "/y.json")]).count == 2)
    let memory = MemoryStoreConfiguration(name: "m")
    #expect(memory == MemoryStoreConfiguration(name: "m") && memory != MemoryStoreConfiguration())
    #expect(Set([memory, MemoryStoreConfiguration()]).count == 2)
  }

  @Test func withoutPowerLossInMindASaveSynchronizesNothing() throws {
    let fixture = try LogFixture()
    try fixture.open().insertFilm("Up")
    let store = try LogStore(
      LogStoreConfiguration(
        path: fixture.path,
        durability: .processDeath,
        fileSystem: fixture.files
      )
    )
    fixture.files.inject()
    try store.insertFilm("Cars")
    #expect(fixture.files.count(of: .synchronize) == 0)
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }
}
