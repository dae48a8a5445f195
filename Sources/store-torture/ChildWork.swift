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
    let padding = String(repeating: "x", count: 40 + number * 37 % 400)
    while true {
      number += 1
      try open.insertFilms(["\(number)"], note: padding)
      FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
  }

  /// Appends records that tell who wrote them.
  func append(number: Int, count: Int) throws {
    let open = try store.open(LocalFileSystem(), path: path, lockTimeoutSeconds: 60)
    for place in 0..<count { try open.insertFilms(["\(number).\(place)"]) }
  }
}

/// A child of this program, with a pipe from its standard output.
struct Child {
  private let process = Process()
  private let pipe = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
  }

  /// Ends it as nothing can prevent.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Everything it has printed, when it has ended.
  func output() throws -> String {
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// Whether it ended well.
  func hasSucceeded() -> Bool {
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}

/// A folder that is removed at the end.
final class WorkFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "store-torture-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that cannot be removed harms nobody.
    try? FileManager.default.removeItem(atPath: path)
  }
}
