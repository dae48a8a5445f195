import OpenSwiftData

/// What a compaction gained.
struct LogCompaction: Hashable {
  var bytesBefore: Int
  var bytesAfter: Int
  var droppedTransactions: Int
}

extension LogSession {
  /// Writes the records as they are behind the last transaction to be forgotten, then the history
  /// from there on, to a new file, reads it back, and gives it the name.
  ///
  /// - Throws: `FileError`, `LogDamage`; the old file is in use then, except after `outcomeUnknown`.
  /// - Complexity: O(size of the file).
  mutating func compact(keeping retention: LogHistoryRetention) throws -> LogCompaction {
    try compact { $0.newHorizon(retention) }
  }

  /// Rewrites the file without these transactions, which must be the oldest it has.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when they are not; as `compact(keeping:)`.
  mutating func forget(_ tokens: Set<Int64>) throws {
    _ = try compact { session in
      let oldest = session.content.horizon
      let known = tokens.filter { $0 > oldest && $0 <= session.content.lastToken }
      guard let last = known.max() else { return oldest }
      guard Int64(known.count) == last - oldest else {
        let kept = (oldest + 1...last).first { !known.contains($0) } ?? last
        throw PersistenceError(
          .unsupported,
          "a log can only forget its oldest transactions, and transaction \(kept) shall stay"
        )
      }
      return last
    }
  }

  private mutating func compact(_ newHorizon: (LogSession) throws -> Int64) throws
    -> LogCompaction
  {
    try checkUsable()
    guard !isReadOnly else {
      throw PersistenceError(.readOnly, "\(path) is open for reading only")
    }
    guard let lock, let file else {
      return LogCompaction(bytesBefore: 0, bytesAfter: 0, droppedTransactions: 0)
    }
    try lock.acquire(timeoutSeconds: configuration.lockTimeoutSeconds)
    defer { lock.release() }
    try catchUp()
    let horizon = try newHorizon(self)
    let base = try content(at: horizon, from: self.file ?? file)
    let before = content.committedOffset
    let dropped = Int(horizon - content.horizon)
    let version = try rewrite(base: base, lock: lock)
    try adopt(version)
    return LogCompaction(
      bytesBefore: before,
      bytesAfter: content.committedOffset,
      droppedTransactions: dropped
    )
  }

  private func newHorizon(_ retention: LogHistoryRetention) -> Int64 {
    switch retention {
    case .all: content.horizon
    case .last(let count): max(content.horizon, content.lastToken - Int64(max(0, count)))
    case .none: content.lastToken
    }
  }

  /// What the log held after a transaction.
  private func content(at token: Int64, from file: OpenFile) throws -> LogContent {
    if token == content.lastToken { return content }
    var past = LogContent(content.header)
    _ = try read(file, sizeBytes: content.committedOffset, into: &past, until: token)
    guard past.lastToken == token else {
      throw LogDamage.nonsense(
        offset: past.committedOffset,
        sequence: past.committedChain.sequence,
        reason: "the history could not be read again"
      )
    }
    return past
  }

  private mutating func rewrite(base: LogContent, lock: FileLock) throws -> FileVersion {
    guard let file else { preconditionFailure("Only a saved log is compacted.") }
    let current = FileVersion(status: try fileSystem.status(of: file), digest: nil)
    let header = LogHeader(
      identifier: content.header.identifier,
      generation: content.header.generation + 1,
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
          let tail = try session.read(temporary, sizeBytes: size, into: &reread)
          try session.compare(reread, with: old, tail: tail)
        },
        write: { sink in
          try sink.write(header.encoded())
          let writer = LogFrameWriter(continuing: LogChain(header)) { try sink.write($0) }
          try writer.writeBase(base, last: old)
          try session.copyHistory(of: old, after: base.lastToken, from: file, to: writer)
        }
      )
      content = reread
      return version
    } catch let error as FileError {
      if case .outcomeUnknown = error { throw poisoned(by: error) }
      throw error
    }
  }

  private func copyHistory(
    of content: LogContent,
    after token: Int64,
    from file: OpenFile,
    to writer: LogFrameWriter
  ) throws {
    let start = content.offset(after: token)
    guard start < content.committedOffset else { return }
    var scanner = try LogScanner(
      fileSystem,
      file,
      at: start..<content.committedOffset,
      salt: content.header.salt
    )
    while let frame = try scanner.next() {
      guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind) else { continue }
      writer.append { $0.append(raw: frame.payload) }
      try writer.finish(kind, continues: frame.header.continues)
    }
    guard scanner.end == .clean else {
      throw LogDamage.damagedMiddle(
        offset: scanner.offset,
        afterSequence: scanner.chain.sequence,
        laterOffset: nil
      )
    }
  }

  /// The new file must hold what the old one does, before it gets the name.
  private func compare(_ new: LogContent, with old: LogContent, tail: LogTail) throws {
    guard tail == .none, new.lastToken == old.lastToken, try new.digest() == old.digest() else {
      throw PersistenceError(
        .damaged,
        "compacting \(path) did not keep everything; the old file is kept as it is"
      )
    }
  }

  /// Reads the file from its beginning and compares it with what is in memory.
  ///
  /// - Returns: What is wrong, a line each.
  mutating func check() throws -> [String] {
    try checkUsable()
    try refresh()
    guard let file else { return [] }
    var again = LogContent(try readHeader(file))
    let size = content.committedOffset
    do {
      _ = try read(file, sizeBytes: size, into: &again)
    } catch let damage as LogDamage {
      return ["\(path) \(damage)"]
    }
    var problems: [String] = []
    if again.lastToken != content.lastToken {
      problems.append(
        "\(path) has \(again.lastToken) transactions, \(content.lastToken) were read before"
      )
    }
    if try again.digest() != content.digest() {
      problems.append("\(path) holds other records than were read from it before")
    }
    return problems
  }
}
