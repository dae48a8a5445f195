import Foundation
import OpenSwiftData
import SQL
import Stores

/// The state of an open store; used under the lock of the store.
final class SQLiteSession: @unchecked Sendable {
  // Unchecked because the lock of the store is around every use.

  var connection: SQLiteConnection { didSet { checkFileBeforeReading() } }
  /// True for a database that this library made.
  let isOwn: Bool
  /// True until the file exists.
  var isUnwritten: Bool
  /// The identifier of the store.
  let identifier: String
  let path: String
  /// The entities.
  private(set) var schema = Schema()
  /// The tables by entity.
  private(set) var tables: [String: TableDescription] = [:]
  /// The tables in the order of the schema.
  private(set) var ordered: [TableDescription] = []
  /// The layouts of entities, and those of pages.
  private(set) var codec: ChangeSetCodec
  /// Creates keys for new records in tables of our own.
  var generator = RecordKeyGenerator()
  /// The number of the last transaction that was seen.
  var lastToken: Int64 = 0
  /// The token after which others have saved just before a save of this session, without having been taken in; nil if
  /// there is nothing like that.
  var overtakenToken: Int64?
  /// The saves of this session since then.
  var ownTokens: Set<Int64> = []
  /// The number of the last transaction that was discarded from the history.
  var horizon: Int64 = 0
  /// The number of the last change of the schema that was seen.
  var schemaToken: Int64 = 0
  /// What SQLite calls the version of the data: it differs after another program has written.
  var dataVersion: Int64 = 0
  /// When a program without a history was seen to have changed records, and the last token then; nil after a save.
  var outsideChange: (date: Date, token: Int64)?
  /// The number of changes of tables by any program.
  var schemaVersion: Int64 = 0
  /// The history of a database of another program.
  var history: SessionHistory
  /// By table, the columns that have values of several types, with the forms that they had until one was read.
  var mixed: [String: [String: ColumnForm]] = [:]
  /// The columns that the call in progress found to have values of several types.
  var widened: [WidenedColumn] = []
  /// The queries in whose records each value is of the form of its column; without order and limits.
  var settled: Set<Query> = []
  /// The tables as they were described last, as long as there are views that have not been used.
  var described: [ForeignTable] = []
  /// By view, the values of each column that were read when it was used first.
  var viewSamples: [String: [String: [SQLValue]]] = [:]
  /// The tables in which a row without a part of the primary key was found.
  var tablesWithoutKey: Set<String> = []
  /// The file that is open, to notice that it was replaced.
  var file: FileIdentity? { didSet { checkFileBeforeReading() } }
  /// True if reading has created a write-ahead log that was not there, and its index.
  var hasCreatedLog = false
  /// True after a save that may or may not have been written.
  var isInDoubt = false
  /// True if texts are kept as UTF-16.
  var isWide = false
  /// The table that the statement in use reads, for errors.
  var tableInUse: String?
  /// Tables in which damage was found; nothing is saved then.
  var damagedTables: Set<String> = []
  /// The number of temporary tables, for their names.
  var listingCount = 0
  /// Temporary tables of listings that were released, to drop.
  let abandoned = AbandonedTables()
  /// The views of the records under unsaved changes of the schema.
  var views: [StagedView] = []
  /// How long to wait for other programs.
  let lockTimeoutSeconds: Double
  /// The constraints of the models of the program, by entity.
  var constraints: [String: [[String]]] = [:]

