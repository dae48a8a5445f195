import OpenSwiftData

extension LogSession {
  /// Opens the existing file and reads its content.
  mutating func openFile() throws {
    let opened = try openForUse()
    file = opened.file
    openedStatus = opened.status
    openingNotes += fileSystem.notes(on: opened.file, opened.status)
    do {
      content = LogContent(try readHeader(opened.file))
      if content.header.isReadOnly {
        becomeReadOnly(
          "written by a newer version"
        )
      }
      // The lock file is next to the name, so under two names two programs could write at the same
      // time.
      if opened.status.linkCount > 1 {
        becomeReadOnly("it has \(opened.status.linkCount) hard links")
      }
      try openLock(like: opened.status)
      if let end = configuration.end {
        try takeIn(until: end)
      } else if lock != nil {
        // The next save cuts what follows the last complete save; reading never does.
        tail = try takeInUnlessLocked(opened.file)
      } else {
        tail = try readNewFramesWaiting()
      }
    } catch {
      close()
      throw error
    }
  }

  /// Reads everything new while no other program writes; without the lock if one holds it for too long.
  ///
  /// Anybody who may open the lock file can hold the lock, which must not keep anybody from reading.
  private mutating func takeInUnlessLocked(_ file: OpenFile) throws -> LogTail {
    do {
      return try excludingOthers(waitingSeconds: configuration.lockTimeoutSeconds) { session in
        // Data of a crashed process may be in memory only; it must be durable before it is
        // returned, or it could vanish later.
        try retrying { () throws(FileSystemError) in
          try session.fileSystem.synchronizeData(file)
        }
        return try session.takeIn()
      }
    } catch let error as FileError {
      guard case .busy = error else { throw error }
      openingNotes.append("\(error)")
      return try readNewFramesWaiting()
    }
  }

  /// Opens for writing, or for reading if writing is not allowed.
  private mutating func openForUse() throws -> (file: OpenFile, status: FileStatus) {
    if !isReadOnly {
      do {
        return try fileSystem.openRegular(path, in: nil, .readWrite)
      } catch let error as FileSystemError where Self.isRefusal(error) {
        becomeReadOnly("\(error)")
      }
    }
    return try fileSystem.openRegular(path, in: nil, .read)
  }

  /// Continues read-only, and notes the reason unless read-only was requested.
  private mutating func becomeReadOnly(_ reason: String) {
    if !isReadOnly { openingNotes.append("\(path): opened read-only: \(reason)") }
    if !isReadOnly { readOnlyReason = reason }
    isReadOnly = true
  }

  private static func isRefusal(_ error: FileSystemError) -> Bool {
    [.accessDenied, .readOnly, .notPermitted].contains(error.code)
  }

  mutating func openLock(like status: FileStatus?) throws {
    guard !isReadOnly, lock == nil else { return }
    let (folder, name) = splitPath(path)
    let directory = try fileSystem.openDirectory(folder)
    defer { fileSystem.closeQuietly(directory) }
    do {
      lock = try FileLock(
        fileSystem: fileSystem,
        directory: directory,
        name: name,
        like: status
      )
    } catch let error as FileSystemError where Self.isRefusal(error) || error.code == .exists {
      // A link to nothing exists, and cannot be opened.
      becomeReadOnly("\(error)")
    } catch let error as FileError {
      switch error {
      // Anybody who may write the folder can put something there; the log itself can still be read.
      case .lockUnusable: becomeReadOnly("\(error)")
      default: throw error
      }
    }
  }

  /// Closes the log; removes the lock file if no other writer holds it.
  mutating func close() {
    lock?.discardIfFree()
    closeFile()
    // Without a file, a save would create one.
    failure = failure ?? PersistenceError(.inaccessible, "\(path): the store is closed; reopen it")
  }

  mutating func closeFile() {
    if let file { fileSystem.closeQuietly(file) }
    file = nil
  }

