import DataStoreTesting
import Foundation
import OpenSwiftData
import StoreTorture
import Stores

/// Kills processes at random moments while they save, and checks what they left.
struct KillLoop: Sendable {
  private let store: TorturedStore
  private let folder: WorkFolder
  private let seed: UInt64
  /// A file with more records is followed by a new one.
  private static let recordLimit = 600
  /// The number of concurrent children, which wait more than they work.
  private static let width = 2 * Parallel.count
  /// A child takes some milliseconds to start; it is killed before and during saves.
  private static let patienceMicroseconds = 16_000

  init(_ store: TorturedStore, seed: UInt64) throws {
    self.store = store
    self.seed = seed
    folder = try WorkFolder()
  }

  /// Kills the given number of processes, or until the time is over.
  ///
  /// - Returns: How many processes were killed, and after how many of them something was wrong.
  func run(_ goal: Int, isOver: @Sendable () -> Bool) -> TortureFigures {
    let share = (goal + Self.width - 1) / Self.width
    return Parallel.sum(Self.width) { worker in
      var figures = TortureFigures()
      do {
        try kill(share, worker, &figures, isOver)
      } catch {
        figures.note("no child could be started: \(error)")
      }
      return figures
    }
  }

  private func kill(
    _ goal: Int,
    _ worker: Int,
    _ figures: inout TortureFigures,
    _ isOver: () -> Bool
  ) throws {
    var random = SeededGenerator(seed: seed &+ UInt64(worker) &* 7919)
    var file = 0
    var acknowledged = 0
    while figures.tries < goal, !isOver() {
      let name = "\(worker)-\(file).\(store.ending)"
      let path = "\(folder.path)/\(name)"
      let child = try ChildProcess([CommandLine.arguments[0], "--saver", store.rawValue, path])
      usleep(UInt32(random.below(Self.patienceMicroseconds)))
      child.kill()
      let printed = String(decoding: child.finish().output, as: UTF8.self).split(separator: "\n")
      // The last line may be cut off; the one before it is complete.
      acknowledged = max(acknowledged, printed.compactMap { Int($0) }.max() ?? 0)
      figures.tries += 1
      acknowledged = look(path, acknowledged, &figures)
      if acknowledged > Self.recordLimit { (file, acknowledged) = (file + 1, 0) }
    }
  }

  /// Opens the store: it must contain every acknowledged record and at most one more, all complete.
  ///
  /// - Returns: The number of records.
  private func look(_ path: String, _ acknowledged: Int, _ figures: inout TortureFigures) -> Int {
    do {
      let open = try store.open(LocalFileSystem(), path: path)
      let films = try open.snapshots(matching: Query("Film"))
      let numbers = films.compactMap { film in
        if case .text(let title)? = film["title"] { Int(title) } else { nil }
      }
      guard Set(numbers) == Set(1..<films.count + 1), numbers.count == films.count,
        films.count == acknowledged || films.count == acknowledged + 1
      else {
        figures.note("\(acknowledged) acknowledged, \(films.count) records found in \(path)")
        return films.count
      }
      return films.count
    } catch {
      figures.note("\(acknowledged) acknowledged, then: \(error)")
      return acknowledged
    }
  }
}

/// Processes that save to one file at the same time.
struct WriterRace {
  let store: TorturedStore
  let processes: Int
  /// How many records each of them saves, one at a time.
  let count: Int

  /// Runs them and checks the file.
  func run() throws -> TortureFigures {
    let folder = try WorkFolder()
    let path = folder.path + "/race.\(store.ending)"
    try store.open(LocalFileSystem(), path: path).insertFilms(["first"])
    let children = try (0..<processes).map { number in
      try ChildProcess([
        CommandLine.arguments[0], "--appender", store.rawValue, path, "\(number)", "\(count)",
      ])
    }
    var figures = TortureFigures()
    figures.tries = processes * count
    for (number, child) in children.enumerated() where child.finish().status != 0 {
      figures.note("process \(number) failed")
    }
    try look(path, &figures)
    return figures
  }

  /// Every record exists once, those of one process in the order of its saves.
  private func look(_ path: String, _ figures: inout TortureFigures) throws {
    let open = try store.open(LocalFileSystem(), path: path)
    var next = [Int](repeating: 0, count: processes)
    for transaction in try open.transactions(after: nil, touching: nil) {
      for film in transaction.changes.inserted {
        guard case .text(let title)? = film["title"], title != "first" else { continue }
        let parts = title.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2, next[parts[0]] == parts[1] else {
          figures.note("\(title) is not in its place")
          continue
        }
        next[parts[0]] += 1
      }
    }
    if next.contains(where: { $0 != count }) { figures.note("records are missing: \(next)") }
    for problem in try open.check() { figures.note(problem) }
  }
}
