import Foundation
import OpenSwiftData
import StoreTorture
import Stores

/// What this program does as a child of itself.
struct ChildWork {
  private let store: TorturedStore
  private let path: String

  init(_ store: TorturedStore, _ path: String) {
    self.store = store
    self.path = path
  }

  /// Inserts a record a save, and prints its number when the save has returned; goes on where the
  /// last one ended.
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

  /// Saves until a save fails for lack of room, and looks at what is there; saves less then.
  ///
  /// - Throws: What is wrong.
  func fill() throws {
    guard let open = try? store.open(LocalFileSystem(), path: path),
      (try? open.insertFilms(["0"])) != nil
    else { return try expect(0) }
    var count = 1
    while (try? open.insertFilms(["\(count)"], note: note(count))) != nil { count += 1 }
    try expect(count)
    // What needs no more room than is there works again, or fails again; nothing is lost by it.
    let again = try store.open(LocalFileSystem(), path: path)
    if (try? again.insertFilms(["x"])) != nil { count += 1 }
    try expect(count)
  }

  /// The store must hold so many films, or not be there when there are none.
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

  /// Appends records that tell who wrote them.
  func append(number: Int, count: Int) throws {
    let open = try store.open(LocalFileSystem(), path: path, lockTimeoutSeconds: 60)
    for place in 0..<count { try open.insertFilms(["\(number).\(place)"]) }
  }
}

/// A folder that is removed at the end.
final class WorkFolder: Sendable {
  let path: String

  /// Makes a folder in memory where there is such a place, else on the disk.
  ///
  /// A kill leaves what was written in memory either way; only what waits for a disk needs one.
  init(onDisk: Bool = false) throws {
    let inMemory = "/dev/shm"
    let base =
      !onDisk && access(inMemory, W_OK) == 0
      ? inMemory : FileManager.default.temporaryDirectory.path
    path = "\(base)/store-torture-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed harms nobody.
    try? FileManager.default.removeItem(atPath: path)
  }
}
