public import Foundation

/// What one save looks like in the history of a store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// What tells where in the history the transaction stands.
  associatedtype TokenType: Comparable & Hashable & Identifiable & Sendable
  /// What names the transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// When it was committed.
  var timestamp: Date { get }
  /// What it inserted, updated and deleted.
  var changes: [HistoryChange] { get }
  /// Where in the history it stands; later transactions have a greater one.
  var token: TokenType { get }
  /// Names the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that it was committed to.
  var storeIdentifier: String { get }
  /// Who committed it, if the context said so.
  var author: String? { get }
}

/// One record that a transaction changed.
public enum HistoryChange: Sendable {
  /// A new record.
  case insert(any HistoryInsert)
  /// A record whose values changed.
  case update(any HistoryUpdate)
  /// A record that went.
  case delete(any HistoryDelete)

  /// The record.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let insert): insert.changedPersistentIdentifier
    case .update(let update): update.changedPersistentIdentifier
    case .delete(let delete): delete.changedPersistentIdentifier
    }
  }
}

/// A new record in the history.
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the record.
  associatedtype Model: PersistentModel
  /// What names the transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// What names the change in its transaction.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  /// Names the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// Names the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The record.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A record in the history whose values changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the record.
  associatedtype Model: PersistentModel
  /// What names the transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// What names the change in its transaction.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// Names the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// Names the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The record.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// A record in the history that went.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the record.
  associatedtype Model: PersistentModel
  /// What names the transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// What names the change in its transaction.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  /// Names the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// Names the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The record.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What is left of its values.
  var tombstone: HistoryTombstone<Model> { get }
}

/// A place in the history of one store or of several.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// What it is made of.
  associatedtype TokenType: Codable & Hashable & Sendable
  /// What it is made of; nil when it stands for nothing yet.
  var tokenValue: TokenType? { get }
}
