import Foundation
import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Databases as well-known programs create them: they are shown whole, and an edit changes one cell.
@Suite struct KnownDatabasesTests {
  /// An edit of a cell.
  struct Edit: Sendable, CustomTestStringConvertible {
    let file: String
    let entity: String
    let key: String
    let field: String
    let value: Value
    /// What is stored.
    let stored: SQLValue
    var testDescription: String { "\(file): \(entity) \(key) \(field)" }

    init(
      _ file: String,
      _ entity: String,
      _ key: String,
      _ field: String,
      _ value: Value,
      _ stored: SQLValue
    ) {
      (self.file, self.entity, self.key) = (file, entity, key)
      (self.field, self.value, self.stored) = (field, value, stored)
    }
  }

  static let files = ["chinook", "northwind", "places", "django", "fossil", "geopackage"]

  static let edits = [
    Edit("chinook", "Track", "2", "Composer", .text("U.D.O."), .text("U.D.O.")),
    Edit("chinook", "Track", "3", "UnitPrice", .number(1.29), .real(1.29)),
    Edit("northwind", "Order Details", "10248/2", "Quantity", .integer(11), .integer(11)),
    Edit("northwind", "Customers", "ANATR", "Phone", .null, .null),
    Edit("places", "moz_places", "1", "title", .text("Mozilla"), .text("Mozilla")),
    Edit("places", "moz_inputhistory", "1/a%2Fb", "use_count", .integer(4), .integer(4)),
    Edit("places", "moz_meta", "origin_frecency_sum", "value", .text("150.5"), .real(150.5)),
    Edit("django", "auth_user", "1", "email", .text("a@b.org"), .text("a@b.org")),
    Edit(
      "django",
      "django_session",
      "k3y",
      "expire_date",
      .datetime(Date(timeIntervalSince1970: 1_800_000_000.25)),
      .text("2027-01-15 08:00:00.250000")
    ),
    Edit("fossil", "event", "1", "comment", .text("first"), .text("first")),
    Edit("fossil", "config", "timeline-max", "value", .text("60"), .text("60")),
    Edit("fossil", "mlink", "2", "isaux", .boolean(false), .integer(0)),
    Edit("geopackage", "towns", "1", "name", .text("Zurich"), .text("Zurich")),
    Edit("geopackage", "gpkg_contents", "towns", "description", .text("Towns"), .text("Towns")),
  ]

  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func database(_ name: String) throws -> String {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Databases/\(name).sql")
    let path = try folder.newPath("\(name).db")
    let connection = try SQLiteConnection(path, isReadOnly: false, canCreate: true)
    // As in the shell of SQLite, which these programs' users may have used.
    connection.knownSchemaVersion = 0
    for statement in try String(contentsOf: source, encoding: .utf8).split(separator: ";\n\n") {
      try connection.run(SQLText(String(statement)))
    }
    return path
  }

