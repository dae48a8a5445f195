import OpenSwiftData
import SQL

/// What foreign keys would change beside the records of a save, found before it by reading.
extension ForeignDatabase {
  /// A foreign key with an action for the deletion of the row that it refers to, or for new values in it.
  private struct Action {
    let child: TableDescription
    let key: ForeignKey
    let targets: [String]
    var deletes: Bool { key.onDelete == "CASCADE" }
  }

  /// Records in which the same columns get other values.
  private struct ChangedRecords: Hashable {
    let entityName: String
    let columns: Set<ExactName>
  }

  /// The number of deleted or changed records above which the rows are not looked for.
  private static let cascadeLimit = 10_000

  /// The rows that foreign keys delete or change with the records of a save; triggers are not known.
  ///
  /// - Throws: `SQLiteFailure`.
  func cascades(of changes: ChangeSet) throws -> SideEffects {
    var effects = SideEffects()
    guard mayChangeOthers, changes.deleted.count + changes.updated.count <= Self.cascadeLimit else {
      return effects
    }
    let actions = referenceActions(\.onDelete)
    var seen = Set(
      (changes.deleted + changes.updated.map(\.after)).map(\.persistentIdentifier)
    )
    let followers = try followers(of: changes.updated)
    var updated = Set(followers.filter { !$0.value }.keys)
    var next = changes.deleted.map(\.persistentIdentifier)
    while !next.isEmpty {
      let deleted = next
      next = []
      for (name, group) in Dictionary(grouping: deleted, by: \.entityName) {
        guard let parent = tables[name] else { continue }
        for action in actions[parent.name] ?? [] {
          for row in try rows(of: action, referringTo: group, in: parent) {
            if !action.deletes, !seen.contains(row) { updated.insert(row) }
            if action.deletes, seen.insert(row).inserted { next.append(row) }
          }
        }
      }
      for row in next { effects.counts[row.entityName, default: .init()].deleted += 1 }
    }
    for row in updated.subtracting(seen) {
      effects.counts[row.entityName, default: .init()].updated += 1
    }
    // A record with another key is another record.
    for row in Set(followers.filter(\.value).keys).subtracting(seen) {
      effects.counts[row.entityName, default: .init()].deleted += 1
      effects.counts[row.entityName, default: .init()].inserted += 1
    }
    return effects
  }

  /// The rows whose foreign keys follow the new values of records, and whether their own keys change with them.
  private func followers(of updates: [RecordUpdate]) throws -> [PersistentIdentifier: Bool] {
    let actions = referenceActions(\.onUpdate)
    if actions.isEmpty { return [:] }
    var next = Dictionary(grouping: updates, by: changedColumns)
      .mapValues { $0.map(\.after.persistentIdentifier) }
    var found: [PersistentIdentifier: Bool] = [:]
    while let (changed, records) = next.popFirst() {
      guard let parent = tables[changed.entityName] else { continue }
      for action in actions[parent.name] ?? []
      where action.targets.contains(where: { changed.columns.contains(ExactName(folding: $0)) }) {
        let (child, columns) = (
          action.child, Set(action.key.columns.map { ExactName(folding: $0) })
        )
        let isKey = child.columns.contains {
          $0.keyPart != nil && columns.contains(ExactName(folding: $0.name))
        }
        let rows = try rows(of: action, referringTo: records, in: parent)
          .filter { found.updateValue(found[$0] ?? false || isKey, forKey: $0) == nil }
        if rows.isEmpty { continue }
        next[ChangedRecords(entityName: child.entity.name, columns: columns), default: []] += rows
      }
    }
    return found
  }

  private func changedColumns(_ update: RecordUpdate) -> ChangedRecords {
    let name = update.after.persistentIdentifier.entityName
    let before = update.before.arranged(as: update.after.layout)
    let columns = (tables[name]?.columns ?? []).filter { column in
      update.after.layout.slot(of: column.field.name).map {
        before.orderedValues[$0] != update.after.orderedValues[$0]
      } ?? false
    }
    return ChangedRecords(
      entityName: name,
      columns: Set(columns.map { ExactName(folding: $0.name) })
    )
  }

  private func rows(
    of action: Action,
    referringTo parents: [PersistentIdentifier],
    in table: TableDescription
  ) throws -> [PersistentIdentifier] {
    let keys = parents.compactMap { table.key.parts(of: $0) }
    let child = action.child
    let reference = reference(action, to: table)
    var found: [PersistentIdentifier] = []
    try keys.forEachBatch(of: CommitPlan.batchSize) { batch in
      let sql: SQLText =
        "SELECT \(child.selection([])) FROM \(child.source) WHERE \(reference) AND "
        + table.condition(forKeys: Array(batch)) + ")"
      try connection.forEach(sql) { row in
        let parts = child.keyColumns.indices.map { row[$0] }
        if let identifier = child.key.identifier(parts, in: child.scope) {
          found.append(identifier)
        }
      }
    }
    return found
  }

  /// The beginning of the condition that a row refers to one of some rows of a table.
  private func reference(_ action: Action, to table: TableDescription) -> String {
    let columns = action.key.columns.map(\.quotedName)
    let targets = action.targets.map(\.quotedName)
    let isCollated = table.columns.contains { column in
      column.hasCollation
        && action.targets.contains { ExactName(folding: $0) == ExactName(folding: column.name) }
    }
    guard isCollated else {
      return "(\(columns.joined(separator: ", "))) IN (SELECT \(targets.joined(separator: ", ")) "
        + "FROM \(table.source) WHERE true"
    }
    // The database compares by the collation of the key that is referred to, the left operand.
    let row = "main.\(action.child.name.quotedName)"
    let pairs = zip(targets, columns).map { "catalog_parent.\($0) = \(row).\($1)" }
    return "EXISTS (SELECT 1 FROM \(table.source) AS catalog_parent WHERE "
      + pairs.joined(separator: " AND ")
  }

  /// By the name of the table that they refer to, the foreign keys with an action for an event.
  private func referenceActions(_ event: KeyPath<ForeignKey, String>) -> [String: [Action]] {
    let names = Dictionary(
      ordered.map { (ExactName(folding: $0.name), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var found: [String: [Action]] = [:]
    for child in ordered where child.obstacle == nil {
      for key in child.foreignKeys
      where ["CASCADE", "SET NULL", "SET DEFAULT"].contains(key[keyPath: event]) {
        guard let parent = names[ExactName(folding: key.parent)] else { continue }
        let keyColumns = parent.keyPlaces.map { parent.columns[$0].name }
        let targets = key.targets.isEmpty ? keyColumns : key.targets
        guard targets.count == key.columns.count else { continue }
        found[parent.name, default: []].append(Action(child: child, key: key, targets: targets))
      }
    }
    return found
  }
}
