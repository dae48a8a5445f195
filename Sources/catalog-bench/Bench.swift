import Foundation
import OpenSwiftData
import Stores

/// The workloads of `make bench`: each prints one JSON object per line; see `bench/README.md`.
struct Bench {
  let folder: String
  let count: Int
  let repetitions: Int

  private var jsonPath: String { "\(folder)/films-\(count).json" }
  private var csvPath: String { "\(folder)/films-\(count).csv" }
  private var logPath: String { "\(folder)/bench-\(count).catlog" }
  private static let pageCount = 40

  /// Runs every workload.
  ///
  /// - Throws: The errors of the stores.
  func run() throws {
    var store: JSONStore?
    try report("open-json", megabytes: true) {
      // Two open stores would need twice the memory of one.
      store = nil
      store = try openJSON()
    }
    guard let store else { return }
    let entity = store.schema.entities[0]
    try report("filter-number") {
      try firstPage(store, filter: .compare("year", .greaterOrEqual, .integer(1990)))
    }
    try report("filter-text", before: { try forgetFilters(store) }) {
      try firstPage(store, filter: Self.contains("needle"))
    }
    let order = [SortKey("year"), SortKey("boxOffice", isDescending: true)]
    try report("sort") { _ = try store.identifiers(matching: Query(entity.name, sort: order)) }
    try report("top40") {
      _ = try store.snapshots(matching: Query(entity.name, sort: order, limit: Self.pageCount))
    }
    try runLog(entity, records: store.snapshots(matching: Query(entity.name)))
    try report("open-log", megabytes: true) { try openLog() }
    try edit("edit-log", store: LogStore(LogStoreConfiguration(path: logPath)), entity)
    let copy = "\(folder)/bench-\(count).json"
    try copyFile(from: jsonPath, to: copy)
    let copied = try JSONStore(JSONStoreConfiguration(path: copy))
    // A plain file's entity is named after the file.
    try edit("edit-json", store: copied, copied.schema.entities[0])
    try runCSV()
  }

  /// Runs the workloads on a CSV file with the same records, if there is one.
  private func runCSV() throws {
    guard FileManager.default.fileExists(atPath: csvPath) else { return }
    var store: JSONStore?
    try report("open-csv", megabytes: true) {
      store = nil
      store = try open(JSONStoreConfiguration(path: csvPath, form: .delimited))
    }
    guard store != nil else { return }
    store = nil
    let copy = "\(folder)/bench-\(count).csv"
    try copyFile(from: csvPath, to: copy)
    let copied = try JSONStore(JSONStoreConfiguration(path: copy, form: .delimited))
    try edit("edit-csv", store: copied, copied.schema.entities[0])
  }

  /// Runs the workloads of the store that decodes and encodes everything with Foundation.
  ///
  /// - Throws: The errors of Foundation.
  func runNaive() throws {
    let copy = "\(folder)/naive-\(count).json"
    try copyFile(from: jsonPath, to: copy)
    defer { try? FileManager.default.removeItem(atPath: copy) }  // A leftover copy does no harm.
    var store: NaiveStore?
    try report("open-json", tool: "naive store", megabytes: true) {
      store = nil
      store = try NaiveStore(path: copy)
    }
    guard var store else { return }
    var year = 1900
    try report("edit-json", tool: "naive store") {
      year += 1
      try store.edit(count / 2, year: year)
    }
  }

  private func openJSON() throws -> JSONStore { try open(JSONStoreConfiguration(path: jsonPath)) }

  private func open(_ configuration: JSONStoreConfiguration) throws -> JSONStore {
    let store = try JSONStore(configuration)
    let entity = store.schema.entities[0]
    _ = try store.snapshots(matching: Query(entity.name, limit: Self.pageCount))
    return store
  }

  private func openLog() throws {
    let store = try LogStore(LogStoreConfiguration(path: logPath))
    let entity = store.schema.entities[0]
    _ = try store.snapshots(matching: Query(entity.name, limit: Self.pageCount))
  }

  static func contains(_ text: String) -> Filter {
    .text("title", TextMatch(.contains, text, options: .caseInsensitive))
  }

  /// Searches for other texts until the store no longer keeps the result of the search that is measured.
  private func forgetFilters(_ store: some QueryableStore) throws {
    for letter in "abcdfghi" {
      _ = try store.count(
        matching: Query(store.schema.entities[0].name, filter: Self.contains("q\(letter)q"))
      )
    }
  }

  private func firstPage(_ store: some QueryableStore, filter: Filter) throws {
    let entity = store.schema.entities[0].name
    _ = try store.count(matching: Query(entity, filter: filter))
    _ = try store.snapshots(matching: Query(entity, filter: filter, limit: Self.pageCount))
  }

  /// Inserts all records into an empty log through a context and saves once.
  private func runLog(_ entity: Schema.Entity, records: [DefaultSnapshot]) throws {
    try report("insert") {
      try removeFile(logPath)
      let context = ModelContext(
        try ModelContainer(
          for: Schema([entity]),
          configurations: LogStoreConfiguration(path: logPath)
        )
      )
      for values in records {
        let record = Record(entity: entity)
        for (name, value) in zip(values.layout.names, values.orderedValues) {
          try record.set(value, for: name)
        }
        context.insert(record)
      }
      try context.save()
    }
  }

  /// One edit of one record at a time, each saved.
  func edit(_ task: String, store: some QueryableStore, _ entity: Schema.Entity) throws {
    let query = Query(entity.name, limit: 1, offset: count / 2)
    guard var present = try store.snapshots(matching: query).first,
      let slot = present.layout.slot(of: "year")
    else { return }
    var year: Int64 = 1900
    try report(task, repetitions: max(repetitions, 15)) {
      var next = present
      year += 1
      next.orderedValues[slot] = .integer(year)
      _ = try store.commit(
        ChangeSet(updated: [RecordUpdate(before: present, after: next)]),
        author: nil
      )
      present = next
    }
  }

  // MARK: Reporting

  /// Prints the median time of the work, or another share of the times, and, if requested, the peak memory of the process
  /// so far.
  func report(
    _ task: String,
    tool: String = "catalog",
    megabytes: Bool = false,
    repetitions: Int? = nil,
    share: Double = 0.5,
    before prepare: () throws -> Void = {},
    _ work: () throws -> Void
  ) rethrows {
    var times: [Double] = []
    for _ in 0..<(repetitions ?? self.repetitions) {
      try prepare()
      let start = ContinuousClock.now
      try work()
      times.append((ContinuousClock.now - start) / .seconds(1))
      // Long work varies less, and the whole run should be short.
      if times.count > 1, times.reduce(0, +) > 15 { break }
    }
    times.sort()
    let memory = megabytes ? ", \"mb\": \(Self.peakMegabytes)" : ""
    let seconds = times[min(times.count - 1, Int(Double(times.count) * share))]
    let line =
      "{\"tool\": \"\(tool)\", \"task\": \"\(task)\", \"n\": \(count), \"seconds\": \(seconds)\(memory)}\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  /// The peak resident size of the process so far, in megabytes of 10^6 bytes.
  private static var peakMegabytes: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024 / 1_000_000
  }

  private func copyFile(from source: String, to target: String) throws {
    try removeFile(target)
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  func removeFile(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