  /// True if foreign keys, triggers or replaced rows of the database may change more than the records of a save.
  var mayChangeOthers = false
  /// True if the library tells which rows change.
  var canWatchRows = SQLiteConnection.canWatch
  /// The number of rows that a save keeps of those that the database changes by itself.
  var watchLimit = SQLiteRowWatch.limit
  /// The number of records up to which the history keeps what copies and deletions by queries change.
  var bulkLimit = 10_000
  /// Why the database cannot be saved, in a few words; nil if it can, or if it was to be opened read-only.
  var readOnlyReason: String?
  /// What a user has to know about the opening, one line each.
  var notes: [String] = []
  /// The first key that the running save has made; the records with this key and greater ones are new.
  var firstNewKey: RecordKey?
  /// True while a save runs that is undone at its end.
  var isRehearsal = false
  /// The identifiers that the running save has given to new records.
  var newIdentifiers = IdentifierMap()
  /// The numbers of the new rows of the running save that triggers may change.
  var rowNumbers = RowNumbers()
  /// By table, the greatest number given to a new row; a number is not used again while the store is open.
  var usedNumbers: [String: Int64] = [:]

  init(
    _ connection: SQLiteConnection,
    isOwn: Bool,
    isUnwritten: Bool,
    identifier: String,
    configuration: SQLiteConfiguration
  ) {
    self.connection = connection
    self.isOwn = isOwn
    self.isUnwritten = isUnwritten
    self.identifier = identifier
    path = configuration.path
    lockTimeoutSeconds = configuration.lockTimeoutSeconds
    history = SessionHistory(configuration.historyLimit)
    codec = ChangeSetCodec(Schema(), storeIdentifier: identifier)
  }

  /// Takes the schema of tables of our own.
  func use(_ schema: Schema) {
    use(schema, OwnTables(schema, store: identifier).ordered)
  }

  /// Takes the tables of a database.
  func use(_ schema: Schema, _ tables: [TableDescription]) {
    self.schema = schema
    ordered = tables
    self.tables = Dictionary(tables.map { ($0.entity.name, $0) }, uniquingKeysWith: { $1 })
    codec = ChangeSetCodec(schema, storeIdentifier: identifier)
    connection.releaseStatements()
  }

  /// Runs a body that reads other tables, which are queries of those of the database.
  func reading<Result>(_ staged: StagedTables, _ body: () throws -> Result) rethrows -> Result {
    let former = (schema, ordered, tables)
    (schema, ordered, tables) = (staged.schema, staged.ordered, staged.tables)
    defer { (schema, ordered, tables) = former }
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

  /// The condition of a filter.
  ///
  /// - Throws: `MisfitValue` if an index tells that a column of texts has other values as well.
  func condition(_ filter: Filter, _ table: TableDescription) throws -> SQLText {
    let functions = connection.functions
    let checked = try checkingIndexes(table, filter)
    let translation = FilterTranslation(
      checked,
      rest: { try functions.condition($0, table) },
      misfit: { functions.misfitCondition($0, checked) }
    )
    return try translation.translate(filter).condition
  }
}

/// The identity of a file: another file of the same name has another one.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

  /// Reads the identity of a file; nil if it does not exist.
  init?(_ path: String) {
    guard let status = try? LocalFileSystem().status(of: path, in: nil) else { return nil }
    (device, number) = (status.device, status.inode)
  }
}

/// A value of a column that is not of the form of the column.
struct MisfitValue: Error {
  let table: TableDescription
  let slot: Int
  let value: SQLValue
  let identifier: PersistentIdentifier?
}

/// A row of a table of another program that lacks a part of the primary key.
struct MissingKey: Error {
  let table: String
}

// MARK: Records

extension SQLiteSession {
  /// Reads records that a statement returns: key columns, then the columns of the slots.
  func forEachSnapshot(
    _ sql: SQLText,
    _ table: TableDescription,
    _ slots: [Int],
    _ layout: SnapshotLayout,
    _ body: (DefaultSnapshot) throws -> Void
  ) throws {
    let reader = SQLiteRowReader(table, slots, layout)
    try connection.forEach(sql) { row in
      guard let identifier = reader.identifier(row) else { throw self.invalidKey(table, row) }
      try body(try reader.snapshot(row, identifier))
    }
  }

  private func invalidKey(_ table: TableDescription, _ row: SQLiteRow) -> any Error {
    if !isOwn, table.keyColumns.indices.contains(where: { row[$0] == .null }) {
      return MissingKey(table: table.name)
    }
    return PersistenceError(
      .damaged,
      "\(path): \(table.name): \(row[0].literal) is not a key of a record"
    )
  }