  /// All rows of all tables, including those of modules, and what the file says of itself.
  private func dump(_ path: String) throws -> [String: [[SQLValue]]] {
    let connection = try otherProgram(path)
    var tables = ["sqlite_schema": try connection.rows("SELECT * FROM sqlite_schema")]
    for name in ["journal_mode", "user_version", "application_id", "schema_version", "page_size"] {
      tables["pragma \(name)"] = try connection.rows(SQLText("PRAGMA \(name)"))
    }
    for row in try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      guard case .text(let name) = row[0] else { continue }
      tables[name] = try connection.rows(SQLText("SELECT * FROM \(name.quotedName)"))
    }
    return tables
  }

  @Test(arguments: files) func allTablesAreShown(file: String) throws {
    let path = try database(file)
    let before = try dump(path)
    let store = try SQLiteStore(at: path)
    #expect(store.openingNotes == [])
    #expect(!store.schema.entities.isEmpty)
    for entity in store.schema.entities {
      let records = try store.all(entity.name)
      let listing = try store.listing(matching: Query(entity.name))
      try listing.countOn()
      #expect(listing.count == .exact(records.count))
      #expect(try store.count(matching: Query(entity.name)) == records.count)
      if let rows = before[entity.name] { #expect(rows.count == records.count) }
      let note = store.entityNotes[entity.name] ?? ""
      guard note.hasPrefix("read-only"), let record = records.first else { continue }
      let isView = before[entity.name] == nil
      #expect(note == "read-only: " + (isView ? "view" : "virtual table"))
      let refusal = #expect(throws: PersistenceError.self) {
        try store.set(record, [entity.fields[0].name: .null])
      }
      #expect(refusal?.code == .readOnly)
      #expect(refusal?.message.contains(isView ? "a view" : "a virtual table") == true)
    }
    #expect(try store.check(isThorough: true) == [])
    #expect(try dump(path) == before)
  }

  @Test(arguments: edits) func anEditChangesOneCell(edit: Edit) throws {
    let path = try database(edit.file)
    let copy = path + ".before"
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let before = try dump(path)
    let store = try SQLiteStore(at: path)
    let record = try #require(
      try store.all(edit.entity).first { $0.persistentIdentifier.description == edit.key }
    )
    try store.set(record, [edit.field: edit.value])
    store.close()
    let after = try dump(path)
    #expect(before.keys == after.keys)
    var cells: [SQLValue] = []
    for (name, rows) in before {
      let others = try #require(after[name])
      try #require(rows.count == others.count, "\(name)")
      for (row, other) in zip(rows, others) {
        for (cell, new) in zip(row, other) where cell != new { cells.append(new) }
      }
    }
    #expect(cells == [edit.stored])
    let connection = try otherProgram(path)
    #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
    #expect(try connection.rows("PRAGMA foreign_key_check") == [])
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    try compareWithTool(copy, path)
  }

  /// Compares with the tool of SQLite, where it is installed.
  private func compareWithTool(_ before: String, _ after: String) throws {
    let tool = "/usr/bin/sqldiff"
    guard FileManager.default.isExecutableFile(atPath: tool) else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = [before, after]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.split(separator: "\n").count == 1, "\(text)")
  }

  @Test func triggersOfNorthwindRun() throws {
    let path = try database("northwind")
    let store = try SQLiteStore(at: path)
    try store.set(try store.all("Products")[0], ["UnitPrice": .number(20)])
    #expect(try store.all("Changes").map { $0["what"] } == [.text("price of Chai")])
    let order = try store.all("Orders")[1].persistentIdentifier
    let product = try store.all("Products")[2].persistentIdentifier
    try store.insert(
      "Order Details",
      [
        "OrderID": .link(order), "ProductID": .link(product), "Quantity": .integer(5),
        "UnitPrice": .number(1), "Discount": .number(0),
      ]
    )
    #expect(try store.all("Products")[2]["UnitsInStock"] == .integer(8))
    let refusal = #expect(throws: PersistenceError.self) {
      try store.set(try store.all("Products")[0], ["UnitPrice": .number(-1)])
    }
    #expect(refusal?.code == .invalidValue)
  }

  /// The index of a layer follows its geometries, as the triggers of the standard demand.
  @Test func theIndexOfAGeoPackageFollowsItsGeometries() throws {
    let path = try database("geopackage")
    let store = try SQLiteStore(at: path)
    let towns = try store.all("towns")
    let geometry = try #require(towns[1]["geom"])
    try store.set(towns[0], ["geom": geometry])
    let bounds: SQLText = "SELECT minx, maxy FROM rtree_towns_geom WHERE id = \(.integer(1))"
    let row = try #require(try otherProgram(path).rows(bounds).first)
    guard case .real(let x) = row[0] else { throw Interruption.Stopped() }
    #expect(abs(x - 8.6) < 0.0001)
    try store.insert("towns", ["geom": geometry, "name": .text("Wil")])
    #expect(try store.all("gpkg_ogr_contents")[0]["feature_count"] == .integer(3))
    #expect(try otherProgram(path).number("SELECT count(*) FROM rtree_towns_geom") == 3)
  }
}
