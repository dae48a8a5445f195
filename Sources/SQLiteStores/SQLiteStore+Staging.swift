package import OpenSwiftData
import SQL
import Stores
import Synchronization

extension SQLiteStore {
  /// True if there is a schema, and no file before the first save.
  package var isUnwritten: Bool {
    session.withLock { $0.database.isUnwritten && !$0.schema.entities.isEmpty }
  }

  /// False for a database of another program.
  package var allowsSchemaChanges: Bool { keepsHistoryWhenClosed }

  /// True for a database of another program, which has foreign keys.
  package var enforcesLinks: Bool { !keepsHistoryWhenClosed }

  /// False: views read the records when they are asked for.
  package var stampsTellContents: Bool { false }

  package var contentStamp: [Int64] {
    session.withLock {
      [$0.database.schemaToken, $0.database.lastToken, $0.reader.dataVersion]
    }
  }

  package func check(_ steps: [SchemaStep]) throws {
    try using(isSaving: false) { session in
      try session.database.checkAllows(steps.last?.changes.last)
      guard configuration.allowsSave else { throw readOnlyError }
      try session.reader.checkIsIntact()
      _ = try SchemaStep.replacement(steps, from: session.schema)
    }
  }

  package func staged(_ steps: [SchemaStep], known: StagedRecords?) throws -> StagedRecords {
    try reading { session in
      // The records are read when they are asked for, so only the schema can make a view useless.
      let stamp = [session.database.schemaToken]
      if let known, known.stamp == stamp { return known }
      let records = SQLiteStagedRecords(self, steps)
      session.add(records)
      return StagedRecords(records: records, stamp: stamp)
    }
  }

  package var canRehearse: Bool { true }

  /// Changes the schema, then records, in one transaction.
  package func commit(_ request: CommitRequest) throws -> CommitResult? {
    guard case .changes(let changes) = request.content else { return nil }
    guard request.isRehearsal else { return try writing { try $0.commit(changes, request) } }
    return try using(isSaving: true) { session in
      guard configuration.allowsSave else { throw readOnlyError }
      return try session.rehearsing { try $0.commit(changes, request) }
    }
  }
}

extension SQLiteSession {
  /// Changes the schema, then records, in one transaction.
  ///
  /// - Throws: As `SQLiteStore.commit(_:)`.
  func commit(_ changes: ChangeSet, _ request: CommitRequest) throws -> CommitResult {
    let (author, message, steps) = (request.author, request.message, request.steps)
    guard !steps.isEmpty, let change = try SchemaStep.change(steps, from: schema) else {
      return try commit(changes, author: author, message: message, checking: request.check)
    }
    return try apply(
      change,
      changes,
      steps: steps.inHistory,
      isSave: true,
      author: author,
      message: message,
      checking: request.check
    )
  }

  /// Reads the records as they would be after steps, in the transaction of a save.
  ///
  /// - Throws: The error of a database that cannot be read.
  func stagedReading() throws -> StagedReading {
    let version = try connection.number("PRAGMA data_version")
    return StagedReading(
      stamp: [database.schemaToken],
      contentStamp: [database.schemaToken, database.lastToken, version]
    ) { query, steps, body in
      try self.reader.reading(self.reader.staged(steps)) {
        let identifiers = try self.reader.identifiers(matching: query)
        try identifiers.forEachBatch(of: SnapshotPage.sizeLimit) {
          try body(self.reader.page(for: Array($0), query.attributes))
        }
      }
    } snapshots: { identifiers, attributes in
      let known = identifiers.filter { self.tables[$0.entityName] != nil }
      return try self.reader.snapshots(for: known, attributes: attributes)
    } doubts: {
      try self.doubts(about: $0)
    }
  }
}

/// The records of a database of our own as they would be after unsaved changes of the schema.
///
/// They are read when they are asked for. Of fields that a save drops, the values are kept for undo.
final class SQLiteStagedRecords: RecordReading {
  private let store: SQLiteStore
  private let steps: [SchemaStep]
  private let seen = Mutex<(base: Schema, tables: StagedTables)?>(nil)
  /// By entity, the values of fields that have been dropped since.
  private let kept = Mutex<[String: KeptValues]>([:])

  init(_ store: SQLiteStore, _ steps: [SchemaStep]) { (self.store, self.steps) = (store, steps) }

  /// Runs a body that reads the tables as they would be.
  func reading<Result: Sendable>(_ body: (SQLiteSession) throws -> Result) throws -> Result {
    try store.reading { session in
      try session.reader.reading(self.tables(session)) { try body(session) }
    }
  }

  private func tables(_ session: SQLiteSession) -> StagedTables {
    seen.withLock { seen in
      if let seen, seen.base === session.schema { return seen.tables }
      let tables = session.reader.staged(steps)
      seen = (session.schema, tables)
      return tables
    }
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try reading { try $0.reader.snapshots(matching: query) }
  }

  func identifiers(matching query: Query) throws -> [PersistentIdentifier] {
    try reading { try $0.reader.identifiers(matching: query) }
  }

  func listing(matching query: Query) throws -> (any Listing)? {
    try SQLiteListing(query, store, self)
  }

  func count(matching query: Query) throws -> Int {
    try reading { try $0.reader.count(matching: query) }
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try reading { try $0.reader.snapshots(for: identifiers, attributes: attributes) }
  }

