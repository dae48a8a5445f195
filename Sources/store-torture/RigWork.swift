import Foundation
import OpenSwiftData
import StoreTorture
import Stores

/// The environment of rigs: a folder with a store of three films, and the program that saves a
/// fourth.
final class RigWork {
  let folder: WorkFolder
  let program: String?
  let say: (String) -> Void
  private static let title = "saved by the program"
  /// The exit status of the program after a save that failed or whose outcome is unknown.
  private static let failedStatus: Int32 = 5

  init(program: String?, say: @escaping (String) -> Void) throws {
    self.program = program
    self.say = say
    folder = try WorkFolder()
  }

  func path(_ store: TorturedStore) -> String {
    "\(folder.path)/films.\(store.ending)"
  }

  /// Empties the folder except for a new store.
  func prepare(_ store: TorturedStore) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
    }
    let open = try store.open(LocalFileSystem(), path: path(store))
    try open.insertFilms(["first", "second", "third"])
  }

  /// The shell command with which the program saves a fourth film.
  func saving(_ store: TorturedStore) -> String {
    "'\(program ?? "")' '\(path(store))' -e 'insert title=\"\(Self.title)\"' -e save"
  }

  /// Runs a shell line; the output includes standard error.
  func shell(_ line: String) throws -> (output: String, status: Int32) {
    let child = try ChildProcess(["/bin/sh", "-c", "{ \(line)\n} 2>&1"])
    let (bytes, status) = child.finish()
    // After a signal, the status that a shell would report.
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return (String(decoding: bytes, as: UTF8.self), code)
  }

  /// The problems of what the program left, given its output.
  func problem(_ store: TorturedStore, status: Int32, output: String) -> String? {
    let films: [String]
    do {
      let open = try store.open(LocalFileSystem(), path: path(store))
      films = try open.snapshots(matching: Query("Film")).map { film in
        if case .text(let title)? = film["title"] { title } else { "?" }
      }
      let problems = try open.check()
      if !problems.isEmpty { return "the store is not in order: \(problems)" }
    } catch {
      return "the store cannot be opened: \(error)"
    }
    let before = ["first", "second", "third"]
    let rest = films.filter { !before.contains($0) }
    guard films.count - rest.count == 3 else { return "films are missing: \(films)" }
    guard rest.isEmpty || rest == [Self.title] else { return "there is more than was saved" }
    let isUnknown = output.contains("unknown") || status >= 128
    if status == 0, rest.isEmpty { return "the save was reported as done and is not there" }
    if status == Self.failedStatus, !rest.isEmpty, !isUnknown {
      return "the save was reported as failed and is there: \(output)"
    }
    return nil
  }

  /// The problems of a store that `--filler` or `--saver` filled, given its output.
  func problemOfFilled(_ path: String, _ store: TorturedStore, _ output: String) -> String? {
    let printed = output.split(separator: "\n").compactMap { Int($0) }.max() ?? 0
    do {
      let open = try store.open(LocalFileSystem(), path: path, schema: nil)
      let count = open.schema.entities.isEmpty ? 0 : try open.count(matching: Query("Film"))
      guard count == printed || count == printed + 1 else {
        return "\(printed) acknowledged, \(count) records found"
      }
      return try open.check().first
    } catch {
      return "\(printed) acknowledged, then: \(error)"
    }
  }
}
