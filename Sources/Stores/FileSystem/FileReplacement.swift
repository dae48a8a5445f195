import OpenSwiftData

/// Replaces or creates a file atomically.
///
/// The new content is written to a temporary file in the same directory, which gets the name only
/// when it is complete and durable. Until then a failure leaves the original untouched and removes
/// the temporary file. Links are followed and kept; owner, mode and attributes are kept; access is
/// never widened. Two writers exclude each other by a `FileLock`.
package struct FileReplacement {
  /// Writes the new content.
  package typealias Writer = (FileSink) throws -> Void

  /// Inspects the finished temporary file, and throws to keep the original.
  ///
  /// It can return slow checks as a closure, which runs on another thread while a large file is
  /// synchronized.
  package typealias Verifier = (OpenFile) throws -> (@Sendable () throws -> Void)?

  /// For a smaller file, starting a thread takes longer than the work that it would do.
  private static let leastParallelBytes = 1 << 20

  private let fileSystem: any FileSystem
  private let path: String
  private let lockTimeoutSeconds: Double
  private let suffix: String
  private let checksForLeftovers: Bool
  private let excludesOthers: Bool

  /// Prepares for the file at `path`, which may be a link to it.
  ///
  /// - Parameters:
  ///   - fileSystem: The file system that contains the file.
  ///   - path: The file, or a link to it.
  ///   - kind: Part of the temporary file's name; leftovers are removed for each kind separately.
  ///   - lockTimeoutSeconds: How long to wait for another writer.
  ///   - checksForLeftovers: Whether to look for temporary files of crashed writers, which is slow in a
  ///     folder with many files; once is enough while nothing fails.
  ///   - excludesOthers: Whether writers wait for each other, by a lock file next to the file;
  ///     otherwise the last writer wins, and its file is complete.
  package init(
    fileSystem: any FileSystem,
    path: String,
    kind: String = "tmp",
    lockTimeoutSeconds: Double = FileLock.defaultTimeoutSeconds,
    checksForLeftovers: Bool = true,
    excludesOthers: Bool = true
  ) {
    self.fileSystem = fileSystem
    self.path = path
    // Without a lock, a temporary file may belong to a writer that is still running.
    self.checksForLeftovers = checksForLeftovers && excludesOthers
    self.excludesOthers = excludesOthers
    self.lockTimeoutSeconds = lockTimeoutSeconds
    suffix = ".\(kind)-"
  }

  /// Replaces the file, which must still be the version that was read.
  ///
  /// - Parameters:
  ///   - expected: The version that was read. A file with a new modification time but the same
  ///     digest still counts as this version.
  ///   - lock: The lock of this file if the caller already holds it.
  ///   - verify: Inspects the finished temporary file.
  ///   - announce: Called with the digest of the new content, immediately before the file has it.
  ///   - write: Writes the new content; it may read the original through the sink.
  /// - Returns: The version that the file has now.
  /// - Throws: `FileError`, `FileSystemError`, and whatever `write` and `verify` throw. After any
  ///   error but `outcomeUnknown` the original is untouched.
  /// - Complexity: O(size of the new content).
  package func replace(
    expecting expected: FileVersion,
    holding lock: FileLock? = nil,
    verify: Verifier = { _ in nil },
    announce: (ContentDigest) -> Void = { _ in },
    write: Writer
  ) throws -> FileVersion {
    try inDirectory(like: expected.status, holding: lock) { directory, name in
      let original = try current(name, in: directory, expecting: expected)
      // Closing the last descriptor makes the system free the file's space; no caller waits for
      // that.
      let fileSystem = fileSystem
      defer {
        if original.status.sizeBytes < Self.leastParallelBytes {
          fileSystem.closeQuietly(original.file)
        } else {
          fileSystem.detach { fileSystem.closeQuietly(original.file) }
        }
      }
      return try writeTemporary(
        name,
        in: directory,
        from: original.file,
        announce: announce,
        write: write
      ) { temporary in
        try keepMetadata(of: original.file, original.status, on: temporary)
        try prepare(temporary, verify)
        let now = try fileSystem.statusIfPresent(of: name, in: directory)
        guard let now else { throw FileError.removedOnDisk(path: original.file.path) }
        guard now.isUntouched(since: original.status) else {
          throw FileError.changedOnDisk(path: original.file.path)
        }
        return { (temporaryName) throws(FileSystemError) in
          try retrying { () throws(FileSystemError) in
            try fileSystem.rename(temporaryName, to: name, in: directory, replacing: true)
          }
        }
      }
    }
  }

  /// Creates the file, which must not exist.
  ///
  /// With access rights given, the file gets exactly these, whatever the umask. Without any, it
  /// gets read and write access for everybody except what the umask removes; its owner always has
  /// both. `announce` is called as in `replace`.
  ///
  /// - Throws: `FileError.alreadyExists`, and as `replace`. After any error but `outcomeUnknown`
  ///   there is no file.
  package func create(
    permissions: UInt32? = nil,
    holding lock: FileLock? = nil,
    verify: Verifier = { _ in nil },
    announce: (ContentDigest) -> Void = { _ in },
    write: Writer
  ) throws -> FileVersion {
    try inDirectory(like: nil, holding: lock) { directory, name in
      let place = joinPath(directory.path, name)
      if try fileSystem.statusIfPresent(of: name, in: directory) != nil {
        throw FileError.alreadyExists(path: place)
      }
      do {
        return try writeTemporary(
          name,
          in: directory,
          permissions: permissions == nil ? 0o666 : 0o600,
          announce: announce,
          write: write
        ) { temporary in
          try setPermissions(permissions, of: temporary)
          try prepare(temporary, verify)
          return { (temporaryName) throws(FileSystemError) in
            try fileSystem.renameToFreeName(temporaryName, to: name, in: directory)
          }
        }
      } catch let error as FileSystemError where error.operation == .rename && error.code == .exists
      {
        throw FileError.alreadyExists(path: place)
      }
    }
  }

  /// The mode of a new file is subject to the umask; this one is not.
  private func setPermissions(_ permissions: UInt32?, of temporary: OpenFile) throws {
    try retrying { () throws(FileSystemError) in
      let present = try fileSystem.status(of: temporary).permissions
      let wanted = permissions ?? present | 0o600
      if present != wanted { try fileSystem.changePermissions(temporary, to: wanted) }
    }
  }

  /// Opens the original and checks that it is the version the caller read and that it may be
  /// replaced.
  private func current(_ name: String, in directory: OpenFile, expecting expected: FileVersion)
    throws -> (file: OpenFile, status: FileStatus)
  {
    let place = joinPath(directory.path, name)
    guard try fileSystem.statusIfPresent(of: name, in: directory) != nil else {
      throw FileError.removedOnDisk(path: place)
    }
    // Opened for writing although it is only read: a file that cannot be written must not be
    // replaced.
    let (file, status) = try fileSystem.openRegular(name, in: directory, .readWrite)
    do {
      guard status.linkCount <= 1 else {
        throw FileError.hardLinked(path: place, count: status.linkCount)
      }
      guard try status.isUntouched(since: expected.status) || hasDigest(expected.digest, file)
      else { throw FileError.changedOnDisk(path: place) }
      return (file, status)
    } catch {
      fileSystem.closeQuietly(file)
      throw error
    }
  }

  private func hasDigest(_ digest: ContentDigest?, _ file: OpenFile) throws -> Bool {
    guard let digest else { return false }
    var actual = ContentDigest.Builder()
    let size = try fileSystem.status(of: file).sizeBytes
    try fileSystem.readChunked(file, range: 0..<size) { bytes, _ in
      try Interruption.check()
      actual.add(bytes)
    }
    return actual.digest() == digest
  }

  /// Verifies the temporary file and makes it durable.
  private func prepare(_ temporary: OpenFile, _ verify: Verifier) throws {
    let work = try verify(temporary)
    let size = try retrying { () throws(FileSystemError) in
      try fileSystem.status(of: temporary).sizeBytes
    }
    guard size >= Self.leastParallelBytes else {
      try work?()
      return try retrying { () throws(FileSystemError) in try fileSystem.synchronize(temporary) }
    }
    let check = work.map { ParallelWork(on: fileSystem, $0) }
    let synchronized = Result {
      try retrying { () throws(FileSystemError) in try fileSystem.synchronize(temporary) }
    }
    try check?.wait()
    try synchronized.get()
  }
}

