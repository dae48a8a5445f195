import Foundation
import OpenSwiftData
import SQL
import Synchronization

/// The tables of a store as they were described last.
final class ShownTables: Sendable {
  private let tables: Mutex<StagedTables>

  init(_ tables: StagedTables) { self.tables = Mutex(tables) }

  /// The tables of this moment.
  var now: StagedTables { tables.withLock { $0 } }

  func set(_ new: StagedTables) { tables.withLock { $0 = new } }
}

/// The connection of an open store and what it has read about the tables; used under the lock of the store.
final class PostgresSession: @unchecked Sendable {
  // Unchecked because the lock of the store is around every use.

  let configuration: PostgresConfiguration
  /// Nil after it was lost or closed.
  var connection: PostgresConnection?
  private var catalog: ServerCatalog
  /// The tables, which are read without the lock of the store: while records are passed on, their reader asks for them.
  let shown: ShownTables
  var tables: StagedTables { shown.now }
  let identifier: String
  /// Columns, after the names of their tables, with values that the form of their type has no room for.
  private(set) var misfits: Set<String> = []
  /// The saves of this session.
  var history: SessionHistory
  /// True after a save of which nobody knows whether it was made.
  var isInDoubt = false
  private var isClosed = false

  /// Connects, and reads what tables there are.
  ///
  /// - Throws: `PersistenceError`, `Interruption.Stopped`.
  init(_ configuration: PostgresConfiguration) throws {
    try configuration.validate()
    self.configuration = configuration
    history = SessionHistory(configuration.historyLimit)
    do {
      let connection = try PostgresConnection(configuration.connectionText)
      self.connection = connection
      identifier = "postgres:" + connection.address
      catalog = try ServerCatalog(connection, part: configuration.part, shown: configuration.shown)
      shown = ShownTables(Self.tables(catalog, misfits: [], identifier))
    } catch let failure as PostgresFailure {
      throw Self.openingError(failure, configuration)
    }
  }

  private static func tables(_ catalog: ServerCatalog, misfits: Set<String>, _ store: String)
    -> StagedTables
  {
    let tables = ServerTables(
      catalog.tables,
      first: catalog.firstSchema,
      misfits: misfits,
      store: store
    ).tables
    return StagedTables(schema: Schema(tables.map(\.entity)), tables)
  }

  /// The error of a server that cannot be reached or refuses, in one line.
  private static func openingError(
    _ failure: PostgresFailure,
    _ configuration: PostgresConfiguration
  ) -> PersistenceError {
    let text = failure.description
    // The library names the server first: `connection to server at "db", port 5432 failed: Connection refused`.
    let reason = text.range(of: " failed: ").map { String(text[$0.upperBound...]) } ?? text
    let words = reason.replacing("FATAL:  ", with: "").replacing("FATAL: ", with: "")
    let hint =
      text.contains("Connection refused") || text.contains("No such file")
      ? "; is the server running there?" : ""
    let short = hint.isEmpty ? words : "connection refused"
    return PersistenceError(
      .inaccessible,
      "\(configuration.shown): \(short)\(hint)",
      cause: failure
    )
  }

  /// About how many records an entity has; nil if that is not known.
  func estimate(of entityName: String) -> Int? {
    tables.ordered.firstIndex { $0.entity.name == entityName }.flatMap(catalog.estimate)
  }

  /// Why the server saves nothing; nil if it does.
  var readOnlyReason: String? { catalog.readOnlyReason }

  // MARK: Reading

  /// Runs a body that reads; a lost connection is made again, and tables that are other ones now are described again.
  ///
  /// - Parameters:
  ///   - hasBegun: True after the body has passed records on.
  ///   - note: Called if the tables are described in another way.
  ///   - body: Reads.
  /// - Returns: The result of the body.
  /// - Throws: `PersistenceError`; what the body throws.
  func reading<Result>(
    unless hasBegun: () -> Bool,
    note: (StoreChange) -> Void,
    _ body: (PostgresReader) throws -> Result
  ) throws -> Result {
    var attempts = 0
    while true {
      attempts += 1
      do {
        return try body(PostgresReader(connection: connected(), tables: tables))
      } catch let failure as PostgresFailure {
        let canRepeat = attempts == 1 && !hasBegun()
        if failure.isOfConnection {
          connection = nil
          if canRepeat { continue }
        } else if failure.isOfSchema {
          let former = tables.schema
          guard try describeAgain(note) else { throw failure.error(configuration.shown) }
          if canRepeat, former.hasSameNames(as: tables.schema) { continue }
          // What is asked for is about the former columns.
          throw changedTables
        }
        throw failure.error(configuration.shown)
      } catch let misfit as MisfitColumn {
        try adapt(to: misfit, note)
        guard attempts < 50, !hasBegun() else { throw misfit.error }
      }
    }
  }

  /// The error of a command that is about the tables as they were.
  var changedTables: PersistenceError {
    PersistenceError(
      .conflict,
      "\(configuration.shown): another program has changed the tables; try again"
    )
  }

  func connected() throws -> PostgresConnection {
    if let connection, connection.isUsable { return connection }
    if isClosed { throw PersistenceError(.inaccessible, "\(configuration.shown): closed") }
    do {
      let new = try PostgresConnection(configuration.connectionText)
      connection = new
      return new
    } catch let failure as PostgresFailure {
      throw Self.openingError(failure, configuration)
    }
  }

  /// Reads the descriptions of the tables again; false if they are the same.
  func describeAgain(_ note: (StoreChange) -> Void) throws -> Bool {
    catalog = try ServerCatalog(
      connected(),
      part: configuration.part,
      isAgain: true,
      shown: configuration.shown
    )
    return use(Self.tables(catalog, misfits: misfits, identifier), note)
  }

  private func use(_ new: StagedTables, _ note: (StoreChange) -> Void) -> Bool {
    guard !new.ordered.isSame(as: tables.ordered) else { return false }
    shown.set(new)
    note(StoreChange(isIncomplete: true, isSchemaChanged: true))
    return true
  }

  /// Shows the texts of a column, unless the table has another type for it now.
  func adapt(to misfit: MisfitColumn, _ note: (StoreChange) -> Void) throws {
    if try describeAgain(note) { return }
    guard let column = misfit.column else { throw misfit.table.entity.changedError }
    let name = misfit.table.qualifiedName + "." + column
    guard misfits.insert(name).inserted else { throw misfit.table.entity.changedError }
    _ = use(Self.tables(catalog, misfits: misfits, identifier), note)
  }

  func close() {
    isClosed = true
    connection = nil
  }
}

extension Schema {
  /// True if the entities and their fields have the same names, whatever their types are.
  fileprivate func hasSameNames(as other: Schema) -> Bool {
    entities.map(\.name) == other.entities.map(\.name)
      && entities.map(\.layout) == other.entities.map(\.layout)
  }
}