  func readHeader(_ file: OpenFile) throws -> LogHeader {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LogFormat.headerBytes,
      alignment: 8
    )
    defer { bytes.deallocate() }
    let count = try fileSystem.readFully(file, at: 0, into: bytes)
    // A pattern in a catch clause here crashes the compiler (6.3.1) in the build of the fuzzer.
    let header = Result { () throws(LogDamage) in
      try LogHeader(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
    if case .failure(.notALog) = header {
      // Even if its first bytes are damaged now, the file may have been a log.
      throw try LogSalvage.canRead(file, fileSystem) ? LogDamage.damagedHeader : .notALog
    }
    return try header.get()
  }

  /// Reads every complete transaction after the known ones.
  ///
  /// - Returns: The tail that follows them.
  /// - Throws: `LogDamage`, `FileSystemError`.
  mutating func takeIn() throws -> LogTail {
    guard let file else { return .none }
    let size = try fileSystem.status(of: file).sizeBytes
    guard size >= content.committedOffset else {
      throw LogDamage.shortened(to: size, from: content.committedOffset)
    }
    seenBytes = size
    let tail = try read(file, sizeBytes: size, into: &content)
    if let key = content.highestKey { generator.note(key) }
    return tail
  }

  /// Reads what other programs saved, without locking them out.
  ///
  /// Apparent damage may be a save in progress, so it is checked again before it is reported.
  private mutating func readNewFramesWaiting() throws -> LogTail {
    for attempt in 0..<4 {
      do {
        return try takeIn()
      } catch LogDamage.damagedMiddle {
        fileSystem.pause(nanoseconds: 5_000_000 << Int64(attempt))
      }
    }
    return try takeIn()
  }

  /// Reads frames into a content, starting where it ends.
  func read(
    _ file: OpenFile,
    sizeBytes: Int,
    into content: inout LogContent,
    until token: Int64 = .max,
    throughSequence sequence: UInt64 = 0,
    title: String = ""
  ) throws -> LogTail {
    content.dropPending()
    var scanner = LogScanner(
      fileSystem,
      file,
      from: content.committedOffset,
      sizeBytes: sizeBytes,
      chain: content.committedChain
    )
    let salt = content.header.salt
    let counter = WorkCounter(title, of: sizeBytes, unit: .bytes)
    while !content.reaches(token, sequence: sequence), let frame = try scanner.next() {
      try counter.advance(to: frame.offset)
      try content.add(frame, chain: scanner.chain) { range, body in
        var again = try LogScanner(fileSystem, file, at: range, salt: salt)
        while let part = try again.next() { try body(part.payload) }
      }
    }
    try counter.advance(to: scanner.offset)
    guard let end = scanner.end else { return .none }
    guard content.isFounded else {
      throw LogDamage.damagedMiddle(
        offset: scanner.offset,
        afterSequence: scanner.chain.sequence,
        laterOffset: nil
      )
    }
    return try LogTailVerdict(
      fileSystem: fileSystem,
      file: file,
      sizeBytes: sizeBytes,
      salt: salt
    ).tail(
      after: end,
      at: scanner.offset,
      lastSequence: scanner.chain.sequence,
      committedOffset: content.committedOffset
    )
  }

  /// Detects changes of the file by other processes, before anything is read from memory.
  ///
  /// An incomplete transaction is a save in progress and is ignored.
  mutating func refresh() throws {
    // After a save of unknown outcome the records are as they were before it, so that they can be saved
    // elsewhere.
    if failure?.code == .outcomeUnknown { return }
    try checkUsable()
    // The past does not change.
    if configuration.end != nil { return }
    if let lookEnd {
      if ContinuousClock.now < lookEnd { return }
      self.lookEnd = nil
    }
    guard file != nil, let opened = openedStatus,
      let now = try fileSystem.statusIfPresent(of: path, in: nil)
    else { return }
    if now.isSameFile(as: opened) {
      if now.sizeBytes == seenBytes { return }
      try takingInOrFailing { session in _ = try session.readNewFramesWaiting() }
    } else {
      try takingInOrFailing { try $0.reopen() }
    }
  }

  /// As `refresh()`, but lets the records in memory be read, and saved elsewhere, if another program damaged the file.
  mutating func refreshUnlessLost() throws {
    do {
      try refresh()
    } catch {
      guard hasLostFile else { throw error }
    }
  }

  /// True if the file no longer has what is in memory, which is whole.
  private var hasLostFile: Bool {
    switch failure?.cause as? LogDamage {
    case .shortened, .exchanged: true
    default: false
    }
  }

  /// Checks that the file still has its name, and reads everything new; the lock is held.
  ///
  /// - Throws: `LogDamage.exchanged`, `FileError.removedOnDisk`, and as `takeIn`.
  mutating func catchUp() throws {
    guard let opened = openedStatus,
      let now = try fileSystem.statusIfPresent(of: path, in: nil)
    else { throw FileError.removedOnDisk(path: path) }
    guard now.kind != .regular || now.linkCount <= 1 else {
      throw FileError.hardLinked(path: path, count: now.linkCount)
    }
    // Users who may now write the log may also lock it.
    lock?.follow(now)
    if !now.isSameFile(as: opened) { return try takingInOrFailing { try $0.reopen() } }
    // Another log may have been copied over this one; the records in memory are not affected.
    guard let file, try readHeader(file) == content.header else { throw LogDamage.exchanged }
    if now.sizeBytes == content.committedOffset { return }
    try takingInOrFailing { session in
      let tail = try session.takeIn()
      try session.cutTail(tail)
    }
  }

  /// After a partial transaction the records are invalid, and the store must be reopened; so this is never stopped.
  private mutating func takingInOrFailing(_ body: (inout LogSession) throws -> Void) throws {
    do {
      try Interruption.ignored { try body(&self) }
    } catch let damage as LogDamage {
      let error = Self.damage(damage, path: path)
      failure = error
      throw error
    }
  }

  /// Switches to the file that has the name now: another process compacted it, or replaced it by a
  /// copy.
  ///
  /// - Throws: `LogDamage.exchanged` unless it contains everything that was read before; the records in memory are not
  ///   affected then.
  private mutating func reopen() throws {
    if let now = try fileSystem.statusIfPresent(of: path, in: nil), now.kind != .regular {
      throw LogDamage.exchanged
    }
    let (next, status) = try fileSystem.openRegular(
      path,
      in: nil,
      isReadOnly ? .read : .readWrite
    )
    do {
      let header = try readHeader(next)
      guard header.identifier == content.header.identifier,
        header.generation >= content.header.generation
      else { throw LogDamage.exchanged }
      var newContent = LogContent(header)
      _ = try read(
        next,
        sizeBytes: status.sizeBytes,
        into: &newContent,
        until: content.lastToken,
        // A copy of the schema may follow the last transaction.
        throughSequence: header == content.header ? content.committedChain.sequence : 0
      )
      guard newContent.lastToken >= content.lastToken,
        header != content.header || newContent.committedChain == content.committedChain
      else { throw LogDamage.exchanged }
      _ = try read(next, sizeBytes: status.sizeBytes, into: &newContent)
      closeFile()
      newContent.table.succeed(content.table)
      content = newContent
      file = next
      openedStatus = status
      seenBytes = status.sizeBytes
      if let key = content.highestKey { generator.note(key) }
    } catch {
      if file != next { fileSystem.closeQuietly(next) }
      if let damage = error as? LogDamage, !damage.needsNewerVersion { throw LogDamage.exchanged }
      throw error
    }
  }
}
