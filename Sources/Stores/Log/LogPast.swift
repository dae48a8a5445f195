import OpenSwiftData

/// The transactions up to the horizon that are still there to be read, when others between them were
/// forgotten.
///
/// They are history only: the base holds what they did already.
struct LogPast: Sendable {
  /// Where one of them stands, and what it needs to be read.
  struct Place: Sendable {
    var token: Int64
    var offset: Int
    var endOffset: Int
    /// What its items are written under.
    var schema: LogSchema
    /// The schema before, of a migration.
    var formerSchema: LogSchema?

    var sizeBytes: Int { endOffset - offset }
  }

  private(set) var places: [Place] = []
  /// Where the first frame of the history stands, and where the last one ends.
  private(set) var range: Range<Int>?
  /// The schema of what follows.
  private var schema: LogSchema?
  /// Whether the last transaction goes on in the next frame.
  private var isOpen = false

  /// Takes in a frame of one of these transactions, or of their schemas.
  ///
  /// - Throws: `PayloadError`; the log is not to be believed then.
  mutating func add(
    _ kind: LogFormat.FrameKind,
    _ frame: LogFrame,
    horizon: Int64,
    storeIdentifier: String
  ) throws {
    guard isOpen == (kind == .pastTransactionPart) else {
      throw PayloadError(reason: "incomplete discarded history")
    }
    var reader = PayloadReader(frame.payload)
    switch kind {
    case .pastSchema:
      let known = try LogSchemaCodec.schema(from: &reader)
      schema = LogSchema(known, storeIdentifier: storeIdentifier)
    case .pastTransactionPart:
      places[places.count - 1].endOffset = frame.endOffset
    default:
      try begin(kind, &reader, frame, horizon: horizon)
    }
    isOpen = frame.header.continues
    range = (range?.lowerBound ?? frame.offset)..<frame.endOffset
  }

  private mutating func begin(
    _ kind: LogFormat.FrameKind,
    _ reader: inout PayloadReader,
    _ frame: LogFrame,
    horizon: Int64
  ) throws {
    let head = try LogTransactionHead(from: &reader)
    guard head.token <= horizon, head.token > places.last?.token ?? 0 else {
      throw PayloadError(reason: "unexpected transaction \(head.token)")
    }
    guard var schema, schema.checksum == head.schemaChecksum else {
      throw PayloadError(reason: "missing schema of transaction \(head.token)")
    }
    var former: LogSchema?
    if kind == .pastMigration {
      former = schema
      let replacement = try LogSchemaCodec.replacement(from: &reader, former: schema.schema)
      schema = LogSchema(replacement.schema, storeIdentifier: schema.storeIdentifier)
    }
    places.append(
      Place(
        token: head.token,
        offset: frame.offset,
        endOffset: frame.endOffset,
        schema: schema,
        formerSchema: former
      )
    )
  }
}

/// What compacting leaves of a log.
struct LogRetention {
  /// The last transaction that goes into the base.
  var horizon: Int64
  /// Which of the transactions up to the horizon stay in the history all the same, in order.
  var past: [Int64]
}

extension LogContent {
  /// What is left when so much of the history is kept.
  func retention(_ history: HistoryRetention) -> LogRetention {
    let known = past.places.map(\.token)
    switch history {
    case .all: return LogRetention(horizon: horizon, past: known)
    case .none: return LogRetention(horizon: lastToken, past: [])
    case .last(let count):
      let wanted = max(0, count)
      let fresh = transactions.count
      return wanted > fresh
        ? LogRetention(horizon: horizon, past: known.suffix(wanted - fresh))
        : LogRetention(horizon: lastToken - Int64(wanted), past: [])
    }
  }

  /// How many transactions can still be read.
  var historyCount: Int { past.places.count + transactions.count }

  /// What is left without some transactions; nil if the history has none of them.
  func retention(forgetting tokens: Set<Int64>) -> LogRetention? {
    let known = past.places.map(\.token)
    let last = tokens.filter { $0 > self.horizon && $0 <= lastToken }.max()
    guard last != nil || known.contains(where: tokens.contains) else { return nil }
    let newHorizon = last ?? horizon
    let candidates = known + Array(horizon + 1..<newHorizon + 1)
    return LogRetention(horizon: newHorizon, past: candidates.filter { !tokens.contains($0) })
  }
}

extension LogFormat.FrameKind {
  /// Whether the frame begins or continues a transaction that the records follow from.
  var isTransaction: Bool {
    [.transaction, .transactionPart, .schemaChange, .migration].contains(self)
  }

  /// The kind of the same payload where it is history only; nil for what is no transaction.
  var past: Self? {
    switch self {
    case .transaction: .pastTransaction
    case .transactionPart: .pastTransactionPart
    case .schemaChange: .pastSchemaChange
    case .migration: .pastMigration
    default: nil
    }
  }

  /// The opposite of `past`.
  var present: Self? {
    switch self {
    case .pastTransaction: .transaction
    case .pastTransactionPart: .transactionPart
    case .pastSchemaChange: .schemaChange
    case .pastMigration: .migration
    default: nil
    }
  }
}
