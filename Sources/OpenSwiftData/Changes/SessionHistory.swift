public import Foundation

/// The transactions committed since a store was opened, in memory, as far as the limit allows.
///
/// For stores without a history on disk:
///
/// ```swift
/// var result = try records.commit(changes)
/// result.token = history.append(changes.remapped(result.remappedIdentifiers), author: author)
/// ```
///
/// **Threads.** The history is a value and can be sent anywhere; a store protects it with a lock.
///
/// Invariants, which `checkInvariants()` checks:
/// 1. The tokens of the kept transactions ascend.
/// 2. The size is that of the kept transactions.
public struct SessionHistory: Sendable {
  /// A transaction with what the history needs to know about it.
  struct Entry: Sendable {
    var transaction: Transaction
    var sizeBytes: Int
    /// True for a change from outside whose values were not read yet.
    var lacksValues = false
  }

  private let limit: HistoryLimit
  /// The transactions, after `start` discarded ones that are empty.
  var entries: [Entry] = []
  /// The index of the oldest transaction that is kept.
  private(set) var start = 0
  /// The approximate size of the kept transactions.
  private var sizeBytes = 0
  /// The token of the last transaction; zero when there was none.
  public internal(set) var lastToken: Int64 = 0
  /// The token of the last transaction that was discarded; zero when none was.
  private var horizon: Int64 = 0

  /// Creates an empty history.
  public init(_ limit: HistoryLimit = HistoryLimit()) { self.limit = limit }

  /// Adds a transaction and returns its token; tokens count from 1.
  ///
  /// - Parameters:
  ///   - changes: The changes of records, with permanent identifiers.
  ///   - schemaChange: The change of the schema that was applied before them.
  ///   - formerSchema: The schema before a change that replaces it.
  ///   - schemaSteps: The changes that `schemaChange` combines, in their order.
  ///   - author: The author of the change, if known.
  ///   - message: The message that was given with it, if any.
  ///   - isExternal: True if it was made by another program.
  ///   - isIncomplete: True if it changed more than is listed.
  ///   - id: A name that no other transaction has.
  ///   - timestamp: The time of the change.
  /// - Returns: The token, which is greater than that of every earlier transaction.
  /// - Complexity: O(n) in the number of values, up to the size limit.
  public mutating func append(
    _ changes: ChangeSet,
    schemaChange: SchemaChange? = nil,
    formerSchema: Schema? = nil,
    schemaSteps: [SchemaChange] = [],
    author: String?,
    message: String? = nil,
    isExternal: Bool = false,
    isIncomplete: Bool = false,
    id: UUID = UUID(),
    at timestamp: Date = Date()
  ) -> Int64 {
    lastToken += 1
    var transaction = Transaction(
      token: lastToken,
      id: id,
      timestamp: timestamp,
      author: author,
      changes: changes,
      schemaChange: schemaChange
    )
    if case .replaceSchema = schemaChange { transaction.formerSchema = formerSchema }
    transaction.isExternal = isExternal
    transaction.isIncomplete = isIncomplete
    transaction.schemaSteps = schemaSteps
    transaction.message = message
    append(Entry(transaction: transaction, sizeBytes: size(of: changes)))
    return lastToken
  }

  /// Adds the changes of the schema and the former values of converted fields to the last transaction.
  package mutating func add(_ steps: [SchemaStep], formerValues: [DefaultSnapshot]) {
    guard !steps.isEmpty, var last = entries.popLast() else { return }
    (last.transaction.steps, last.transaction.formerValues) = (steps, formerValues)
    sizeBytes -= last.sizeBytes
    last.sizeBytes = size(of: last.transaction)
    append(last)
  }

