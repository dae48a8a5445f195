public import Foundation

/// Which transactions of a history, in which order, how many.
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: @unchecked Sendable {
  // Unchecked as in `FetchDescriptor`: predicates are immutable, but their type does not say so.

  /// Which transactions; nil for all.
  ///
  /// Evaluated in memory, but a store does not read what comes before a token that the predicate
  /// demands, as in `$0.token > last`.
  public var predicate: Predicate<TransactionType>?
  /// How many at the most; zero for all.
  public var fetchLimit: UInt64 = 0
  /// In which order; none means oldest first.
  public var sortBy: [SortDescriptor<TransactionType>]

  /// Creates a descriptor.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }

  /// Filters, sorts and cuts transactions that come oldest first.
  ///
  /// - Throws: What the predicate throws.
  public func apply(to transactions: [TransactionType]) throws -> [TransactionType] {
    var found = transactions
    if let predicate { found = try found.filter { try predicate.evaluate($0) } }
    return ordered(found)
  }

  /// Sorts and cuts transactions that come oldest first.
  func ordered(_ transactions: [TransactionType]) -> [TransactionType] {
    let sorted = sortBy.isEmpty ? transactions : transactions.sorted(using: sortBy)
    return fetchLimit == 0 ? sorted : Array(sorted.prefix(Int(clamping: fetchLimit)))
  }
}
