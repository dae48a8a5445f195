/// The records of a store in memory, with everything that a commit has to do.
///
/// For stores that keep their records in memory and save them in any format:
///
/// ```swift
/// func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
///   try records.withLock { records in
///     var changed = records
///     let result = try changed.commit(changes)
///     try write(changed.all)
///     records = changed
///     return result
///   }
/// }
/// ```
///
/// A commit and a change of the schema follow the contract of ``QueryableStore``.
///
/// **Threads.** The records are a value and can be sent anywhere; a store protects them with a lock.
public struct StoredRecords: Sendable {
  /// The entities of the records.
  public internal(set) var schema: Schema
  let storeIdentifier: String
  private let models: Schema?
  private var keys: RecordKeyGenerator
  /// By entity, in the order of creation.
  private(set) var records: [String: [DefaultSnapshot]] = [:]

  /// Takes the records that a store has read.
  ///
  /// They may have any layout and the kinds of values that a coder left, see `Schema.arranged(_:)`. Records of
  /// entities that the schema does not have are left out.
  ///
  /// - Parameters:
  ///   - records: The records; none for a new store.
  ///   - schema: The entities of the records.
  ///   - storeIdentifier: The identifier of the store, for those of new records.
  ///   - models: The schema that the store was configured with, if the store saves its own. Its unique
  ///     constraints apply as well.
  ///   - keys: Creates the keys of new records.
  /// - Throws: `PersistenceError` with code `.storeViolation` when a value is not valid for its field, or two
  ///   records have the same identifier.
  public init(
    _ records: [DefaultSnapshot] = [],
    schema: Schema,
    storeIdentifier: String,
    models: Schema? = nil,
    keys: RecordKeyGenerator = RecordKeyGenerator()
  ) throws {
    self.schema = schema
    self.storeIdentifier = storeIdentifier
    self.models = models
    self.keys = keys
    try replaceAll(by: records)
  }

  mutating func replaceAll(by new: [DefaultSnapshot]) throws {
    records = [:]
    var seen: Set<PersistentIdentifier> = []
    for record in try schema.arranged(new) {
      guard seen.insert(record.persistentIdentifier).inserted else {
        throw PersistenceError(
          .storeViolation,
          "store \(storeIdentifier): duplicate record \(record.persistentIdentifier)"
        )
      }
      insert(record)
    }
  }

  /// All records, by entity in the order of the schema, then in the order of their creation.
  public var all: [DefaultSnapshot] { schema.entities.flatMap { records[$0.name] ?? [] } }

  /// The records that match the query, in order, within limit and offset.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity` or `.unknownAttribute`.
  /// - Complexity: O(n) in the number of records of the entity, and for sorting.
  public func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let entity = try schema.entity(named: query.entityName)
    try query.validate(for: entity)
    return try query.run(over: records[entity.name] ?? [], of: entity)
  }

  /// The existing records with these identifiers, with the given attributes, or all.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute` for a name that the entity of an identifier does
  ///   not have.
  /// - Complexity: O(n) in the number of records of the entities.
  public func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]? = nil) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let names = Set(identifiers.map(\.entityName))
    let candidates = names.flatMap { records[$0] ?? [] }
    return try schema.lookup(identifiers, among: candidates, attributes: attributes)
  }

  /// Checks the changes for conflicts, assigns permanent identifiers, validates, and applies all changes.
  ///
  /// With a change of the schema, the records of the change set have the layouts of the new schema. A store that
  /// keeps a history appends `changes.remapped(result.remappedIdentifiers)`.
  ///
  /// - Parameters:
  ///   - changes: The changes of records.
  ///   - change: A change of the schema that is applied first.
  /// - Returns: The permanent identifiers of the new records, without a token.
  /// - Throws: `PersistenceError` with code `.conflict`, `.invalidValue`, `.notUnique` or `.unknownEntity`, or
  ///   the reason why the schema cannot be changed; nothing is changed then.
  /// - Complexity: O(n) in the number of records of the changed entities.
  public mutating func commit(_ changes: ChangeSet, after change: SchemaChange? = nil) throws
    -> CommitResult
  {
    var changed = self
    if let change { try changed.rearrange(for: change) }
    let places = changed.places(of: changes)
    let changes = try changes.rebased { identifier in
      places[identifier].flatMap { changed.records[identifier.entityName]?[$0] }
    }
    let permanent = try changed.permanentIdentifiers(for: changes.inserted)
    let committed = changes.assigning(permanent)
    for snapshot in committed.inserted + committed.updated.map(\.after) {
      try changed.schema.validate(snapshot)
    }
    changed.make(committed, places)
    let touched = committed.inserted + committed.updated.map(\.after)
    let entityNames = Set(touched.map(\.persistentIdentifier.entityName))
    try changed.checkUniqueness { change != nil || entityNames.contains($0.name) }
    self = changed
    return CommitResult(inserted: changes.inserted, as: permanent, token: nil)
  }

  /// Changes the schema and the records of the changed entities.
  ///
  /// - Throws: `PersistenceError` with the reason why the change is not possible; nothing is changed then.
  /// - Complexity: O(n) in the number of records of the changed entities.
  public mutating func apply(_ change: SchemaChange) throws {
    _ = try commit(ChangeSet(), after: change)
  }
}

