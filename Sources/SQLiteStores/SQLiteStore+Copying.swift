import Foundation
package import OpenSwiftData
import SQL
import Synchronization

/// Copying other stores record by record, and tables of databases of our own as a whole.
extension SQLiteStore: CopyingStore {
  /// Copies many records without holding them in memory; few are left to the caller, and stand in the history then.
  package func copyRecords(of source: any QueryableStore, author: String?) throws -> CopiedRecords?
  {
    let schema = schema
    guard keepsHistoryWhenClosed,
      source.schema.entities.allSatisfy({
        schema.entitiesByName[$0.name]?.layout == $0.layout
      })
    else { return nil }
    let count = try source.schema.entities.reduce(0) {
      try $0 + source.count(matching: Query($1.name))
    }
    guard count > session.withLock({ $0.bulkLimit }) else { return nil }
    let path = (source as? SQLiteStore)?.pathForCopy(to: self)
    return try writing { session in
      if let path { return try session.copyTables(of: path, count, author: author) }
      return try session.copyRecords(of: source, count, author: author)
    }
  }

  /// The path of a database of our own whose tables can be copied to another one; nil if they cannot.
  private func pathForCopy(to other: SQLiteStore) -> String? {
    session.withLock { session in
      guard keepsHistoryWhenClosed, !session.database.isUnwritten,
        session.schema.entities == other.schema.entities
      else { return nil }
      return URL(fileURLWithPath: session.path).path
    }
  }
}

extension SQLiteSession {
  /// Copies the tables of another database of our own with the same schema.
  fileprivate func copyTables(of path: String, _ count: Int, author: String?) throws
    -> CopiedRecords
  {
    try connection.run("ATTACH \(.text(path)) AS catalog_source")
    // The connection closes it otherwise.
    defer { _ = try? connection.run("DETACH catalog_source") }
    try savingBulk(Self.words("copied", count), author: author) { _ in
      for table in ordered {
        try Interruption.check()
        let columns = table.selection(Array(table.columns.indices))
        try connection.run(
          """
          INSERT INTO main.\(table.name.quotedName) (\(columns)) SELECT \(columns) \
          FROM catalog_source.\(table.name.quotedName) ORDER BY \(table.keyColumns[0])
          """
        )
      }
      try connection.run(
        """
        INSERT OR REPLACE INTO main.catalog_meta (name, value) SELECT name, value \
        FROM catalog_source.catalog_meta WHERE name = 'greatest_key'
        """
      )
    }
    try database.load()
    return CopiedRecords(count: count, lostLinks: 0)
  }

  /// Copies the records of any store, one after the other.
  fileprivate func copyRecords(of source: any QueryableStore, _ count: Int, author: String?) throws
    -> CopiedRecords
  {
    var lostLinks = 0
    var copiedCount = 0
    let counter = WorkCounter("copying", of: count)
    try savingBulk(Self.words("copied", count), author: author) { entry in
      var keys = try CopiedKeys(self, source)
      defer { keys.close() }
      for entity in source.schema.entities {
        let table = try table(entity.name)
        var batch: [DefaultSnapshot] = []
        func write() throws {
          guard try source.schema.entity(named: entity.name) == entity else {
            throw entity.changedError
          }
          try writer.insert(CommitPlan.Insertion(table: table, records: batch[...]), ChangeSet())
          copiedCount += batch.count
          batch.removeAll(keepingCapacity: true)
        }
        try source.forEachSnapshot(matching: Query(entity.name)) { snapshot in
          try counter.add()
          guard let copy = try keys.copy(snapshot, &lostLinks) else {
            throw PersistenceError(
              .conflict,
              "another program changed \(entity.name) during the copy; try again"
            )
          }
          try schema.validate(copy)
          batch.append(copy)
          if batch.count == CommitPlan.batchSize { try write() }
        }
        try write()
      }
      entry.greatestKey = keys.greatest
    }
    return CopiedRecords(count: copiedCount, lostLinks: lostLinks)
  }

