import Foundation
import OpenSwiftData

/// What a reference store holds, as one value: a commit changes a copy.
struct ReferenceContents: Sendable {
  private(set) var schema: Schema
  private(set) var records: [String: [DefaultSnapshot]] = [:]
  var history = SessionHistory()
  private let storeIdentifier: String
  private var keys: RecordKeyGenerator
  private var random: SeededGenerator

  init(schema: Schema, configuration: ReferenceStoreConfiguration) {
    self.schema = schema
    storeIdentifier = configuration.name
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
      try ValueRules.check(snapshot, in: schema)
    }
    make(committed)
    for entity in schema.entities {
      try ValueRules.checkUniqueness(of: records[entity.name] ?? [], in: entity)
    }
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
      try ValueRules.check(snapshot, in: schema)
    }
    make(changes)
    for entity in schema.entities {
      try ValueRules.checkUniqueness(of: records[entity.name] ?? [], in: entity)
    }
    _ = note(changes, schemaChange: change, author: author, at: time)
  }

  private func record(_ identifier: PersistentIdentifier) -> DefaultSnapshot? {
    records[identifier.entityName]?.first { $0.persistentIdentifier == identifier }
  }

  private func checkNew(_ snapshot: DefaultSnapshot) throws {
    guard record(snapshot.persistentIdentifier) == nil else {
      throw PersistenceError(
        .conflict,
        "there is a record \(snapshot.persistentIdentifier) already"
      )
    }
  }

  private func present(_ identifier: PersistentIdentifier) throws -> DefaultSnapshot {
    if let record = record(identifier) { return record }
    throw PersistenceError(.conflict, "the record \(identifier) is not there any more")
  }

  /// Compares the values that change with what is there.
  private func checkUpdate(_ update: RecordUpdate) throws {
    let present = try present(update.persistentIdentifier)
    guard update.before.layout == present.layout, update.after.layout == present.layout else {
      throw ValueRules.wrongLayout(update.persistentIdentifier)
    }
    for slot in update.changedSlots
    where present.orderedValues[slot] != update.before.orderedValues[slot] {
      throw Self.changedMeanwhile(update.persistentIdentifier)
    }
  }

  private static func changedMeanwhile(_ identifier: PersistentIdentifier) -> PersistenceError {
    PersistenceError(.conflict, "the record \(identifier) was changed by somebody else")
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

/// The rules that every record of a store keeps.
enum ValueRules {
  /// Checks the layout, the kinds of the values, that required ones are there, that numbers are
  /// finite, days and moments in the years 0000 to 9999, and links permanent.
  static func check(_ snapshot: DefaultSnapshot, in schema: Schema) throws {
    let entity = try schema.entity(named: snapshot.persistentIdentifier.entityName)
    guard snapshot.layout == entity.layout else {
      throw wrongLayout(snapshot.persistentIdentifier)
    }
    for (attribute, value) in zip(entity.fields, snapshot.orderedValues) {
      guard attribute.accepts(value), isLasting(value) else {
        throw PersistenceError(
          .invalidValue,
          "\(entity.name).\(attribute.name) cannot be \(Value.quoted(value.text))"
        )
      }
    }
  }

  private static func isLasting(_ value: Value) -> Bool {
    switch value {
    case .link(let link): !link.isTemporary
    case .links(let links): links.allSatisfy { !$0.isTemporary }
    default: value.brokenRule == nil
    }
  }

  static func wrongLayout(_ identifier: PersistentIdentifier) -> PersistenceError {
    PersistenceError(
      .invalidValue,
      "the record \(identifier) has not the fields of \(identifier.entityName)"
    )
  }

  /// Checks that unique attributes hold each value once; null is no value.
  static func checkUniqueness(of records: [DefaultSnapshot], in entity: Schema.Entity) throws {
    for (slot, attribute) in entity.fields.enumerated() where attribute.isUnique {
      var seen: Set<Value> = []
      for record in records where !record.orderedValues[slot].isNull {
        guard seen.insert(record.orderedValues[slot]).inserted else {
          throw PersistenceError(
            .notUnique,
            "two records of \(entity.name) have the same \(attribute.name)"
          )
        }
      }
    }
  }
}
