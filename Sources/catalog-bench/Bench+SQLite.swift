import Foundation
import OpenSwiftData
import SQLiteStores

/// The workloads on SQLite databases: the films that `bench/gen.py` wrote, and databases of our own.
extension Bench {
  private var databasePath: String { "\(folder)/films-\(count).sqlite" }
  private var ownPath: String { "\(folder)/bench-\(count).db" }
  private static let screenCount = 50

  /// Runs the workloads on databases.
  ///
  /// - Parameter only: The group of workloads to run; nil for all.
  /// - Throws: The errors of the stores.
  func runSQLite(only: String? = nil) throws {
    let groups: [(name: String, run: () throws -> Void)] = [
      ("open", reportOpening), ("search", reportSearching), ("page", reportPages),
      ("insert", { try report("sqlite-insert") { try insertFilms() } }), ("edit", reportEdits),
    ]
    for group in groups where only == nil || only == group.name { try group.run() }
  }

  private static let byYear = [SortKey("year"), SortKey("boxOffice", isDescending: true)]

  private func reportOpening() throws {
    try report("sqlite-open-key") { try openDatabase(sort: []) }
    try report("sqlite-open-sort") { try openDatabase(sort: Self.byYear) }
  }

  private func reportSearching() throws {
    let store = try SQLiteStore(SQLiteConfiguration(path: databasePath))
    defer { store.close() }
    try report("sqlite-count-where") {
      _ = try store.count(
        matching: Query("films", filter: .compare("year", .greaterOrEqual, .integer(1990)))
      )
    }
    try report("sqlite-contains") {
      _ = try store.count(matching: Query("films", filter: Self.contains("needle")))
    }
  }

  private func reportPages() throws {
    let store = try SQLiteStore(SQLiteConfiguration(path: databasePath))
    defer { store.close() }
    try reportPages(store, "sqlite-page", sort: [])
    try reportPages(store, "sqlite-page-sort", sort: Self.byYear)
  }

  /// Edits the database that the group before has made.
  private func reportEdits() throws {
    let own = try SQLiteStore(SQLiteConfiguration(path: ownPath))
    defer { own.close() }
    try edit("sqlite-edit", store: own, own.schema.entity(named: "film"))
  }

  /// Opens the database and reads what the first screen shows.
  private func openDatabase(sort: [SortKey]) throws {
    let store = try SQLiteStore(SQLiteConfiguration(path: databasePath))
    let listing = try store.listing(matching: Query("films", sort: sort))
    _ = try listing.records(in: 0..<Self.screenCount, attributes: nil)
    store.close()
  }

  /// Reads pages all over a list whose order is known.
  private func reportPages(_ store: SQLiteStore, _ task: String, sort: [SortKey]) throws {
    let listing = try store.listing(matching: Query("films", sort: sort))
    try listing.countAll()
    var place = 0
    try report(task, repetitions: max(repetitions, 101), share: 0.99) {
      place = (place + count / 7 * 3 + 11) % max(1, count - Self.screenCount)
      _ = try listing.records(in: place..<place + Self.screenCount, attributes: nil)
    }
  }

  /// Inserts the rows of `bench/sqlite-insert.c` into a new database of our own, and its history.
  private func insertFilms() throws {
    for ending in ["", "-wal", "-shm"] { try removeFile(ownPath + ending) }
    let fields: [Schema.Attribute] = [
      .init("title", .text), .init("director", .text), .init("year", .integer),
      .init("runtime", .integer), .init("boxOffice", .number), .init("released", .number),
      .init("watched", .boolean),
    ]
    let entity = Schema.Entity("film", attributes: fields)
    let store = try SQLiteStore(SQLiteConfiguration(path: ownPath, schema: Schema([entity])))
    let scope = IdentifierScope(store: nil, entity: "film")
    let records = (0..<count).map { number -> DefaultSnapshot in
      DefaultSnapshot(
        persistentIdentifier: scope.temporaryIdentifier(UInt64(number) + 1, context: 1),
        layout: entity.layout,
        orderedValues: Self.film(number)
      )
    }
    _ = try store.commit(ChangeSet(inserted: records), author: nil)
    store.close()
  }

  /// The values of a row of `bench/sqlite-insert.c`.
  private static func film(_ number: Int) -> [Value] {
    let (year, runtime) = (Int64(1950 + number % 75), Int64(60 + number % 120))
    let (boxOffice, released) = (Double(number) * 1.25, Double(number) * 1000)
    return [
      .text("The film \(number)"), .text("Director \(number % 1000)"), .integer(year),
      .integer(runtime), .number(boxOffice), .number(released), .boolean(number % 3 == 0),
    ]
  }
}
