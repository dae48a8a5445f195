import Foundation
import OpenSwiftData
import StoreTorture
import Stores

/// The work of this program as its own child process.
struct ChildWork {
  private let store: TorturedStore
  private let path: String

  init(_ store: TorturedStore, _ path: String) {
    self.store = store
    self.path = path
  }

  /// Inserts one record per save, and prints its number when the save has returned.
  ///
  /// It continues after the last existing number.
  func saveUntilKilled() throws {
    let open = try store.open(LocalFileSystem(), path: path)
    var number = try open.count(matching: Query("Film"))
    let padding = note(number)
    while true {
      number += 1
      try open.insertFilms(["\(number)"], note: padding)
      FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
  }

  /// Saves until the disk is full, checks the store, and then saves smaller changes.
  ///
  /// - Throws: The problems found.
  func fill() throws {
    var count = saveUntilFull()
    try expect(count)
    if count == 0 { return }
    // A save without additional space works again, or fails again; either way nothing is lost.
    let again = try store.open(LocalFileSystem(), path: path)
    if (try? again.insertFilms(["x"])) != nil { count += 1 }
    try expect(count)
  }

  /// Saves one film after the other until a save fails, and closes the store: its lock file may be the last one that the
  /// file system has room for.
  ///
  /// - Returns: The number of films that were saved.
  private func saveUntilFull() -> Int {
    guard let open = try? store.open(LocalFileSystem(), path: path),
      (try? open.insertFilms(["0"])) != nil
    else { return 0 }
    var count = 1
    while (try? open.insertFilms(["\(count)"], note: note(count))) != nil { count += 1 }
    return count
  }

  /// The store must contain this many films; with none, its file need not exist.
  private func expect(_ count: Int) throws {
    if count == 0, access(path, F_OK) != 0 { return }
    let open = try store.open(LocalFileSystem(), path: path, schema: nil)
    let found = open.schema.entities.isEmpty ? 0 : try open.count(matching: Query("Film"))
    let problems = try open.check()
    guard found == count, problems.isEmpty else {
      throw PersistenceError(.storeViolation, "\(count) saved, \(found) found \(problems)")
    }
  }

  private func note(_ number: Int) -> String {
    String(repeating: "x", count: 40 + number * 37 % 400)
  }

  /// Appends records that name their writer.
  func append(number: Int, count: Int) throws {
    let open = try store.open(LocalFileSystem(), path: path, lockTimeoutSeconds: 60)
    for place in 0..<count { try open.insertFilms(["\(number).\(place)"]) }
  }
}

/// A folder that is removed at the end.
final class WorkFolder: Sendable {
  let path: String

  /// Creates a folder in memory if possible, else on the disk.
  ///
  /// Killing a process never affects written data, even in memory; only measurements of durable
  /// saves need a disk.
  init(onDisk: Bool = false) throws {
    let inMemory = "/dev/shm"
    let base =
      !onDisk && access(inMemory, W_OK) == 0
      ? inMemory : FileManager.default.temporaryDirectory.path
    path = "\(base)/store-torture-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed does no harm.
    try? FileManager.default.removeItem(atPath: path)
  }
}
