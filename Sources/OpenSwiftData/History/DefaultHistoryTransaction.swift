public import Foundation

/// A save in the history of the built-in stores.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The number of the transaction in its store.
  public typealias TransactionIdentifier = Int64
  /// A position in the history.
  public typealias TokenType = DefaultHistoryToken

  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// The time of the commit.
  public let timestamp: Date
  /// The position of the transaction in the history.
  public internal(set) var token: DefaultHistoryToken
  /// The store that it was committed to.
  public let storeIdentifier: String
  /// The program that committed it; empty if the store does not record it.
  public let bundleIdentifier: String
  /// The process that committed it; empty if the store does not record it.
  public let processIdentifier: String
  /// The author, if the context has one.
  public let author: String?
  /// True for a change from outside the container, such as another program's edit of a file, that its store
  /// reported without its own history; see `Transaction.isExternal`.
  public internal(set) var isExternal = false
  /// True for a change from outside that may include more than is listed.
  public internal(set) var isIncomplete = false
  private let content: Content

  private enum Content: Sendable {
    case given([HistoryChange])
    case changeSet(ChangeSet, HistoryModels)
  }

  /// Creates a transaction.
  public init(
    transactionIdentifier: Int64,
    timestamp: Date,
    changes: [HistoryChange],
    token: DefaultHistoryToken? = nil,
    storeIdentifier: String,
    bundleIdentifier: String = "",
    processIdentifier: String = "",
    author: String? = nil
  ) {
    self.init(
      transactionIdentifier,
      timestamp,
      token ?? DefaultHistoryToken([storeIdentifier: transactionIdentifier]),
      storeIdentifier,
      bundleIdentifier,
      processIdentifier,
      author,
      .given(changes)
    )
  }

  /// Creates a history transaction with model classes from a transaction of a store.
  init(
    _ transaction: Transaction,
    of storeIdentifier: String,
    token: DefaultHistoryToken,
    models: HistoryModels
  ) {
    self.init(
      transaction.token,
      transaction.timestamp,
      token,
      storeIdentifier,
      "",
      "",
      transaction.author,
      .changeSet(transaction.changes, models)
    )
    isExternal = transaction.isExternal
    isIncomplete = transaction.isIncomplete
  }

  private init(
    _ transactionIdentifier: Int64,
    _ timestamp: Date,
    _ token: DefaultHistoryToken,
    _ storeIdentifier: String,
    _ bundleIdentifier: String,
    _ processIdentifier: String,
    _ author: String?,
    _ content: Content
  ) {
    self.transactionIdentifier = transactionIdentifier
    self.timestamp = timestamp
    self.token = token
    self.storeIdentifier = storeIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.processIdentifier = processIdentifier
    self.author = author
    self.content = content
  }

  /// The number of the transaction in its store.
  public var id: Int64 { transactionIdentifier }

  /// The inserted, updated and deleted records.
  ///
  /// - Complexity: O(n) in the number of changed records, on each access.
  public var changes: [HistoryChange] {
    switch content {
    case .given(let changes): changes
    case .changeSet(let changeSet, let models):
      models.changes(changeSet, transaction: transactionIdentifier)
    }
  }

  /// True when store and number are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  /// Hashes store and number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(transactionIdentifier)
  }
}