  func snapshots(for identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: DefaultSnapshot]
  {
    let kept = kept.withLock { $0 }
    var found: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (name, group) in Dictionary(grouping: identifiers, by: \.entityName) {
      // A record that cannot be read is not there.
      let records =
        try? kept[name].map { try $0.snapshots(for: group, in: store) }
        ?? snapshots(for: group, attributes: nil)
      found.merge(records ?? [:]) { $1 }
    }
    return found
  }

  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int)
    -> [PersistentIdentifier]
  {
    // A store that cannot be read has no such records; the next use tells why.
    (try? reading {
      try $0.reader.identifiers(withPrefix: prefix, entityName: entityName, limit: limit)
    }) ?? []
  }

  func forEachPage(matching query: Query, _ body: (any RecordPage) throws -> Void) throws {
    try identifiers(matching: query).forEachBatch(of: SnapshotPage.sizeLimit) {
      try body(page(for: Array($0), attributes: nil))
    }
  }

  func page(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> any RecordPage
  {
    try reading { try $0.reader.page(for: identifiers, attributes) }
  }

  // MARK: Dropped fields

  /// The fields of an entity, by the names that they have here, with the names in the present schema.
  fileprivate func fields(of entity: String, _ session: SQLiteSession) -> [(
    field: Schema.Attribute, origin: String
  )] {
    guard kept.withLock({ $0[entity] }) == nil else { return [] }
    let replacement = SchemaStep.possibleReplacement(steps, from: session.schema).0
    let origins = replacement.origins[entity] ?? [:]
    return (replacement.schema.entitiesByName[entity]?.fields ?? []).compactMap { field in
      origins[field.name].map { (field, $0) }
    }
  }

  fileprivate func keep(_ values: KeptValues, of entity: String) {
    kept.withLock { $0[entity] = values }
  }
}

/// The values of dropped fields, which a temporary table has.
private struct KeptValues: Sendable {
  let table: TableDescription
  let lease: TableLease

  func snapshots(for identifiers: [PersistentIdentifier], in store: SQLiteStore) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let tables = StagedTables(schema: Schema([table.entity]), [table])
    return try store.reading { session in
      try session.reader.reading(tables) {
        try session.reader.snapshots(for: identifiers, attributes: nil)
      }
    }
  }
}

/// A temporary table, which is dropped after the last use.
private final class TableLease: Sendable {
  let name: String
  private let abandoned: AbandonedTables

  init(_ name: String, _ abandoned: AbandonedTables) {
    (self.name, self.abandoned) = (name, abandoned)
  }

  deinit { abandoned.add(name) }
}

/// A view of the records, as long as somebody uses it.
struct StagedView {
  weak var records: SQLiteStagedRecords?
}

extension SQLiteSession {
  /// Notes a view of the records.
  fileprivate func add(_ records: SQLiteStagedRecords) {
    views.removeAll { $0.records == nil }
    views.append(StagedView(records: records))
  }

  /// Copies the values of fields that a change drops into temporary tables, for the views in use.
  ///
  /// - Returns: For each view, what lets it read them after they were dropped.
  func keepDroppedValues(_ replacement: SchemaReplacement) throws -> [() -> Void] {
    let records = views.compactMap(\.records)
    if records.isEmpty { return [] }
    return try ordered.flatMap { table -> [() -> Void] in
      guard let origins = replacement.origins[table.entity.name] else { return [] }
      let dropped = Set(table.entity.layout.names).subtracting(origins.values)
      return try keep(dropped, of: table, for: records)
    }
  }

  private func keep(
    _ dropped: Set<String>,
    of table: TableDescription,
    for records: [SQLiteStagedRecords]
  ) throws -> [() -> Void] {
    let users = records.compactMap { records in
      let fields = records.fields(of: table.entity.name, self)
        .filter { dropped.contains($0.origin) }
      return fields.isEmpty ? nil : (records: records, fields: fields)
    }
    if users.isEmpty { return [] }
    let slots = table.columns.indices.filter { dropped.contains(table.columns[$0].field.name) }
    let lease = try copy(slots, of: table)
    return users.map { user in
      let columns = user.fields.compactMap { field, origin -> ColumnDescription? in
        guard let slot = table.entity.layout.slot(of: origin) else { return nil }
        var column = table.columns[slot]
        column.field = field
        return column
      }
      var kept = TableDescription(
        Schema.Entity(table.entity.name, attributes: columns.map(\.field)),
        table: lease.name,
        columns: columns,
        key: .own,
        keyColumns: table.keyColumns,
        store: identifier
      )
      kept.source = "temp.\(lease.name)"
      let values = KeptValues(table: kept, lease: lease)
      return { user.records.keep(values, of: table.entity.name) }
    }
  }

  /// Copies columns into a temporary table, without rows that have nothing but defaults.
  private func copy(_ slots: [Int], of table: TableDescription) throws -> TableLease {
    listingCount += 1
    let name = "catalog_kept_\(listingCount)"
    let names = slots.map { table.columns[$0].name.quotedName }
    let list = (table.keyColumns + names).joined(separator: ", ")
    try connection.run(
      "CREATE TEMP TABLE \(name) (\(list), PRIMARY KEY (\(table.keyColumns[0]))) WITHOUT ROWID"
    )
    let conditions = slots.map { slot -> SQLText in
      let column = table.columns[slot]
      let value = column.form.stored(column.field.defaultValue) ?? .null
      return "\(column.name.quotedName) IS NOT \(value)"
    }
    try connection.run(
      "INSERT INTO temp.\(name) (\(list)) SELECT \(list) FROM \(table.source) WHERE "
        + .joined(conditions, by: " OR ")
    )
    return TableLease(name, abandoned)
  }
}