extension FileReplacement {
  /// Runs `body` under the lock, without leftovers of earlier saves.
  ///
  /// `body` gets the real directory and name of the file.
  private func inDirectory<Result>(
    like status: FileStatus?,
    holding lock: FileLock?,
    _ body: (OpenFile, String) throws -> Result
  ) throws -> Result {
    let (directory, name, resolved) = try openedDirectory()
    defer { fileSystem.closeQuietly(directory) }
    guard lock == nil else {
      try removeLeftovers(of: name, in: directory)
      return try body(directory, name)
    }
    let present = try fileSystem.statusIfPresent(of: name, in: directory)
    if let kind = present?.kind, kind != .regular {
      throw FileError.notARegularFile(path: resolved, kind: kind)
    }
    guard excludesOthers else { return try body(directory, name) }
    let ownLock = try FileLock(
      fileSystem: fileSystem,
      directory: directory,
      name: name,
      // The current status: access rights may have changed since the file was read.
      like: present ?? status
    )
    return try ownLock.withLock(timeoutSeconds: lockTimeoutSeconds) {
      do {
        try removeLeftovers(of: name, in: directory)
        return try body(directory, name)
      } catch {
        if isAbsent(name, in: directory) { ownLock.discard() }
        throw error
      }
    }
  }

  /// The real directory of the file, to be closed by the caller; the file's name there, and its real path.
  private func openedDirectory() throws -> (OpenFile, name: String, path: String) {
    let resolved = try retrying { () throws(FileSystemError) in try fileSystem.resolve(path) }
    let (folder, name) = splitPath(resolved)
    let directory = try retrying { () throws(FileSystemError) in
      try fileSystem.openDirectory(folder)
    }
    return (directory, name, resolved)
  }

