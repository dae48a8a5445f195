import DataStoreTesting
import Foundation
import OpenSwiftData
import Stores
import Testing

@testable import CatalogApp

/// Changes of many records at once survive a crash in a recovery file that does not grow with the records.
@Suite struct BulkRecoveryTests {
  enum Kind: String, CaseIterable, Sendable { case json, catlog }

  /// Programs that open the same file of numbered records one after the other.
  private final class World {
    static let count = 300
    private let folder: URL
    private let kind: Kind
    let disk = MemoryRecoveryStorage.Disk()

    init(_ kind: Kind) throws {
      self.kind = kind
      folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("bulk-recovery-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      if kind == .json {
        // A file of another program, whose records are known only by their positions.
        let records = (0..<Self.count).map { "{\"n\":\($0),\"m\":\"a\",\"k\":\($0 % 7)}" }
        try "[\(records.joined(separator: ",\n"))]"
          .write(to: file, atomically: true, encoding: .utf8)
      } else {
        let session = try run().session
        _ = try session.perform("import p.csv into P")
        _ = try session.perform("save")
        disk.files = []
      }
    }

    private var file: URL { folder.appendingPathComponent("P.\(kind)") }

    deinit {
      // A folder that cannot be removed does not affect other tests.
      try? FileManager.default.removeItem(at: folder)
    }

    func run() throws -> (session: Session, storage: MemoryRecoveryStorage) {
      let store: any DataStoreConfiguration =
        kind == .json
        ? JSONStoreConfiguration(path: file.path) : LogStoreConfiguration(path: file.path)
      let script = try ScriptFixture(store: store)
      let rows = (0..<Self.count).map { "\($0),a,\($0 % 7)" }
      script.services.files["p.csv"] = Array("n,m,k\n\(rows.joined(separator: "\n"))\n".utf8)
      let storage = MemoryRecoveryStorage(disk)
      script.session.store.recovery = Recovery(storage)
      return (script.session, storage)
    }
  }

  /// The records by their number.
  private static func list(_ session: Session) throws -> [String: String] {
    let snapshots = try session.context.fetchSnapshots(matching: Query("P"))
    return Dictionary(
      snapshots.map { snapshot in
        let values = ["n", "m", "k"].map { snapshot[$0]?.text ?? "-" }
        return (values[0], values.joined(separator: " "))
      },
      uniquingKeysWith: { $0 + " twice " + $1 }
    )
  }

  @Test(arguments: [1, 2, 3] as [UInt64], Kind.allCases)
  func everyMixtureOfChangesComesBack(seed: UInt64, kind: Kind) throws {
    var random = SeededGenerator(seed: seed)
    let world = try World(kind)
    let (session, storage) = try world.run()
    /// The records after each command, by the number of lines that the file had then.
    var expected: [Int: [String: String]] = [:]
    var rewrites = storage.rewrites
    for _ in 0..<14 {
      let line = Self.command(&random)
      // Some commands have nothing to do.
      do { _ = try session.perform(line) } catch { continue }
      try session.store.keepEdits()
      if storage.rewrites != rewrites || storage.ownLines == nil { expected = [:] }
      rewrites = storage.rewrites
      if let lines = storage.ownLines { expected[lines.count] = try Self.list(session) }
    }
    let lines = storage.ownLines ?? []
    // The end of each command, and some of the states between: a command can have hundreds of lines.
    let step = testStride(1, withoutSeed: 8)
    for count in lines.indices.map({ $0 + 1 })
    where expected[count] != nil || count % step == 0 {
      world.disk.files = [Array(lines.prefix(count))]
      let (next, _) = try world.run()
      let hasEdits = next.store.recovery?.offer != nil
      if hasEdits { _ = try next.perform("recover") }
      let found = try Self.list(next)
      if let wanted = expected[count] {
        #expect(found == wanted, "seed \(seed), \(count) of \(lines.count) lines")
      }
      if hasEdits { _ = try next.perform("undo") }
      #expect(!next.context.hasChanges, "seed \(seed)")
    }
  }

  private static func command(_ random: inout SeededGenerator) -> String {
    let number = random.below(World.count)
    let value = ["a", "b", "zz"][random.below(3)]
    return switch random.below(14) {
    case 0: "set where n >= 0 m=\(value)"
    case 1: "set where n >= \(number) m=\(value)"
    case 2: "set where k = \(random.below(7)) m=\(value)"
    case 3: "set where n < \(number) k=\(random.below(9))"
    case 4, 5: "set where n = \(number) m=\(value)"
    case 6: "set where n >= \(number) and n < \(number + 70) m=\(value) k=\(random.below(9))"
    case 7: "delete where k = \(random.below(7)) and n > \(number)"
    case 8: "undo"
    case 9: "redo"
    case 10: random.chance(40) ? "save" : "undo"
    case 11, 12: "set where n >= \(number) k:=k * \(1 + random.below(3)) + n"
    default: random.chance(20) ? "rollback" : "delete where n = \(number)"
    }
  }