// MARK: Changes of the schema

extension StoredRecords {
  private mutating func rearrange(for change: SchemaChange) throws {
    schema = try schema.applying(change)
    if case .replaceSchema(let replacement) = change {
      records = records.mapValues { $0.compactMap(replacement.arranged) }
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
}

// MARK: Checks

extension StoredRecords {
  /// The places of existing records that the changes name, in the list of their entity.
  private func places(of changes: ChangeSet) -> [PersistentIdentifier: Int] {
    let named = Set(
      (changes.inserted + changes.updated.map(\.after) + changes.deleted)
        .map(\.persistentIdentifier)
    )
    var places: [PersistentIdentifier: Int] = [:]
    for name in Set(named.map(\.entityName)) {
      for (place, record) in (records[name] ?? []).enumerated()
      where named.contains(record.persistentIdentifier) {
        places[record.persistentIdentifier] = place
      }
    }
    return places
  }

  private func checkUniqueness(where isConcerned: (Schema.Entity) -> Bool) throws {
    for entity in schema.entities where isConcerned(entity) {
      let records = records[entity.name] ?? []
      try entity.validateUniqueness(of: records)
      guard let model = models?.entitiesByName[entity.name], model !== entity,
        !model.declaredConstraints.isEmpty
      else { continue }
      try model.validateUniqueness(of: records)
    }
  }
}

// MARK: Changes of records

extension StoredRecords {
  /// The identifiers of the new records in order.
  private mutating func permanentIdentifiers(for inserted: [DefaultSnapshot]) throws
    -> [PersistentIdentifier]
  {
    try inserted.map(\.persistentIdentifier).map { identifier in
      guard identifier.isTemporary else { return identifier }
      return try .identifier(
        for: storeIdentifier,
        entityName: identifier.entityName,
        primaryKey: keys.next()
      )
    }
  }

  private mutating func make(_ changes: ChangeSet, _ places: [PersistentIdentifier: Int]) {
    for update in changes.updated {
      guard let place = places[update.persistentIdentifier] else { continue }
      let name = update.persistentIdentifier.entityName
      for slot in update.changedSlots {
        records[name]?[place].orderedValues[slot] = update.after.orderedValues[slot]
      }
    }
    let deleted = Set(changes.deleted.map(\.persistentIdentifier))
    for name in Set(deleted.map(\.entityName)) {
      records[name]?.removeAll { deleted.contains($0.persistentIdentifier) }
    }
    for snapshot in changes.inserted { insert(snapshot) }
  }

  private mutating func insert(_ snapshot: DefaultSnapshot) {
    let identifier = snapshot.persistentIdentifier
    // A key that was read or brought by the program is never given to a new record.
    if let key = identifier.recordKey { keys.note(key) }
    records[identifier.entityName, default: []].append(snapshot)
  }
}