  /// The layout of fields; that of the entity for nil.
  func layout(_ attributes: [String]?, _ table: TableDescription) -> SnapshotLayout {
    attributes.map { SnapshotLayout($0) } ?? table.entity.layout
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let (query, table) = try prepared(query, reading: query.attributes)
    let slots = try table.slots(of: query.attributes)
    let sql = try table.select(
      slots,
      where: condition(query.filter, table),
      sort: query.sort,
      limit: query.limit,
      offset: query.offset
    )
    var found: [DefaultSnapshot] = []
    try forEachSnapshot(sql, table, slots, layout(query.attributes, table)) { found.append($0) }
    return found
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    var (query, _) = try prepared(query, reading: [])
    query.attributes = []
    return try snapshots(matching: query).map(\.persistentIdentifier)
  }

  func count(matching query: Query) throws -> Int {
    let (query, table) = try prepared(query, reading: [])
    let all = try connection.number(table.count(where: condition(query.filter, table)))
    return query.window(of: Int(all)).count
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    var counts: [Value: Int] = [:]
    try forEachValueCount(of: attribute, matching: query) { counts[$0, default: 0] += $1 }
    return counts
  }

  /// Calls the body with each stored value and how often it occurs.
  private func forEachValueCount(
    of attribute: String,
    matching query: Query,
    _ body: (Value, Int) -> Void
  ) throws {
    let (query, table) = try prepared(query, reading: [attribute])
    let column = table.columns[try table.slots(of: [attribute])[0]]
    let sql =
      SQLText("SELECT \(column.expression), count(*) FROM \(table.source) WHERE ")
      + (try condition(query.filter, table)) + SQLText(" GROUP BY \(column.operand)")
    try connection.forEach(sql) { row in
      guard let value = column.form.value(of: row[0]), case .integer(let count) = row[1] else {
        let slot = table.entity.layout.slot(of: attribute) ?? 0
        throw MisfitValue(table: table, slot: slot, value: row[0], identifier: nil)
      }
      body(value, Int(count))
    }
  }

  func summary(of attribute: String, matching query: Query) throws -> ValueSummary {
    var summary = ValueSummary()
    let (query, table) = try prepared(query, reading: [attribute])
    let slot = try table.slots(of: [attribute])[0]
    let form = table.columns[slot].form
    guard form == .number else {
      try forEachValueCount(of: attribute, matching: query) { value, count in
        // Groups of the database are different values unless a value can be stored in several ways.
        if form.isEqualAsStored {
          summary.addDifferent(value, count: count)
        } else {
          summary.add(value, count: count)
        }
      }
      return summary
    }
    // Rounding depends on the order, which is that of the store.
    let sql = try table.select([slot], where: condition(query.filter, table))
    try forEachSnapshot(sql, table, [slot], SnapshotLayout([attribute])) {
      summary.add($0.orderedValues[0])
    }
    return summary
  }

  /// The number of keys in one statement.
  private static let keyLimit = 400

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let layout = try schema.layout(of: attributes, for: identifiers)
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    var meter = WorkMeter()
    let groups = try Dictionary(grouping: Set(identifiers)) { identifier in
      try meter.count()
      return identifier.entityName
    }
    for (name, group) in groups where tables[name] != nil {
      let table = try table(name)
      let slots = try table.slots(of: attributes)
      let keys = try group.compactMap { identifier in
        try meter.count()
        return identifier.storeIdentifier == self.identifier ? table.key.parts(of: identifier) : nil
      }
      for start in stride(from: 0, to: keys.count, by: Self.keyLimit) {
        let some = Array(keys[start..<min(start + Self.keyLimit, keys.count)])
        try forEachSnapshot(
          table.select(slots, keys: some),
          table,
          slots,
          layout ?? table.entity.layout
        ) { found[$0.persistentIdentifier] = $0 }
      }
    }
    return found
  }
}
