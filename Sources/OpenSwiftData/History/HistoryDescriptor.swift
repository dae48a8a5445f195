public import Foundation

/// Describes which transactions of a history to fetch, in which order, and how many.
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: @unchecked Sendable {
  // Unchecked as in `FetchDescriptor`: predicates are immutable, but their type does not say so.

  /// Selects the transactions; nil for all.
  ///
  /// The predicate is evaluated in memory. If it requires a minimum token, as in `$0.token > last`, the store
  /// does not read earlier transactions.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions; zero for all.
  public var fetchLimit: UInt64 = 0
  /// The sort order; empty means oldest first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Creates a descriptor.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// Filters, sorts and limits transactions that are given oldest first.
  ///
  /// - Throws: The error of the predicate.
  public func apply(to transactions: [TransactionType]) throws -> [TransactionType] {
    var found = transactions
    if let predicate { found = try found.filter { try predicate.evaluate($0) } }
    return ordered(found)
  }

  /// Sorts and limits transactions that are given oldest first.
  func ordered(_ transactions: [TransactionType]) -> [TransactionType] {
    let sorted = sortBy.isEmpty ? transactions : transactions.sorted(using: sortBy)
    return fetchLimit == 0 ? sorted : Array(sorted.prefix(Int(clamping: fetchLimit)))
  }
}
