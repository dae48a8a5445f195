import Foundation
import OpenSwiftData
import SQL
import Stores

/// Reads a database: its connection, and the tables that show its records.
final class SQLiteReader {
  var connection: SQLiteConnection { didSet { checkFileBeforeReading() } }
  let path: String
  /// The identifier of the store.
  let identifier: String
  /// The tables, with the schema that they show.
  private(set) var shown = StagedTables(schema: Schema(), [])
  /// The entities.
  var schema: Schema { shown.schema }
  /// The tables by entity.
  var tables: [String: TableDescription] { shown.tables }
  /// The tables in the order of the schema.
  var ordered: [TableDescription] { shown.ordered }
  /// The layouts of entities, and those of pages.
  private(set) var codec: ChangeSetCodec
  /// By table, the columns that have values of several types, with the forms that they had until one was read.
  var mixed: [String: [String: ColumnForm]] = [:]
  /// The constraints of the models of the program, by entity.
  private(set) var constraints: [String: [[String]]] = [:]
  /// The file that is open, to notice that it was replaced.
  var file: FileIdentity? { didSet { checkFileBeforeReading() } }
  /// What SQLite calls the version of the data: it differs after another program has written.
  var dataVersion: Int64 = 0
  /// The number of changes of tables by any program.
  var schemaVersion: Int64 = 0
  /// The table that the statement in use reads, for errors.
  var tableInUse: String?
  /// Tables in which damage was found; nothing is saved then.
  var damagedTables: Set<String> = []
  /// True after a save that may or may not have been written.
  var isInDoubt = false

  init(_ connection: SQLiteConnection, _ configuration: SQLiteConfiguration, identifier: String) {
    (self.connection, self.identifier) = (connection, identifier)
    path = configuration.path
    codec = ChangeSetCodec(Schema(), storeIdentifier: identifier)
    for entity in configuration.schema?.entities ?? [] where !entity.declaredConstraints.isEmpty {
      constraints[entity.name] = entity.declaredConstraints
    }
  }

  /// Takes the tables of a database.
  func use(_ schema: Schema, _ tables: [TableDescription]) {
    shown = StagedTables(schema: schema, tables)
    codec = ChangeSetCodec(schema, storeIdentifier: identifier)
    connection.releaseStatements()
  }

  /// The tables as they would be after steps.
  func staged(_ steps: [SchemaStep]) -> StagedTables {
    if steps.isEmpty { return shown }
    let replacement = SchemaStep.possibleReplacement(steps, from: schema).0
    return StagedTables(replacement, of: tables, store: identifier)
  }

  /// Runs a body that reads other tables, which are queries of those of the database.
  func reading<Result>(_ staged: StagedTables, _ body: () throws -> Result) rethrows -> Result {
    let former = shown
    shown = staged
    defer { shown = former }
    return try body()
  }

  /// The table of an entity.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`; `UnreadView` for a view that is used for the first time.
  func table(_ entityName: String) throws -> TableDescription {
    if let table = tables[entityName] {
      tableInUse = table.name
      if table.isUnread { throw UnreadView(name: table.name) }
      return table
    }
    _ = try schema.entity(named: entityName)
    throw PersistenceError(.storeViolation, "\(path): \(entityName) has no table")
  }

  /// Notes the state of the database, to see later whether another program has changed it.
  func noteVersions() throws {
    dataVersion = try connection.number("PRAGMA data_version")
    schemaVersion = try connection.number("PRAGMA schema_version")
  }

  /// Remembers in which table damage was found.
  func noteDamage(_ failure: SQLiteFailure) {
    guard failure.isDamage else { return }
    damagedTables.insert(tableInUse ?? "")
  }
}

/// A part of a session, which reads the database.
protocol SQLitePart {
  var reader: SQLiteReader { get }
}

extension SQLitePart {
  var connection: SQLiteConnection { reader.connection }
  var path: String { reader.path }
  var identifier: String { reader.identifier }
  var schema: Schema { reader.schema }
  var tables: [String: TableDescription] { reader.tables }
  var ordered: [TableDescription] { reader.ordered }

  /// The table of an entity, as `SQLiteReader.table(_:)` finds it.
  func table(_ entityName: String) throws -> TableDescription { try reader.table(entityName) }
}

/// A value of a column that is not of the form of the column.
struct MisfitValue: Error {
  let table: TableDescription
  let slot: Int
  let value: SQLValue
  let identifier: PersistentIdentifier?

  /// The error of a table that cannot have such values.
  func error(_ path: String) -> PersistenceError {
    let column = table.columns[slot]
    return PersistenceError(
      .damaged,
      "\(path): \(table.entity.name).\(column.field.name): \(column.misfitMessage(value))"
        + (identifier.map { " (record \($0))" } ?? "")
    )
  }
}

/// A row of a table of another program that lacks a part of the primary key.
struct MissingKey: Error {
  let table: String
}
