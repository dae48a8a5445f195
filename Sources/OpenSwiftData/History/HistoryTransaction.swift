public import Foundation

/// One save in the history of a store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of the position of the transaction in the history.
  associatedtype TokenType: Comparable & Hashable & Identifiable & Sendable
  /// The type that identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// The time of the commit.
  var timestamp: Date { get }
  /// The inserted, updated and deleted records.
  var changes: [HistoryChange] { get }
  /// The position in the history; later transactions have a greater one.
  var token: TokenType { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store that it was committed to.
  var storeIdentifier: String { get }
  /// The author, if the context has one.
  var author: String? { get }
}

/// One record that a transaction changed.
public enum HistoryChange: Sendable {
  /// A new record.
  case insert(any HistoryInsert)
  /// A record whose values changed.
  case update(any HistoryUpdate)
  /// A deleted record.
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
  /// The type that identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// The type that identifies a change in its transaction.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  /// Identifies the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The record.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An updated record in the history.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the record.
  associatedtype Model: PersistentModel
  /// The type that identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// The type that identifies a change in its transaction.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// Identifies the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The record.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// A deleted record in the history.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the record.
  associatedtype Model: PersistentModel
  /// The type that identifies a transaction in its store.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// The type that identifies a change in its transaction.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  /// Identifies the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// Identifies the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The record.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The preserved values of the record.
  var tombstone: HistoryTombstone<Model> { get }
}

/// A position in the history of one store or of several.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// The type of its content.
  associatedtype TokenType: Codable & Hashable & Sendable
  /// The content of the token; nil if it does not refer to a position yet.
  var tokenValue: TokenType? { get }
}
