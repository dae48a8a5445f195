import OpenSwiftData

/// The transactions up to the horizon that are still readable although others between them were
/// discarded.
///
/// They serve only as history: the base already contains their changes.
struct LogKeptHistory: Sendable {
  /// The place of one of them, and the schema needed to read it.
  struct Place: Sendable {
    var token: Int64
    var offset: Int
    var endOffset: Int
    /// The schema under which its items were written.
    var schema: LogSchema
    /// For a migration, the schema before it.
    var formerSchema: LogSchema?

    var sizeBytes: Int { endOffset - offset }
  }

  private(set) var places: [Place] = []
  /// The range from the first frame of this history to the end of the last one.
  private(set) var range: Range<Int>?
  /// The schema of the frames that follow.
  private var schema: LogSchema?
  /// Whether the last transaction continues in the next frame.
  private var isOpen = false

  /// Adds a frame of one of these transactions, or of their schemas.
  ///
  /// - Throws: `PayloadError`; the log is not valid then.
  mutating func add(
    _ kind: LogFormat.FrameKind,
    _ frame: LogFrame,
    horizon: Int64,
    storeIdentifier: String
  ) throws {
    guard isOpen == (kind.present?.isPart ?? false) else {
      throw PayloadError(reason: "incomplete discarded history")
    }
    var reader = PayloadReader(frame.payload)
    switch kind {
    case .pastSchema:
      let known = try LogSchemaCodec.schema(from: &reader)
      schema = LogSchema(known, storeIdentifier: storeIdentifier)
    case .pastTransactionPart, .pastTransactionColumns:
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

/// The history that a compaction keeps.
struct LogRetention {
  /// The last transaction to include in the base.
  var horizon: Int64
  /// The transactions up to the horizon that stay in the history nevertheless, in order.
  var past: [Int64]
}

extension LogContent {
  /// What a compaction keeps for a history setting.
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

  /// The number of transactions that can still be read.
  var historyCount: Int { past.places.count + transactions.count }

  /// What a compaction keeps without some transactions; nil if the history contains none of them.
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
  /// Whether the frame begins or continues a transaction that contributes to the records.
  var isTransaction: Bool {
    isPart || [.transaction, .schemaChange, .migration].contains(self)
  }

  /// Whether the frame continues a transaction.
  var isPart: Bool { self == .transactionPart || self == .transactionColumns }

  /// The kinds of frames of a transaction, each with the kind for the same payload as history only.
  private static let pairs: [(present: Self, past: Self)] = [
    (.transaction, .pastTransaction), (.transactionPart, .pastTransactionPart),
    (.transactionColumns, .pastTransactionColumns), (.schemaChange, .pastSchemaChange),
    (.migration, .pastMigration),
  ]

  /// The kind for the same payload as history only; nil if the kind is not part of a transaction.
  var past: Self? { Self.pairs.first { $0.present == self }?.past }

  /// The opposite of `past`.
  var present: Self? { Self.pairs.first { $0.past == self }?.present }
}