  /// Adds a transaction that has a token.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    sizeBytes = Self.sum(sizeBytes, entry.sizeBytes)
    discardSurplus()
  }

  /// The transactions with a greater token, oldest first.
  ///
  /// With an identifier, only those that touch that record.
  ///
  /// - Throws: `PersistenceError` with code `.historyExpired` when transactions after the token were
  ///   discarded, or when there never was such a token.
  /// - Complexity: O(log n) for n transactions, plus O(k) for k later ones.
  public func transactions(after token: Int64?, touching identifier: PersistentIdentifier?) throws
    -> [Transaction]
  {
    try PersistenceError.check(
      token,
      horizon: horizon,
      last: lastToken,
      cause: "the history may have been removed since"
    )
    let later = entries[firstPlace(after: token ?? 0)...].lazy.map(\.transaction)
    guard let identifier else { return Array(later) }
    return later.compactMap { $0.restricted(to: identifier) }
  }

  /// Continues after a token that was used before the store was opened.
  package mutating func skip(to token: Int64) { lastToken = max(lastToken, token) }

  /// Adds transactions from before the store was opened, in front of those that are kept.
  ///
  /// - Precondition: Their tokens ascend, and are less than those that are kept.
  /// - Complexity: O(n) in the number of transactions.
  package mutating func prepend(_ transactions: [Transaction]) {
    guard let first = transactions.first else { return }
    let own = entries[start...]
    (entries, start, sizeBytes) = ([], 0, 0)
    horizon = max(horizon, first.token - 1)
    skip(to: transactions.last?.token ?? 0)
    for transaction in transactions {
      append(Entry(transaction: transaction, sizeBytes: size(of: transaction)))
    }
    for entry in own { append(entry) }
  }

  /// Discards the transactions with these tokens; reading from an earlier token then throws.
  public mutating func delete(_ tokens: Set<Int64>) {
    entries.removeFirst(start)
    start = 0
    entries.removeAll { tokens.contains($0.transaction.token) }
    sizeBytes = entries.reduce(0) { Self.sum($0, $1.sizeBytes) }
    horizon = max(horizon, tokens.filter { $0 <= lastToken }.max() ?? 0)
  }

  /// Discards the oldest transactions until the limit is met.
  ///
  /// They are removed from the array when they are half of it, so that a save takes constant time.
  private mutating func discardSurplus() {
    while entries.count - start > 1,
      entries.count - start > limit.transactionCount || sizeBytes > limit.sizeBytes
    {
      horizon = max(horizon, entries[start].transaction.token)
      sizeBytes -= entries[start].sizeBytes
      entries[start].transaction.changes = ChangeSet()
      entries[start].transaction.formerSchema = nil
      entries[start].transaction.formerValues = []
      start += 1
    }
    if start > 16, start >= entries.count / 2 {
      entries.removeFirst(start)
      start = 0
    }
    assert(entries.count > 64 || isConsistent)
  }

  private var isConsistent: Bool {
    checkInvariants()
    return true
  }

  /// Measures the transactions again after values were added, and discards those that are too many.
  mutating func remeasure(_ places: [Int]) {
    for place in places {
      entries[place].sizeBytes = size(of: entries[place].transaction)
    }
    sizeBytes = entries[start...].reduce(0) { Self.sum($0, $1.sizeBytes) }
    discardSurplus()
  }

  /// The approximate size of the values, which is not determined beyond the limit.
  func size(of changes: ChangeSet) -> Int {
    changes.approximateSizeBytes(upTo: limit.sizeBytes)
  }

  private func size(of transaction: Transaction) -> Int {
    let size = size(of: transaction.changes)
    guard !transaction.formerValues.isEmpty, size <= limit.sizeBytes else { return size }
    return size + self.size(of: ChangeSet(deleted: transaction.formerValues))
  }

  private static func sum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflows) = left.addingReportingOverflow(right)
    return overflows ? .max : sum
  }

  private func firstPlace(after token: Int64) -> Int {
    (start..<entries.count).partitioningIndex { entries[$0].transaction.token > token }
  }

  /// Checks the invariants of the type; traps if one is violated.
  ///
  /// - Complexity: O(n).
  func checkInvariants() {
    let kept = entries[start...]
    for (former, next) in zip(kept, kept.dropFirst()) {
      precondition(former.transaction.token < next.transaction.token, "tokens ascend")
    }
    precondition(kept.reduce(0) { Self.sum($0, $1.sizeBytes) } == sizeBytes, "the size is known")
  }
}

extension ChangeSet {
  /// The approximate size of the values in memory; counting stops at the limit.
  fileprivate func approximateSizeBytes(upTo limit: Int) -> Int {
    var size = 0
    for snapshot in inserted {
      size += snapshot.approximateSizeBytes
      if size > limit { return size }
    }
    for update in updated {
      size += update.before.approximateSizeBytes + update.after.approximateSizeBytes
      if size > limit { return size }
    }
    for snapshot in deleted {
      size += snapshot.approximateSizeBytes
      if size > limit { return size }
    }
    return size
  }
}

extension DefaultSnapshot {
  fileprivate var approximateSizeBytes: Int {
    orderedValues.reduce(MemoryLayout<DefaultSnapshot>.size) { $0 + $1.approximateSizeBytes }
  }
}

extension Value {
  fileprivate var approximateSizeBytes: Int {
    let content =
      switch self {
      case .text(let text), .json(let text): text.utf8.count
      case .links(let links): links.count * MemoryLayout<PersistentIdentifier>.stride
      default: 0
      }
    return MemoryLayout<Value>.stride + content
  }
}

extension PersistenceError {
  /// Checks that a history still has what followed a token.
  ///
  /// `Int64.max` only asks whether there is a history, not for any transaction.
  ///
  /// - Parameters:
  ///   - token: The token; nil asks for everything.
  ///   - horizon: The last transaction that is gone.
  ///   - last: The last transaction.
  ///   - place: What the message begins with.
  ///   - cause: What may explain a token after the last one.
  /// - Throws: `PersistenceError` with code `.historyExpired`.
  package static func check(
    _ token: Int64?,
    horizon: Int64,
    last: Int64,
    place: String = "",
    cause: String = "an older copy may have been restored"
  ) throws {
    guard let token, token != .max else { return }
    if token < horizon {
      throw PersistenceError(
        .historyExpired,
        "\(place)history starts after transaction \(horizon); \(token) is too old"
      )
    }
    if token > last {
      throw PersistenceError(
        .historyExpired,
        "\(place)unknown token \(token) (last is \(last)); \(cause)"
      )
    }
  }
}
