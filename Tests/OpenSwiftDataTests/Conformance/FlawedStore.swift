import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization

/// The flaws of a store, and its switches.
enum Flaw: String, CaseIterable, Sendable {
  case dropsAnUpdate, keepsATemporaryLink, ignoresTheOffset, reportsATemporaryIdentifier
  case acceptsStaleRecords, sortsNullsFirst, forgetsTheAuthor, foldsUnicode
  case commitsHalfOfAFailure, forgetsConstraints
  case migratesNothing, migratesOnlyTheSchema, migratesAnything
  case listsAnew, dropsDeletedPositions, listsFormerValues, countsOneTooMany, searchesOnlyForward
  case neverCountsOn, forgetsMissingValues, deletesOnlyTheFirst
}

struct FlawedConfiguration: DataStoreConfiguration {
  typealias Store = FlawedStore

  var name = "flawed"
  var schema: Schema?
  var flaw: Flaw?
}

/// A reference store with one flaw, and with a switch that makes saving fail.
final class FlawedStore: HistoryKeepingStore, MigratableStore, Sendable {
  let configuration: FlawedConfiguration
  let inner: ReferenceStore
  private let failures = Mutex<Int>(0)
  private let interference = Mutex<(@Sendable () -> Void)?>(nil)

  init(_ configuration: FlawedConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil)
    throws
  {
    self.configuration = configuration
    var schema = configuration.schema
    if configuration.flaw == .forgetsConstraints {
      schema = schema.map {
        Schema($0.entities.map { Schema.Entity($0.name, attributes: $0.fields) })
      }
    }
    inner = try ReferenceStore(
      ReferenceStoreConfiguration(name: configuration.name, schema: schema)
    )
  }

  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  /// Makes the given number of commits fail.
  func failNext(_ count: Int = 1) { failures.withLock { $0 = count } }

  /// Runs a body before each commit but its own.
  func beforeCommits(_ body: @escaping @Sendable () -> Void) { interference.withLock { $0 = body } }

  private func interfere() {
    let body = interference.withLock { body in
      defer { body = nil }
      return body
    }
    guard let body else { return }
    body()
    beforeCommits(body)
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    var query = query
    if configuration.flaw == .ignoresTheOffset { query.offset = 0 }
    if configuration.flaw == .sortsNullsFirst {
      query.sort = query.sort.map {
        SortKey($0.attribute, isDescending: $0.isDescending, nullsFirst: true)
      }
    }
    return try inner.snapshots(matching: query)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    try inner.snapshots(for: identifiers, attributes: attributes)
  }

  func listing(matching query: Query) throws -> any Listing {
    guard let flaw = configuration.flaw else {
      // A listing of its own, which finds its records page by page.
      var rest = try inner.identifiers(matching: query)[...]
      return PagedListing(
        next: {
          defer { rest = rest.dropFirst(7) }
          return Array(rest.prefix(7))
        },
        read: { [inner] in try inner.snapshots(for: $0, attributes: $1) }
      )
    }
    return try FlawedListing(inner, query, flaw)
  }

  func valueCounts(of attribute: String, matching query: Query) throws -> [Value: Int] {
    var counts = try inner.valueCounts(of: attribute, matching: query)
    if configuration.flaw == .forgetsMissingValues { counts[.null] = nil }
    return counts
  }

  func delete(matching queries: [Query], author: String?) throws -> Int {
    var queries = queries
    if configuration.flaw == .deletesOnlyTheFirst { queries[0].limit = 1 }
    return try inner.delete(matching: queries, author: author)
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    let fails = failures.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    if fails { throw PersistenceError(.inaccessible, "the disk is full") }
    interfere()
    var changes = changes
    switch configuration.flaw {
    case .dropsAnUpdate where changes.updated.count > 1: changes.updated.removeLast()
    case .acceptsStaleRecords:
      let present = try inner.snapshots(for: changes.updated.map(\.persistentIdentifier))
      changes.updated = changes.updated.map {
        RecordUpdate(before: present[$0.persistentIdentifier] ?? $0.before, after: $0.after)
      }
    case .foldsUnicode: changes.inserted = changes.inserted.map(Self.folded)
    case .commitsHalfOfAFailure: return try commitInHalves(changes, author)
    default: break
    }
    let author = configuration.flaw == .forgetsTheAuthor ? nil : author
    var result = try inner.commit(changes, author: author)
    if configuration.flaw == .reportsATemporaryIdentifier,
      let first = changes.inserted.last?.persistentIdentifier, first.isTemporary
    {
      result.remappedIdentifiers[first] = first
    }
    if configuration.flaw == .keepsATemporaryLink { try loseLinks(changes, result) }
    return result
  }

  func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try inner.transactions(after: token, touching: identifier)
  }

  func apply(_ change: SchemaChange, author: String?) throws {
    try inner.apply(change, author: author)
  }

  var migrationToken: Int64? { inner.migrationToken }

  func migrate(_ migration: SchemaMigration, author: String?) throws {
    switch configuration.flaw {
    case .migratesNothing: return
    case .migratesOnlyTheSchema:
      // Without the origins of the fields, renamed ones lose their values.
      try inner.apply(
        .replaceSchema(SchemaReplacement(schema: migration.schema, origins: [:])),
        author: author
      )
    case .migratesAnything:
      if let current = try inner.migration(to: migration.schema) {
        try inner.migrate(current, author: author)
      }
    default: try inner.migrate(migration, author: author)
    }
  }

  private func commitInHalves(_ changes: ChangeSet, _ author: String?) throws -> CommitResult {
    let deleted = ChangeSet(deleted: changes.deleted)
    _ = try inner.commit(deleted, author: author)
    var rest = changes
    rest.deleted = []
    return try inner.commit(rest, author: author)
  }

  /// Loses links to records of the same commit.
  private func loseLinks(_ changes: ChangeSet, _ result: CommitResult) throws {
    let new = Set(result.remappedIdentifiers.values)
    let stored = try inner.snapshots(for: Array(new))
    let updates = stored.values.compactMap { snapshot -> RecordUpdate? in
      var after = snapshot
      after.orderedValues = snapshot.orderedValues.map { value in
        if case .link(let link) = value, new.contains(link) { return .null }
        return value
      }
      return after == snapshot ? nil : RecordUpdate(before: snapshot, after: after)
    }
    _ = try inner.commit(ChangeSet(updated: updates), author: nil)
  }

  private static func folded(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
    var copy = snapshot
    copy.orderedValues = snapshot.orderedValues.map { value in
      guard case .text(let text) = value else { return value }
      return .text(text.precomposedStringWithCanonicalMapping)
    }
    return copy
  }
}
