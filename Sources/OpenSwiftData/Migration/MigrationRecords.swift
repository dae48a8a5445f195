/// The records of a store at one moment of a migration, as plain values.
///
/// It is a value: a stage that keeps it sees the same records even if they change later.
public struct MigrationRecords: Sendable {
  /// The schema that the records have.
  public internal(set) var schema: Schema
  private var tables: [String: Table] = [:]

  private struct Table: Sendable {
    var records: [DefaultSnapshot?] = []
    var places: [PersistentIdentifier: Int] = [:]
    var count: Int { places.count }
  }

  /// Creates a collection of records; those of unknown entities are skipped.
  public init(schema: Schema, records: [DefaultSnapshot] = []) {
    self.schema = schema
    for snapshot in records { append(snapshot) }
  }

  /// The records of an entity, in the order of the store; none for an unknown one.
  public subscript(entityName: String) -> [DefaultSnapshot] {
    tables[entityName]?.records.compactMap(\.self) ?? []
  }

  /// The record with the identifier; nil if it does not exist.
  public subscript(identifier: PersistentIdentifier) -> DefaultSnapshot? {
    guard let table = tables[identifier.entityName], let place = table.places[identifier] else {
      return nil
    }
    return table.records[place]
  }

  /// The number of records of an entity.
  public func count(of entityName: String) -> Int { tables[entityName]?.count ?? 0 }

  /// All records, entity by entity.
  public var all: [DefaultSnapshot] { schema.entities.flatMap { self[$0.name] } }

  // MARK: Changing

  mutating func append(_ snapshot: DefaultSnapshot) {
    let identifier = snapshot.persistentIdentifier
    guard schema.entitiesByName[identifier.entityName] != nil else { return }
    var table = tables.removeValue(forKey: identifier.entityName) ?? Table()
    table.places[identifier] = table.records.count
    table.records.append(snapshot)
    tables[identifier.entityName] = table
  }

  mutating func replace(_ snapshot: DefaultSnapshot) {
    let identifier = snapshot.persistentIdentifier
    guard let place = tables[identifier.entityName]?.places[identifier] else { return }
    tables[identifier.entityName]?.records[place] = snapshot
  }

  mutating func remove(_ identifier: PersistentIdentifier) {
    guard let place = tables[identifier.entityName]?.places.removeValue(forKey: identifier) else {
      return
    }
    tables[identifier.entityName]?.records[place] = nil
  }

  /// Changes to another schema; the body creates the new record from the former one.
  mutating func rearrange(
    to schema: Schema,
    _ body: (Schema.Entity, DefaultSnapshot) throws -> DefaultSnapshot
  ) rethrows {
    for entity in schema.entities {
      guard var table = tables.removeValue(forKey: entity.name) else { continue }
      for place in table.records.indices {
        guard let record = table.records[place] else { continue }
        table.records[place] = try body(entity, record)
      }
      tables[entity.name] = table
    }
    for name in tables.keys where schema.entitiesByName[name] == nil { tables[name] = nil }
    self.schema = schema
  }
}
