import Foundation
import OpenSwiftData
import SQL
import Stores

/// The keys of new records, finding saves again, and checks of what other programs have left.
extension OwnDatabase {
  /// Gives new records keys that are greater than all others.
  func assignIdentifiers(_ changes: ChangeSet) throws -> (ChangeSet, IdentifierMap) {
    for key in changes.inserted.lazy.compactMap(\.persistentIdentifier.recordKey) {
      keys.given.generator.note(key)
    }
    keys.given.first = nil
    let count = changes.inserted.count
    var (temporary, permanent): ([PersistentIdentifier], [PersistentIdentifier]) = ([], [])
    temporary.reserveCapacity(count)
    permanent.reserveCapacity(count)
    var meter = WorkMeter()
    var last: (temporary: IdentifierScope, permanent: IdentifierScope)?
    // By places, because a copy of each record would take longer than its key.
    for place in changes.inserted.indices {
      try meter.count()
      let identifier = changes.inserted[place].persistentIdentifier
      guard identifier.isTemporary else { continue }
      let scope = identifier.identifierScope
      if last?.temporary != scope {
        last = (scope, try table(identifier.entityName).scope)
      }
      guard let known = last?.permanent else { continue }
      let isFirst = keys.given.first == nil
      let key = isFirst ? keys.given.generator.next() : keys.given.generator.following()
      if isFirst { keys.given.first = key }
      temporary.append(identifier)
      permanent.append(known.identifier(key: key))
    }
    let identifiers = IdentifierMap(temporary: temporary, permanent: permanent)
    let assigned =
      permanent.count == count ? changes.assigning(permanent) : changes.remapped(identifiers)
    return (assigned, identifiers)
  }

  /// Looks for the transaction of a save in the history.
  func isSaved(_ entry: HistoryEntry) throws -> Bool? {
    try hasTransaction(entry.id, after: lastToken)
  }

  func trace(of entry: HistoryEntry) -> SaveTrace {
    SaveTrace(transaction: .init(id: entry.id, token: lastToken + 1))
  }

  func holds(_ trace: SaveTrace) throws -> Bool? {
    if isUnwritten { return false }
    guard let entry = trace.transaction else { return nil }
    if try hasTransaction(entry.id, after: entry.token - 1) { return true }
    return try entry.token <= max(meta("horizon"), horizon) ? nil : false
  }

  private func hasTransaction(_ id: UUID, after token: Int64) throws -> Bool {
    let sql: SQLText =
      "SELECT count(*) FROM catalog_history WHERE token > \(.integer(token)) AND id = \(.text(id.uuidString.lowercased()))"
    return try connection.number(sql) > 0
  }

  // MARK: Checks

  func problems() throws -> [String] {
    try ordered.flatMap { try invalidValues(in: $0) } + damagedHistory()
  }

  /// The greatest number of invalid values of a table that are listed.
  private static let invalidLimit = 100

  /// Values that other programs have written in a form that the format does not have.
  private func invalidValues(in table: TableDescription) throws -> [String] {
    var (found, count): ([String], Int) = ([], 0)
    func add(_ key: String, _ field: String, _ problem: String) {
      count += 1
      if count <= Self.invalidLimit {
        found.append("\(table.entity.name) \(key): \(field): \(problem)")
      }
    }
    let sql = try table.select(Array(table.columns.indices), where: "1")
    let places = table.places(of: Array(table.columns.indices))
    let rows = try reader.lines(sql, of: table.name) { row in
      let identifier = table.key.identifier([row[0]], in: table.scope)
      let key = identifier?.description ?? row[0].literal
      if identifier == nil { add(key, table.entity.identifierKey, "not a key of a record") }
      for (slot, column) in table.columns.enumerated() {
        let stored = row[places[slot]]
        let value = column.form.value(of: stored)
        let isText = if case .text = stored { true } else { false }
        if let value, column.field.accepts(value), column.form != .json || value.isReadable,
          !(column.field.isBlob && isText)
        {
          continue
        }
        add(
          key,
          column.field.name,
          stored == .null ? "a value is required" : column.misfitMessage(stored)
        )
      }
      return []
    }
    if count > found.count { found.append("… and \(count - found.count) more") }
    return rows + found
  }

  /// The transactions of the history that cannot be read.
  private func damagedHistory() throws -> [String] {
    var found: [String] = []
    do {
      try forEachTransactionError { token, error in
        found.append("catalog_history: transaction \(token) cannot be read: \(error.message)")
      }
    } catch let failure as SQLiteFailure where failure.isDamage {
      reader.noteDamage(failure)
    } catch let error as PersistenceError where error.code == .damaged {
      found.append(error.message)
    }
    return found
  }
}

extension Value {
  /// False for JSON text that is not valid.
  fileprivate var isReadable: Bool {
    guard case .json(let text) = self else { return true }
    return (try? Value(parsing: text, as: .json)) != nil
  }
}