  /// True if no file has that name; false also when that cannot be determined.
  private func isAbsent(_ name: String, in directory: OpenFile) -> Bool {
    do {
      return try fileSystem.statusIfPresent(of: name, in: directory) == nil
    } catch {
      return false
    }
  }

  /// Removes the lock file if no writer holds the lock; for a program that will not write again.
  ///
  /// Not called after each save: waiting writers would find the lock file removed again and again.
  package func removeLockFile() {
    do {
      let resolved = try fileSystem.resolve(path)
      let (folder, name) = splitPath(resolved)
      let directory = try fileSystem.openDirectory(folder)
      defer { fileSystem.closeQuietly(directory) }
      let lockName = companionName(of: name, suffix: ".lock")
      guard try fileSystem.statusIfPresent(of: lockName, in: directory) != nil else { return }
      try FileLock(
        fileSystem: fileSystem,
        directory: directory,
        name: name,
        like: fileSystem.statusIfPresent(of: name, in: directory)
      ).discardIfFree()
    } catch {
      // The file stays; the next save removes it.
    }
  }

  /// Runs the body while no other writer can replace the file, which must exist.
  ///
  /// - Throws: `FileError.busy`, `FileSystemError`, and what the body throws.
  package func excludingOthers<Result>(_ body: (FileLock) throws -> Result) throws -> Result {
    let (directory, name, resolved) = try openedDirectory()
    defer { fileSystem.closeQuietly(directory) }
    let status = try fileSystem.statusIfPresent(of: name, in: directory)
    guard let status else { throw FileError.removedOnDisk(path: resolved) }
    let lock = try FileLock(
      fileSystem: fileSystem,
      directory: directory,
      name: name,
      like: status
    )
    return try lock.withLock(timeoutSeconds: lockTimeoutSeconds) { try body(lock) }
  }

