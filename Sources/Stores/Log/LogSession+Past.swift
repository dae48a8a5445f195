import OpenSwiftData

/// Reading a log only up to a point in its history.
extension LogSession {
  /// Reads the content as it was at the point.
  ///
  /// - Throws: `PersistenceError` with code `.historyExpired` if the history no longer reaches back that far, or has not
  ///   come that far; `LogDamage`, `FileSystemError`.
  mutating func takeIn(until point: HistoryPoint) throws {
    guard let file else { return }
    let size = try fileSystem.status(of: file).sizeBytes
    let token = try lastToken(until: point, in: file, sizeBytes: size)
    seenBytes = size
    _ = try read(file, sizeBytes: size, into: &content, until: token)
    guard content.horizon <= token else {
      throw PersistenceError(
        .historyExpired,
        "\(path): history starts after transaction \(content.horizon); \(point.text) is too old"
      )
    }
    // A time can be that of a transaction whose save was interrupted.
    guard case .token = point, content.lastToken < token else { return }
    throw PersistenceError(
      .historyExpired,
      "\(path): unknown token \(token) (last is \(content.lastToken))"
    )
  }

  /// The token of the last transaction up to the point; for a time, every transaction is looked at.
  private func lastToken(until point: HistoryPoint, in file: OpenFile, sizeBytes: Int) throws
    -> Int64
  {
    if case .token(let token) = point { return token }
    var scanner = LogScanner(
      fileSystem,
      file,
      from: LogFormat.headerBytes,
      sizeBytes: sizeBytes,
      chain: LogChain(content.header)
    )
    var last: Int64 = 0
    while let frame = try scanner.next() {
      try Interruption.check()
      guard let kind = LogFormat.FrameKind(rawValue: frame.header.kind), kind.isTransaction,
        !kind.isPart
      else { continue }
      var reader = PayloadReader(frame.payload)
      let head = try LogTransactionHead(from: &reader)
      if point.includes(token: head.token, timestamp: head.timestamp) { last = head.token }
    }
    return last
  }
}
