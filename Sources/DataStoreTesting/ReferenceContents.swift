import Foundation
import OpenSwiftData

/// The content of a reference store as a value; a commit changes a copy.
struct ReferenceContents: Sendable {
  private(set) var schema: Schema
  private(set) var records: [String: [DefaultSnapshot]] = [:]
  var history: SessionHistory
  private let storeIdentifier: String
  private let requested: Schema?
  private var keys: RecordKeyGenerator
  private var random: SeededGenerator

  init(schema: Schema, configuration: ReferenceStoreConfiguration) {
    self.schema = schema
    history = SessionHistory(configuration.historyLimit)
    storeIdentifier = configuration.name
    requested = configuration.schema
    random = SeededGenerator(seed: configuration.seed)
    let start = random.next()
    keys = RecordKeyGenerator(milliseconds: { 1 }, random: { start })
  }

  mutating func commit(_ changes: ChangeSet, author: String?, at time: Date) throws -> CommitResult
  {
    for snapshot in changes.inserted { try checkNew(snapshot) }
    for update in changes.updated { try checkUpdate(update) }
    for snapshot in changes.deleted {
      guard try present(snapshot.persistentIdentifier) == snapshot else {
        throw Self.changedMeanwhile(snapshot.persistentIdentifier)
      }
    }
    let map = permanentIdentifiers(for: changes.inserted)
    let committed = changes.remapped(map)
    for snapshot in committed.inserted + committed.updated.map(\.after) {
      try schema.validate(snapshot)
    }
    make(committed)
    try checkUniqueness()
    let token = note(committed, author: author, at: time)
    return CommitResult(remappedIdentifiers: map, token: token)
  }

  mutating func apply(_ change: SchemaChange, author: String?, at time: Date) throws {
    try makeChange(change)
    _ = note(ChangeSet(), schemaChange: change, author: author, at: time)
  }

  private mutating func makeChange(_ change: SchemaChange) throws {
    schema = try schema.applying(change)
    if case .replaceSchema(let replacement) = change {
      let all = records.values.flatMap(\.self)
      records = Dictionary(
        grouping: all.compactMap { replacement.arranged($0) },
        by: \.persistentIdentifier.entityName
      )
      return
    }
    let entity = try schema.entity(named: change.entityName)
    records[entity.name] = records[entity.name]?.map { snapshot in
      if case .renameAttribute = change {
        return DefaultSnapshot(
          persistentIdentifier: snapshot.persistentIdentifier,
          layout: entity.layout,
          orderedValues: snapshot.orderedValues
        )
      }
      return snapshot.arranged(as: entity.layout) { entity.fields[$0].defaultValue }
    }
  }

  mutating func migrate(_ migration: SchemaMigration, author: String?, at time: Date) throws {
    let map = permanentIdentifiers(for: migration.changes.inserted)
    let changes = migration.changes.remapped(map)
    let change = SchemaChange.replaceSchema(migration.replacement)
    try makeChange(change)
    for snapshot in changes.inserted + changes.updated.map(\.after) {
      try schema.validate(snapshot)
    }
    make(changes)
    try checkUniqueness()
    _ = note(changes, schemaChange: change, author: author, at: time)
  }

  private func record(_ identifier: PersistentIdentifier) -> DefaultSnapshot? {
    records[identifier.entityName]?.first { $0.persistentIdentifier == identifier }
  }

  private func checkNew(_ snapshot: DefaultSnapshot) throws {
    guard record(snapshot.persistentIdentifier) == nil else {
      throw PersistenceError(
        .conflict,
        "record \(snapshot.persistentIdentifier) already exists"
      )
    }
  }

  private func present(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
    if let record = record(identifier) { return record }
    throw PersistenceError(.conflict, "record \(identifier) no longer exists")
  }

  /// Compares the former values of the changes with the current ones.
  private func checkUpdate(_ update: RecordUpdate) throws {
    let present = try present(update.persistentIdentifier)
    guard update.before.layout == present.layout, update.after.layout == present.layout else {
      throw PersistenceError(
        .invalidValue,
        "record \(update.persistentIdentifier) does not have the fields of its entity"
      )
    }
    for slot in update.changedSlots
    where present.orderedValues[slot] != update.before.orderedValues[slot] {
      throw Self.changedMeanwhile(update.persistentIdentifier)
    }
  }

  /// Checks each entity as stored and as requested by the program, which defines compound
  /// constraints.
  private func checkUniqueness() throws {
    for entity in schema.entities {
      let records = records[entity.name] ?? []
      try entity.validateUniqueness(of: records)
      guard let requested = requested?.entitiesByName[entity.name], requested !== entity,
        !requested.declaredConstraints.isEmpty
      else { continue }
      try requested.validateUniqueness(of: records)
    }
  }

  private static func changedMeanwhile(_ identifier: PersistentIdentifier) -> PersistenceError {
    PersistenceError(.conflict, "record \(identifier) was changed by another program")
  }

  private mutating func permanentIdentifiers(
    for inserted: [DefaultSnapshot]
  ) -> [PersistentIdentifier: PersistentIdentifier] {
    var map: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in inserted where snapshot.persistentIdentifier.isTemporary {
      let temporary = snapshot.persistentIdentifier
      let scope = IdentifierScope(store: storeIdentifier, entity: temporary.entityName)
      map[temporary] = scope.identifier(key: keys.next())
    }
    return map
  }

  private mutating func make(_ changes: ChangeSet) {
    for snapshot in changes.inserted {
      records[snapshot.persistentIdentifier.entityName, default: []].append(snapshot)
    }
    for update in changes.updated {
      let name = update.persistentIdentifier.entityName
      records[name] = records[name]?.map { record in
        var record = record
        if record.persistentIdentifier == update.persistentIdentifier {
          for slot in update.changedSlots {
            record.orderedValues[slot] = update.after.orderedValues[slot]
          }
        }
        return record
      }
    }
    for snapshot in changes.deleted {
      let identifier = snapshot.persistentIdentifier
      records[identifier.entityName]?.removeAll { $0.persistentIdentifier == identifier }
    }
  }

  private mutating func note(
    _ changes: ChangeSet,
    schemaChange: SchemaChange? = nil,
    author: String?,
    at time: Date
  ) -> Int64 {
    history.append(
      changes,
      schemaChange: schemaChange,
      author: author,
      id: UUID(high: random.next(), low: random.next()),
      at: time
    )
  }
}