  /// Removes temporary files of crashed writers; while the lock is held, no other writer is
  /// running.
  private func removeLeftovers(of name: String, in directory: OpenFile) throws {
    guard checksForLeftovers else { return }
    let prefix = companionName(of: name, suffix: suffix + hexadecimal(0)).dropLast(16)
    let names = try retrying { () throws(FileSystemError) in try fileSystem.list(directory) }
    for leftover in names
    where leftover.hasPrefix(prefix) && isRandomPart(leftover.dropFirst(prefix.count)) {
      fileSystem.removeQuietly(leftover, in: directory)
    }
  }

  private func isRandomPart(_ text: Substring) -> Bool {
    text.utf8.count == 16 && UInt64(text, radix: 16) != nil
  }

  /// Writes the temporary file, lets `finish` prepare it and choose how it gets its name, and
  /// makes the name durable.
  private func writeTemporary(
    _ name: String,
    in directory: OpenFile,
    from original: OpenFile? = nil,
    permissions: UInt32 = 0o600,
    announce: (ContentDigest) -> Void,
    write: Writer,
    finish: (OpenFile) throws -> (String) throws(FileSystemError) -> Void
  ) throws -> FileVersion {
    let (temporary, temporaryName) = try createTemporary(name, in: directory, permissions)
    let digest: ContentDigest
    do {
      let sink = FileSink(fileSystem: fileSystem, file: temporary, original: original)
      try write(sink)
      try sink.flush()
      digest = sink.finishedDigest()
      let rename = try finish(temporary)
      announce(digest)
      try rename(temporaryName)
    } catch {
      fileSystem.removeQuietly(temporaryName, in: directory)
      // As with the original, no caller waits until the space is free.
      let fileSystem = fileSystem
      fileSystem.detach { fileSystem.closeQuietly(temporary) }
      throw error
    }
    defer { fileSystem.closeQuietly(temporary) }
    do {
      let isDurable = try fileSystem.synchronizeNames(of: directory)
      var version = FileVersion(status: try fileSystem.status(of: temporary), digest: digest)
      version.hasDurableName = isDurable
      return version
    } catch {
      throw FileError.outcomeUnknown(path: joinPath(directory.path, name), cause: error)
    }
  }

  private func createTemporary(_ name: String, in directory: OpenFile, _ permissions: UInt32)
    throws(FileSystemError) -> (OpenFile, String)
  {
    var attempts = 0
    while true {
      let random = try retrying { () throws(FileSystemError) in try fileSystem.random() }
      let temporaryName = companionName(of: name, suffix: suffix + hexadecimal(random))
      do {
        let file = try fileSystem.openRetrying(
          temporaryName,
          in: directory,
          .create(permissions: permissions)
        )
        return (file, temporaryName)
      } catch  where error.code == .exists && attempts < 8 {
        attempts += 1
      }
    }
  }

  /// Gives the temporary file owner, mode and attributes of the original, but never more access.
  private func keepMetadata(of original: OpenFile, _ status: FileStatus, on temporary: OpenFile)
    throws
  {
    var permissions = status.permissions
    let mine = try retrying { () throws(FileSystemError) in try fileSystem.status(of: temporary) }
    // The owner first: changing it clears the set-id bits, chown(2).
    if mine.group != status.group, try !change(temporary, group: status.group) {
      permissions &= ~0o6070
    }
    if mine.owner != status.owner, try !change(temporary, owner: status.owner) {
      permissions &= ~0o6000
    }
    if mine.permissions != permissions {
      try retrying { () throws(FileSystemError) in
        try fileSystem.changePermissions(temporary, to: permissions)
      }
    }
    // Best effort: an attribute that cannot be set is not a reason to fail the save.
    _ = try? fileSystem.copyAttributes(from: original, to: temporary)
  }

  /// Returns whether it was allowed.
  private func change(_ file: OpenFile, owner: UInt32? = nil, group: UInt32? = nil)
    throws(FileSystemError) -> Bool
  {
    do {
      try retrying { () throws(FileSystemError) in
        try fileSystem.changeOwner(file, owner: owner, group: group)
      }
      return true
    } catch  where error.code == .notPermitted {
      return false
    }
  }
}