  @Test(arguments: Kind.allCases)
  func aChangeOfManyRecordsIsOneShortLine(kind: Kind) throws {
    let world = try World(kind)
    let (session, storage) = try world.run()
    for line in [
      "set where n >= 0 m=zz", "undo", "redo", "undo", "delete where n >= 0", "undo", "redo",
    ] {
      let before = storage.ownLines?.joined().utf8.count ?? 0
      _ = try session.perform(line)
      try session.store.keepEdits()
      let lines = storage.ownLines ?? []
      #expect(lines.joined().utf8.count - before < 2000, "\(line)")
    }
  }

  /// A change of one of many records that were computed adds a line, and leaves the others as they are in the file.
  @Test(arguments: Kind.allCases)
  func aComputedRecordThatChangesAgainIsOneLine(kind: Kind) throws {
    let world = try World(kind)
    let (session, storage) = try world.run()
    _ = try session.perform("set where n >= 0 k:=k + n + 1")
    try session.store.keepEdits()
    let (before, rewrites) = (storage.ownLines?.count ?? 0, storage.rewrites)
    _ = try session.perform("set where n = 7 k=0")
    try session.store.keepEdits()
    #expect(storage.ownLines?.count == before + 1 && storage.rewrites == rewrites)
    let wanted = try Self.list(session)
    world.disk.files = [storage.ownLines ?? []]
    let (next, _) = try world.run()
    _ = try next.perform("recover")
    #expect(try Self.list(next) == wanted)
  }

  /// Records that another program has changed keep its values, and the user learns which ones were skipped.
  @Test(arguments: Kind.allCases)
  func recordsThatOthersChangedAreNamed(kind: Kind) throws {
    let world = try World(kind)
    let (session, storage) = try world.run()
    _ = try session.perform("set where n >= 0 m=zz")
    try session.store.keepEdits()
    storage.die()
    let left = world.disk.files
    world.disk.files = []
    let other = try world.run().session
    _ = try other.perform("set where n = 200 m=theirs")
    _ = try other.perform("save")
    world.disk.files = left
    let (next, _) = try world.run()
    let outcome = "\(try next.perform("recover"))"
    #expect(outcome.contains("P: 128 records from "))
    #expect(outcome.contains("skipped: m: \\\"zz\\\""))
    let found = try Self.list(next)
    #expect(found["200"]?.hasPrefix("200 theirs") == true)
    #expect(found.values.count { $0.contains(" zz ") } == World.count - 128)
    #expect(found["199"]?.hasPrefix("199 a ") == true, "its neighbors are not known to be the same")
    #expect(world.disk.files.count == 1)
  }

  /// A store that has the changes already, because the program was killed right after a save, needs none.
  @Test(arguments: Kind.allCases)
  func changesThatTheStoreHasAreNotRepeated(kind: Kind) throws {
    let world = try World(kind)
    let (session, storage) = try world.run()
    _ = try session.perform("set where n >= 0 m=zz")
    try session.store.keepEdits()
    let lines = try #require(storage.ownLines)
    _ = try session.perform("save")
    world.disk.files = [lines]
    let (next, _) = try world.run()
    let outcome = "\(try next.perform("recover"))"
    #expect(outcome.contains("already has these changes"))
    #expect(!next.context.hasChanges)
  }

  @Test func theOfferCountsAllRecords() throws {
    let world = try World(.catlog)
    let (session, storage) = try world.run()
    _ = try session.perform("set where n >= 0 m=zz")
    _ = try session.perform("set where n = 5 m=q")
    try session.store.keepEdits()
    _ = try session.perform("set where n = 6 m=r")
    try session.store.keepEdits()
    storage.die()
    let offer = try #require(try world.run().session.store.recovery?.offer)
    #expect(offer.title.hasPrefix("\(World.count) unsaved changes"))
    #expect(offer.edits.first == "P: \(World.count - 2) records: m: \"zz\"")
    #expect(offer.edits.count == 3)
  }

  @Test func keysAreReadAsTheyWereWritten() throws {
    var random = SeededGenerator(seed: 3)
    let scope = IdentifierScope(store: "s", entity: "E")
    for _ in 0..<200 {
      var key = RecordKey(milliseconds: random.next() >> 30, sequence: random.next() >> 40)
      let identifiers = (0..<random.below(300)).map { _ -> PersistentIdentifier in
        switch random.below(10) {
        case 0: return scope.identifier(uuid: UUID())
        case 1: return scope.identifier(number: random.below(1000) - 100)
        case 2: return scope.identifier(text: "k \(random.below(9))")
        default:
          let words = scope.identifier(key: key).words
          key = RecordKey(
            milliseconds: words.high,
            sequence: words.low + UInt64(random.below(3)) + 1
          )
          return scope.identifier(key: key)
        }
      }
      let list = RecoveryKeys.list(identifiers)
      #expect(list.reduce(0) { $0 + ($1.count ?? -1) } == identifiers.count)
      #expect(list.flatMap { $0.identifiers(in: scope) } == identifiers, "seed \(random.seed)")
    }
  }

  @Test(arguments: ["", "x", "0", "-1", "1*", "1*0", "1*99999999999", "1**2", "1,", "1*2*3"])
  func keysOfAnotherFormAreRefused(gaps: String) {
    #expect(RecoveryKeys(first: "1", gaps: gaps).count == nil)
  }
}
