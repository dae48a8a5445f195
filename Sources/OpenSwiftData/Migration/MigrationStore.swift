import Synchronization

/// Opens the copy of a store that the stages of a migration work on.
struct MigrationStoreConfiguration: DataStoreConfiguration {
  typealias Store = MigrationStore

  let name: String
  var schema: Schema?
  let copy: MigrationCopy

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.copy === rhs.copy }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(copy)) }
}

/// The records that a migration works on, including those that it created.
final class MigrationCopy: Sendable {
  struct Contents: Sendable {
    var records: MigrationRecords
    /// The identifiers given to new records, in order.
    var inserted: [PersistentIdentifier] = []
    var nextNumber = 1
  }

  let storeIdentifier: String
  private let contents: Mutex<Contents>

  init(_ records: MigrationRecords, storeIdentifier: String) {
    self.storeIdentifier = storeIdentifier
    contents = Mutex(Contents(records: records))
  }

  var records: MigrationRecords { contents.withLock { $0.records } }
  var inserted: [PersistentIdentifier] { contents.withLock { $0.inserted } }

  func with<Result: Sendable>(_ body: (inout Contents) throws -> Result) rethrows -> Result {
    try contents.withLock { try body(&$0) }
  }
}

/// The store of the contexts of a stage.
///
/// It only exists during the stage. Records are validated at the end of the stage, not with each save,
/// because a stage may need several saves to make them valid.
final class MigrationStore: TrustedStore {
  typealias Configuration = MigrationStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: MigrationStoreConfiguration
  private let copy: MigrationCopy

  init(
    _ configuration: MigrationStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    copy = configuration.copy
  }

  var identifier: String { copy.storeIdentifier }
  var schema: Schema { copy.records.schema }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    let records = copy.records
    let entity = try records.schema.entity(named: query.entityName)
    try query.validate(for: entity)
    return try query.run(over: records[entity.name], of: entity)
  }

  func snapshots(for identifiers: [PersistentIdentifier], attributes: [String]?) throws
    -> [PersistentIdentifier: DefaultSnapshot]
  {
    let records = copy.records
    let layout = try records.schema.layout(of: attributes, for: identifiers)
    return Dictionary(
      identifiers.compactMap { identifier in
        records[identifier].map { (identifier, $0.projected(on: layout)) }
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    try copy.with { contents in
      for identifier in changes.updated.map(\.persistentIdentifier)
        + changes.deleted.map(\.persistentIdentifier)
      where contents.records[identifier] == nil {
        throw PersistenceError(.conflict, "record \(identifier) no longer exists")
      }
      let temporary = changes.inserted.map(\.persistentIdentifier).filter(\.isTemporary)
      var permanent: [PersistentIdentifier] = []
      for name in temporary.map(\.entityName) {
        let new = IdentifierScope(store: copy.storeIdentifier, entity: name)
          .identifier(text: "migration \(contents.nextNumber)")
        contents.nextNumber += 1
        permanent.append(new)
      }
      contents.inserted += permanent
      let map = IdentifierMap(temporary: temporary, permanent: permanent)
      let changes = changes.remapped(map)
      for snapshot in changes.deleted { contents.records.remove(snapshot.persistentIdentifier) }
      for update in changes.updated { contents.records.replace(update.after) }
      for snapshot in changes.inserted { contents.records.append(snapshot) }
      return CommitResult(map)
    }
  }
}
