public import Foundation

/// A save in the history of our stores.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The number of the transaction in its store.
  public typealias TransactionIdentifier = Int64
  /// A place in the history.
  public typealias TokenType = DefaultHistoryToken

  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// When it was committed.
  public let timestamp: Date
  /// Where in the history it stands.
  public internal(set) var token: DefaultHistoryToken
  /// The store that it was committed to.
  public let storeIdentifier: String
  /// The program that committed it; empty where the store does not know.
  public let bundleIdentifier: String
  /// The process that committed it; empty where the store does not know.
  public let processIdentifier: String
  /// Who committed it, if the context said so.
  public let author: String?
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

  /// Makes a transaction of a store readable with the classes of its models.
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

  /// What it inserted, updated and deleted.
  ///
  /// - Complexity: O(n) in the number of changed records, each time.
  public var changes: [HistoryChange] {
    switch content {
    case .given(let changes): changes
    case .changeSet(let changeSet, let models):
      models.changes(changeSet, transaction: transactionIdentifier)
    }
  }

  /// Same store and same number.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier
      && lhs.storeIdentifier == rhs.storeIdentifier
  }

  /// Feeds store and number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(transactionIdentifier)
  }
}