  /// Runs a body that writes many records in one transaction, of which the history keeps only the message.
  func savingBulk(
    _ message: String,
    author: String?,
    _ body: (inout HistoryEntry) throws -> Void
  ) throws {
    _ = try saving(author, message) { entry in
      entry.isBulk = true
      try body(&entry)
      return CommitResult()
    }
  }

  /// A count of records in words, such as `copied 12 records`.
  static func words(_ verb: String, _ count: Int, _ entity: String = "") -> String {
    "\(verb) \(count) \(entity.isEmpty ? "" : entity + " ")record\(count == 1 ? "" : "s")"
  }
}

/// The keys of copied records: the same as before between stores that keep identifiers, otherwise new ones.
///
/// If records can refer to others, they are in a temporary table of the database.
private struct CopiedKeys {
  private let session: SQLiteSession
  private let keepsKeys: Bool
  private let hasLinks: Bool
  /// The greatest key that was copied.
  private(set) var greatest: RecordKey?

  /// Chooses the keys of all records that links may refer to.
  init(_ session: SQLiteSession, _ source: any QueryableStore) throws {
    self.session = session
    keepsKeys = source.isIdentifierKeeping
    hasLinks = source.schema.entities.contains { entity in
      entity.fields.contains { $0.type.destination != nil }
    }
    guard hasLinks else { return }
    try session.connection.run(
      """
      CREATE TEMP TABLE catalog_copy (entity TEXT NOT NULL, source TEXT NOT NULL, \
      copy TEXT NOT NULL, PRIMARY KEY (entity, source)) WITHOUT ROWID
      """
    )
    for entity in source.schema.entities {
      let table = try session.table(entity.name)
      try source.forEachSnapshot(matching: Query(entity.name, attributes: [])) { record in
        try Interruption.check()
        let identifier = record.persistentIdentifier
        guard case .text(let key)? = table.key.parts(of: newIdentifier(identifier, table))?.first
        else { return }
        try session.connection.run(
          "INSERT INTO temp.catalog_copy (entity, source, copy) VALUES (\(.text(entity.name)), \(.text(identifier.description)), \(.text(key)))"
        )
      }
    }
  }

  /// Removes the table.
  func close() {
    if hasLinks { _ = try? session.connection.run("DROP TABLE IF EXISTS temp.catalog_copy") }
  }

  private mutating func newIdentifier(
    _ identifier: PersistentIdentifier,
    _ table: TableDescription
  ) -> PersistentIdentifier {
    let new =
      keepsKeys
      ? table.scope.identifier(withKeyOf: identifier)
      : table.scope.identifier(key: session.database.keys.given.generator.next())
    if let key = new.recordKey { greatest = max(greatest ?? key, key) }
    return new
  }

  /// The record as it is copied; nil if it did not exist when the copy began.
  mutating func copy(_ record: DefaultSnapshot, _ lostLinks: inout Int) throws -> DefaultSnapshot? {
    var copy = record
    guard hasLinks else {
      let table = try session.table(record.persistentIdentifier.entityName)
      copy.persistentIdentifier = newIdentifier(record.persistentIdentifier, table)
      return copy
    }
    guard let identifier = try known(record.persistentIdentifier) else { return nil }
    copy.persistentIdentifier = identifier
    for slot in copy.orderedValues.indices {
      switch copy.orderedValues[slot] {
      case .link(let link):
        let target = try known(link)
        if target == nil { lostLinks += 1 }
        copy.orderedValues[slot] = target.map { .link($0) } ?? .null
      case .links(let links):
        let targets = try links.compactMap { try known($0) }
        lostLinks += links.count - targets.count
        copy.orderedValues[slot] = .links(targets)
      default: break
      }
    }
    return copy
  }

  /// The copy of a record that existed when the copy began.
  private func known(_ identifier: PersistentIdentifier) throws -> PersistentIdentifier? {
    let name = identifier.entityName
    let key = try session.connection.value(
      "SELECT copy FROM temp.catalog_copy WHERE entity = \(.text(name)) AND source = \(.text(identifier.description))"
    )
    guard let key, let table = session.tables[name] else { return nil }
    return table.key.identifier([key], in: table.scope)
  }
}
