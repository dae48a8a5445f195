import CFaultySQLite
import Foundation
import OpenSwiftData
import SQLiteStores
import Stores

/// A SQLite database under test, below which calls to the operating system can fail.
package enum TorturedDatabase: String, CaseIterable, Sendable {
  /// One of our own, with a write-ahead log.
  case own = "sqlite"
  /// One of another program, with a rollback journal, an index and a trigger.
  case foreign = "sqlite-foreign"

  /// What another program would have run.
  private static let foreignTables = """
    PRAGMA page_size = 1024;
    CREATE TABLE Film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER, note TEXT);
    CREATE INDEX FilmTitle ON Film (title);
    CREATE TABLE Trail (id INTEGER PRIMARY KEY, film INTEGER, was TEXT);
    CREATE TRIGGER FilmChanged AFTER UPDATE OF title ON Film BEGIN
      INSERT INTO Trail (film, was) VALUES (old.id, old.title);
    END;
    """

  /// Opens the database.
  ///
  /// - Throws: The error of the store.
  func open(_ path: String, schema: Schema? = TorturedStore.schema) throws -> SQLiteStore {
    try SQLiteStore(
      SQLiteConfiguration(
        path: path,
        schema: self == .own ? schema : nil,
        lockTimeoutSeconds: 0.2
      ),
      migrationPlan: nil
    )
  }

  /// Creates a database with a few films.
  func create(_ path: String) throws {
    if self == .foreign {
      let code = faulty_execute(path, Self.foreignTables)
      guard code == 0 else {
        throw PersistenceError(.storeViolation, "the tables cannot be created: \(code)")
      }
    }
    let store = try open(path)
    try store.insertFilms(["first", "second"])
    try store.insertFilms(["third"], note: String(repeating: "a", count: 6000))
    store.close()
  }
}

/// The records of a database without their identifiers, some of which are chosen at random.
struct DatabaseContents: Hashable, Sendable {
  private var counts: [[Value]: Int] = [:]

  init(of store: SQLiteStore) throws {
    for entity in store.schema.entities {
      for record in try store.snapshots(matching: Query(entity.name)) {
        counts[[.text(entity.name)] + record.orderedValues, default: 0] += 1
      }
    }
  }
}

/// A folder that is removed at the end; in memory if possible, because none of the instruments needs a disk.
final class DatabaseFolder: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let base =
      FileManager.default.isWritableFile(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    path = "\(base)/database-torture-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  // A folder that cannot be removed does no harm.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The database in the folder.
  var database: String { "\(path)/films.db" }

  /// Removes all files, and writes those of a disk.
  func replace(by disk: SimulatedDisk) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
    for name in disk.list(SimulatedDisk.folder) {
      let bytes = disk.bytes(at: joinPath(SimulatedDisk.folder, name)) ?? []
      try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    }
  }

  /// The files, without the shared memory of a write-ahead log, which no crash of the machine survives.
  func disk() throws -> SimulatedDisk {
    var disk = SimulatedDisk()
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    where !name.hasSuffix("-shm") {
      let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      disk.put(joinPath(SimulatedDisk.folder, name), Array(bytes))
    }
    return disk
  }
}

/// Failing calls below SQLite on this thread.
package enum FaultyLayer {
  /// What happens to a call.
  package enum Fault: Sendable {
    case inputOutput
    case full
    /// It reports success and does nothing, to prove that this is found.
    case silent

    /// Those that SQLite can notice.
    package static let reported: [Fault] = [.inputOutput, .full]
  }

  /// All calls that can fail.
  private static let allCalls =
    FAULTY_OPEN.rawValue | FAULTY_READ.rawValue | FAULTY_WRITE.rawValue | FAULTY_TRUNCATE.rawValue
    | FAULTY_SYNC.rawValue | FAULTY_LOCK.rawValue | FAULTY_DELETE.rawValue | FAULTY_SHARE.rawValue

  /// Puts the layer below every later connection.
  static func install() throws {
    guard faulty_install() else {
      throw PersistenceError(.storeViolation, "SQLite does not accept the layer")
    }
  }

  /// Fails a call while a body runs.
  ///
  /// - Returns: Whether the call was reached.
  static func failing(
    _ number: Int,
    _ fault: Fault,
    isPersistent: Bool,
    _ body: () -> Void
  ) -> Bool {
    faulty_plan(Int32(allCalls), Int64(number), isPersistent, fault == .full, fault == .silent)
    body()
    return faulty_end() >= number
  }
}
