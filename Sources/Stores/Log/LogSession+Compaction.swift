import OpenSwiftData

/// The result of a compaction.
struct LogCompaction: Hashable {
  var bytesBefore: Int
  var bytesAfter: Int
  var droppedTransactions: Int
}

extension LogCompaction: CustomStringConvertible {
  /// One line for the user.
  var description: String {
    let forgotten =
      droppedTransactions == 1 ? "1 transaction" : "\(droppedTransactions) transactions"
    return "\(summary), \(forgotten) dropped from the history"
  }

  /// The same in few words.
  var summary: String { "compacted \(sizeText(bytesBefore)) to \(sizeText(bytesAfter))" }
}

extension LogSession {
  /// Compacts the log: writes the records at the new horizon and the history after it to a new
  /// file.
  ///
  /// The new file is read back before it gets the name.
  ///
  /// - Throws: `FileError`, `LogDamage`; the old file stays in use then, except after
  ///   `outcomeUnknown`.
  /// - Complexity: O(size of the file).
  mutating func compact(keeping retention: HistoryRetention) throws -> LogCompaction {
    try compact(waitingSeconds: configuration.lockTimeoutSeconds) {
      $0.content.retention(retention)
    }
  }

  /// `compactIfWorthwhile` ignores smaller files: the space does not matter, and rewriting every
  /// few saves would be too expensive.
  static let worthwhileBytes = 1 << 20

  /// Whether more than half of a file above `worthwhileBytes` is history that is not to be kept.
  ///
  /// So about as much is written again as was appended since the last time, at most.
  var isCompactionWorthwhile: Bool {
    guard failure == nil, !isReadOnly, file != nil else { return false }
    let kept = content.retention(configuration.history)
    let size = content.committedOffset
    return kept.horizon > content.horizon && size > Self.worthwhileBytes
      && content.estimatedBytes(kept) < size / 2
  }

  /// Compacts the file if that is worthwhile and no other writer holds the lock now.
  ///
  /// - Returns: The result; `nil` if nothing was done.
  /// - Throws: As `compact(keeping:)`.
  /// - Complexity: O(1) if nothing is done, which is almost always the case.
  mutating func compactIfWorthwhile() throws -> LogCompaction? {
    guard isCompactionWorthwhile else { return nil }
    do {
      return try compact(waitingSeconds: 0) {
        $0.content.retention($0.configuration.history)
      }
    } catch FileError.busy {
      return nil
    }
  }

  /// Rewrites the file without these transactions.
  ///
  /// The changes up to the last of them become part of the base; the other transactions before it
  /// remain readable.
  ///
  /// - Throws: As `compact(keeping:)`.
  package mutating func forget(_ tokens: Set<Int64>) throws {
    _ = try compact(waitingSeconds: configuration.lockTimeoutSeconds) {
      $0.content.retention(forgetting: tokens)
    }
  }

  private mutating func compact(
    waitingSeconds: Double,
    _ plan: (LogSession) throws -> LogRetention?
  ) throws -> LogCompaction {
    try checkUsable()
    guard !isReadOnly else { throw readOnlyError }
    return try excludingOthers(waitingSeconds: waitingSeconds) { session in
      guard let lock = session.lock, session.file != nil else {
        return LogCompaction(bytesBefore: 0, bytesAfter: 0, droppedTransactions: 0)
      }
      try session.catchUp()
      guard let kept = try plan(session) else {
        let size = session.content.committedOffset
        return LogCompaction(bytesBefore: size, bytesAfter: size, droppedTransactions: 0)
      }
      return try session.compact(to: kept, lock)
    }
  }

  /// Rewrites the file with less history; the lock is held.
  private mutating func compact(to kept: LogRetention, _ lock: FileLock) throws -> LogCompaction {
    guard let file else { preconditionFailure("Only a saved log is compacted.") }
    let base = try content(at: kept.horizon, from: file)
    let before = content.committedOffset
    let count = content.historyCount
    let version = try rewrite(base: base, past: kept.past, lock: lock)
    try adopt(version)
    return LogCompaction(
      bytesBefore: before,
      bytesAfter: content.committedOffset,
      droppedTransactions: count - content.historyCount
    )
  }

  /// The content of the log after a transaction.
  private func content(at token: Int64, from file: OpenFile) throws -> LogContent {
    if token == content.lastToken { return content }
    var past = LogContent(content.header)
    _ = try read(file, sizeBytes: content.committedOffset, into: &past, until: token)
    guard past.lastToken == token else {
      throw LogDamage.nonsense(
        offset: past.committedOffset,
        sequence: past.committedChain.sequence,
        reason: "the history could not be read back"
      )
    }
    return past
  }

  private mutating func rewrite(base: LogContent, past: [Int64], lock: FileLock) throws
    -> FileVersion
  {
    guard let file else { preconditionFailure("Only a saved log is compacted.") }
    let current = FileVersion(status: try fileSystem.status(of: file), digest: nil)
    let header = LogHeader(
      identifier: content.header.identifier,
      generation: content.header.nextGeneration,
      salt: try fileSystem.random()
    )
    let old = content
    var reread = LogContent(header)
    do {
      let session = self
      let version = try FileReplacement(
        fileSystem: fileSystem,
        path: path,
        kind: "compact"
      ).replace(
        expecting: current,
        holding: lock,
        verify: { temporary in
          let size = try session.fileSystem.status(of: temporary).sizeBytes
          let tail = try session.read(temporary, sizeBytes: size, into: &reread, title: "verifying")
          try session.compare(reread, with: old, tail: tail)
          guard reread.past.places.map(\.token) == past else { throw session.lostInCompacting }
          return nil
        },
        write: { sink in
          try sink.write(header.encoded())
          let writer = LogFrameWriter(continuing: LogChain(header)) { try sink.write($0) }
          try writer.writeBase(base, last: old, header: header)
          try session.copyPast(of: old, past, from: file, to: writer)
          try session.copyHistory(of: old, after: base.lastToken, from: file, to: writer)
        }
      )
      reread.table.succeed(content.table)
      content = reread
      return version
    } catch let error as FileError {
      if case .outcomeUnknown = error { throw poisoned(by: error) }
      throw error
    }
  }

  /// The new file must have the same content as the old one before it gets the name.
  private func compare(_ new: LogContent, with old: LogContent, tail: LogTail) throws {
    guard tail == .none, new.lastToken == old.lastToken, try new.digest() == old.digest() else {
      throw lostInCompacting
    }
  }

  private var lostInCompacting: PersistenceError {
    PersistenceError(
      .damaged,
      "\(path): compaction failed verification; original file kept"
    )
  }

  /// Reads the file from its beginning and compares it with memory.
  ///
  /// - Returns: The problems, one line each.
  mutating func check() throws -> [String] {
    try checkUsable()
    try refresh()
    let dangling = content.table.danglingLinks()
    guard let file else { return dangling }
    var again = LogContent(try readHeader(file))
    let size = content.committedOffset
    do {
      _ = try read(file, sizeBytes: size, into: &again)
    } catch let damage as LogDamage {
      return ["\(path): \(damage)"]
    }
    var problems: [String] = []
    if again.lastToken != content.lastToken {
      problems.append(
        "\(path): \(again.lastToken) transactions on disk, \(content.lastToken) in memory"
      )
    }
    if try again.digest() != content.digest() {
      problems.append("\(path): records on disk differ from memory")
    }
    return problems + dangling
  }
}
