import Foundation
import Stores
import OpenSwiftData
import SQLiteStores
import SwiftData

/// A film as a typed model, with the same attributes as in the other tools.
@Model
final class Film {
  var title: String
  var director: String
  var year: Int
  var runtime: Int
  var boxOffice: Double
  var released: Date
  var watched: Bool

  init(_ number: Int) {
    title = "The film \(number)"
    director = "Director \(number % 1000)"
    year = 1950 + number % 75
    runtime = 60 + number % 120
    boxOffice = Double(number) * 1.25
    released = Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
    watched = number % 3 == 0
  }
}

/// A film with a unique code: a new film with the same code replaces its values.
@Model
final class CodedFilm {
  @Attribute(.unique) var code: String
  var title: String
  var year: Int

  init(_ number: Int, round: Int) {
    code = "F\(number)"
    title = "The film \(number)"
    year = 1950 + (number + round) % 75
  }
}

/// A film as a plain class, without a store.
final class PlainFilm {
  var title: String
  var year: Int

  init(_ number: Int) {
    title = "The film \(number)"
    year = 1950 + number % 75
  }
}

/// The workloads over typed models: each prints one JSON object per line; see `bench/README.md`.
struct ModelBench {
  let folder: String
  let count: Int
  let repetitions: Int
  /// The group of workloads to run; nil for all.
  var only: String?

  private var logPath: String { "\(folder)/models-\(count).catlog" }

  /// Runs every workload.
  ///
  /// - Throws: The errors of the stores.
  func run() throws {
    let groups: [(name: String, run: () throws -> Void)] = [
      ("insert", { try report("model-insert") { try insert() } }),
      ("unique", unique), ("fetch", fetch), ("read", read), ("predicate", predicate),
      ("sqlite", fetchFromFiles),
    ]
    for group in groups where only == nil || only == group.name { try group.run() }
  }

  private func insert() throws {
    if FileManager.default.fileExists(atPath: logPath) {
      try FileManager.default.removeItem(atPath: logPath)
    }
    let context = ModelContext(
      try ModelContainer(
        for: Schema([Film.self]),
        configurations: LogStoreConfiguration(path: logPath)
      )
    )
    for number in 0..<count { context.insert(Film(number)) }
    try context.save()
  }

  /// Inserts models with a unique attribute, then others that replace their values, then the same again.
  private func unique() throws {
    var container: ModelContainer?
    try report("model-insert-unique") {
      let new = try ModelContainer(
        for: Schema([CodedFilm.self]),
        configurations: MemoryStoreConfiguration()
      )
      container = new
      try insertCoded(into: new, round: 0)
    }
    guard let container else { return }
    var round = 0
    try report("model-upsert") {
      round += 1
      try insertCoded(into: container, round: round)
    }
    try report("model-upsert-same") { try insertCoded(into: container, round: round) }
    let films = try ModelContext(container).fetchCount(FetchDescriptor<CodedFilm>())
    precondition(films == count, "every film is there once")
  }

  private func insertCoded(into container: ModelContainer, round: Int) throws {
    let context = ModelContext(container)
    for number in 0..<count { context.insert(CodedFilm(number, round: round)) }
    try context.save()
  }

