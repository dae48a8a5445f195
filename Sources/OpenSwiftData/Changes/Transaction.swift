public import Foundation

/// A committed change set with its time and author.
public struct Transaction: Hashable, Sendable, Identifiable {
  /// The number of the transaction in its store; each is greater than those before it.
  public var token: Int64
  /// Identifies the transaction across stores.
  public var id: UUID
  /// The time of the commit by the system clock; tokens determine the order.
  public var timestamp: Date
  /// The author, if the context has one.
  public var author: String?
  /// The message that was given with the save, if any.
  public var message: String?
  /// The changes, with permanent identifiers.
  public var changes: ChangeSet
  /// The change of the schema, if it was one.
  public var schemaChange: SchemaChange?
  /// The changes that `schemaChange` combines, in the order in which they were made; empty if it is a single one, or
  /// they are not known.
  ///
  /// The first transaction of a log has them without a `schemaChange`, because the log begins with its schema.
  ///
  /// A conversion of an attribute to another type is a removal and an addition here.
  public var schemaSteps: [SchemaChange] {
    get { steps.flatMap(\.changes) }
    set { steps = newValue.compactMap { SchemaStep($0) } }
  }
  /// The same, with conversions.
  package var steps: [SchemaStep] = []
  /// True if the schema was changed.
  package var changesSchema: Bool { schemaChange != nil || !steps.isEmpty }
  /// True for a change from outside the container that its store reported without the program or person that
  /// made it.
  ///
  /// Values that are not known are missing: the snapshot of a record then has no values. An update whose
  /// earlier values are not known has the later ones in both snapshots. A log records every save with its
  /// author, and does not set this.
  public var isExternal = false
  /// True for a change from outside that may include more than is listed.
  public var isIncomplete = false
  /// How the file was read when the transaction was saved, as options, if it is read in another way now: its values may
  /// mean others then.
  package var otherReading: String?
  /// The schema before a change that replaced it as a whole, if the store has it.
  ///
  /// Dropped fields appear nowhere else.
  package var formerSchema: Schema?
  /// The former values of fields that the change of the schema has converted to another type, as far as they do not
  /// follow from the new ones; see `ReplacedFields`.
  package var formerValues: [DefaultSnapshot] = []

  /// Creates a transaction.
  public init(
    token: Int64,
    id: UUID,
    timestamp: Date,
    author: String?,
    changes: ChangeSet,
    schemaChange: SchemaChange? = nil
  ) {
    self.token = token
    self.id = id
    self.timestamp = timestamp
    self.author = author
    self.changes = changes
    self.schemaChange = schemaChange
  }

  /// The same transaction with the changes of one record only; nil when it does not touch the record.
  public func restricted(to identifier: PersistentIdentifier) -> Transaction? {
    var restricted = self
    restricted.changes = ChangeSet(
      inserted: changes.inserted.filter { $0.persistentIdentifier == identifier },
      updated: changes.updated.filter { $0.persistentIdentifier == identifier },
      deleted: changes.deleted.filter { $0.persistentIdentifier == identifier }
    )
    restricted.formerValues.removeAll { $0.persistentIdentifier != identifier }
    return restricted.changes.isEmpty && restricted.formerValues.isEmpty ? nil : restricted
  }
}
