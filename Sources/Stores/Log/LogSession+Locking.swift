extension LogSession {
  /// Runs `body` while no other writer can change the file; a read-only log needs no lock.
  ///
  /// - Throws: `FileError.busy` after the timeout, and what `body` throws.
  mutating func excludingOthers<Result>(
    waitingSeconds: Double,
    _ body: (inout LogSession) throws -> Result
  ) throws -> Result {
    guard let lock else { return try body(&self) }
    try lock.acquire(timeoutSeconds: waitingSeconds)
    defer { lock.release() }
    return try body(&self)
  }
}
