public import Foundation

/// A committed change set: what changed, when, by whom.
public struct Transaction: Hashable, Sendable, Identifiable {
  /// The number of the transaction in its store; each is greater than those before it.
  public var token: Int64
  /// Names the transaction beyond its store.
  public var id: UUID
  /// When it was committed, by the clock of the machine; the order is that of the tokens.
  public var timestamp: Date
  /// Who committed it, if the context said so.
  public var author: String?
  /// What changed; identifiers are permanent.
  public var changes: ChangeSet
  /// The change of the schema, if it was one.
  public var schemaChange: SchemaChange?
  /// The schema before a change that replaced it as a whole, where the store knows it; what was dropped
  /// shows in nothing else.
  package var formerSchema: Schema?

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
    return restricted.changes.isEmpty ? nil : restricted
  }
}