  /// A container over records in memory.
  private func filled(
    _ count: Int,
    in configuration: any DataStoreConfiguration = MemoryStoreConfiguration()
  ) throws -> ModelContainer {
    let container = try ModelContainer(for: Schema([Film.self]), configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<count { context.insert(Film(number)) }
    try context.save()
    return container
  }

  private func fetch() throws {
    let container = try filled(count)
    guard let store = container.stores[0] as? MemoryStore else { return }
    let query = Query("Film")
    try report("model-fetch-store") { _ = try store.snapshots(matching: query) }
    try reportFetching("model-fetch", from: container)
    // The records of a store of another package are checked; see `AnswerCheck`.
    let outside = try filled(count, in: OutsideStoreConfiguration())
    try reportFetching("model-fetch-outside", from: outside)
  }

  /// Fetches the same models from a log and from a database.
  private func fetchFromFiles() throws {
    let count = min(count, 100_000)
    let log = "\(folder)/fetched.catlog"
    let database = "\(folder)/fetched.db"
    for path in [log, database, database + "-wal", database + "-shm"] {
      // It may not exist.
      try? FileManager.default.removeItem(atPath: path)
    }
    let configurations: [(String, any DataStoreConfiguration)] = [
      ("model-fetch-log", LogStoreConfiguration(path: log)),
      ("model-fetch-sqlite", SQLiteConfiguration(path: database)),
    ]
    for (task, configuration) in configurations {
      let container = try filled(count, in: configuration)
      try reportFetching(task, from: container, count)
    }
  }

  private func reportFetching(
    _ task: String,
    from container: ModelContainer,
    _ expected: Int? = nil
  )
    throws
  {
    try report(task) {
      let films = try ModelContext(container).fetch(FetchDescriptor<Film>())
      precondition(films.count == expected ?? count, "every film is fetched")
    }
  }

  /// Sums one attribute repeatedly, so that reading takes nearly all of the time.
  private func read() throws {
    // Fetched models, as programs use them.
    let container = try filled(1000)
    let films = try ModelContext(container).fetch(FetchDescriptor<Film>())
    let plain = (0..<1000).map { PlainFilm($0) }
    let rounds = 1000
    var sum = 0
    try report("model-read-plain", divisor: rounds * 1000) {
      for _ in 0..<rounds { for film in plain { sum &+= year(of: film) } }
    }
    try report("model-read", divisor: rounds * 1000) {
      for _ in 0..<rounds { for film in films { sum &+= year(of: film) } }
    }
    try report("model-read-text-plain", divisor: rounds * 1000) {
      for _ in 0..<rounds { for film in plain { sum &+= title(of: film) } }
    }
    try report("model-read-text", divisor: rounds * 1000) {
      for _ in 0..<rounds { for film in films { sum &+= title(of: film) } }
    }
    withExtendedLifetime(sum) {}
  }

  @inline(never) private func year(of film: Film) -> Int { film.year }
  @inline(never) private func year(of film: PlainFilm) -> Int { film.year }
  @inline(never) private func title(of film: Film) -> Int { film.title.utf8.count }
  @inline(never) private func title(of film: PlainFilm) -> Int { film.title.utf8.count }

  private func predicate() throws {
    let container = try filled(count)
    let context = ModelContext(container)
    let entity = try container.schema.entity(named: "Film")
    let filter = try FilterParser.parse("year >= 1990 and title contains \"77\"", for: entity)
    // The store keeps the results of some searches: each repetition follows others.
    func forgetFilters() throws {
      for letter in "abcdfghi" {
        let filter = try FilterParser.parse("title contains \"q\(letter)q\"", for: entity)
        _ = try context.fetchCount(matching: Query("Film", filter: filter))
      }
    }
    try report("model-filter-text", before: forgetFilters) {
      _ = try context.fetchCount(matching: Query("Film", filter: filter))
    }
    let typed = FetchDescriptor<Film>(
      predicate: #Predicate { $0.year >= 1990 && $0.title.contains("77") }
    )
    try report("model-predicate", before: forgetFilters) { _ = try context.fetchCount(typed) }
  }

  /// Prints the median time of the work, divided by the number of its parts.
  private func report(
    _ task: String,
    divisor: Int = 1,
    before prepare: () throws -> Void = {},
    _ work: () throws -> Void
  ) rethrows {
    var times: [Double] = []
    for _ in 0..<repetitions {
      try prepare()
      let start = ContinuousClock.now
      try work()
      times.append((ContinuousClock.now - start) / .seconds(1))
      // Long work varies less, and the whole run should be short.
      if times.count > 1, times.reduce(0, +) > 15 { break }
    }
    times.sort()
    let seconds = times[times.count / 2] / Double(divisor)
    let line =
      "{\"tool\": \"catalog\", \"task\": \"\(task)\", \"n\": \(count), \"seconds\": \(seconds)}\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }
}
