import OpenSwiftData
import Synchronization

/// Opens an `InvoiceStore`.
struct InvoiceConfiguration: DataStoreConfiguration, Sendable {
  typealias Store = InvoiceStore

  var name = "invoices"
  var schema: Schema? = Schema([InvoiceStore.line])

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.name == rhs.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store that makes the values of a field, as a database does for a generated column.
final class InvoiceStore: QueryableStore, Sendable {
  /// The total of a line is its price times its quantity.
  static let line = Schema.Entity(
    "Line",
    attributes: [
      .init("item", .text), .init("price", .integer), .init("quantity", .integer),
      .init("total", .integer, isOptional: false, isReadOnly: true),
    ]
  )

  let configuration: InvoiceConfiguration
  private let records: Mutex<StoredRecords>
  /// The changes that the store was given, in order.
  let requests = Mutex<[ChangeSet]>([])

  init(
    _ configuration: InvoiceConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    self.configuration = configuration
    records = Mutex(
      try StoredRecords(schema: Schema([Self.line]), storeIdentifier: configuration.name)
    )
  }

  func snapshots(matching query: Query) throws -> [DefaultSnapshot] {
    try records.withLock { try $0.snapshots(matching: query) }
  }

  func commit(_ changes: ChangeSet, author: String?) throws -> CommitResult {
    requests.withLock { $0.append(changes) }
    let made = ChangeSet(
      inserted: changes.inserted.map(Self.totaled),
      updated: changes.updated.map {
        RecordUpdate(before: $0.before, after: Self.totaled($0.after))
      },
      deleted: changes.deleted
    )
    return try records.withLock { records in
      var result = try records.commit(made)
      let saved = made.remapped(result.remappedIdentifiers)
      result.reregistered = saved.inserted + saved.updated.map(\.after)
      return result
    }
  }

  private static func totaled(_ snapshot: DefaultSnapshot) -> DefaultSnapshot {
    var snapshot = snapshot
    guard case .integer(let price)? = snapshot["price"],
      case .integer(let quantity)? = snapshot["quantity"]
    else { return snapshot }
    snapshot.orderedValues[3] = .integer(price * quantity)
    return snapshot
  }
}
