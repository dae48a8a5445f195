import Synchronization

/// The write lock of one file, held on a file of its own beside it.
///
/// The lock file is never renamed. Its holder removes it as the last thing done under the lock, where
/// everybody who may write the file can make it again. Whoever had opened it by then gets the lock of a
/// file without a name, notices that, and takes the lock of the file that has the name now. So two never
/// hold the lock at a time. The kernel releases it when its holder dies; the next one to write then
/// removes the lock file. Safe from any thread; one `FileLock` excludes others, in this process and in
/// others, but is itself held once at a time.
package final class FileLock: Sendable {
  /// How long a writer waits by default.
  package static let defaultTimeoutSeconds = 5.0

  private let fileSystem: any FileSystem
  private let opened: Mutex<OpenFile>
  private let path: String
  private let lockPath: String
  private let isHeld = Mutex(false)
  /// The file whose owner and access rights the lock file was given last.
  private let followed: Mutex<FileStatus?>

  /// Opens, and if need be creates, the lock file of `name`.
  ///
  /// The lock file gets owner and access rights of the file it stands for, as far as this user may
  /// change them, so that whoever may write one may lock the other.
  ///
  /// - Throws: `FileSystemError`, `FileError.notARegularFile`, `FileError.lockNotShared`.
  package init(
    fileSystem: any FileSystem,
    directory: OpenFile,
    name: String,
    like status: FileStatus? = nil
  ) throws {
    self.fileSystem = fileSystem
    path = joinPath(directory.path, name)
    let lockName = companionName(of: name, suffix: ".lock")
    lockPath = joinPath(directory.path, lockName)
    opened = Mutex(try Self.openLockFile(fileSystem, directory, lockName, of: path))
    followed = Mutex(nil)
    if let status {
      follow(status)
    } else {
      Self.share(file, fileSystem, like: nil)
    }
  }

  private var file: OpenFile { opened.withLock { $0 } }

  /// Gives the lock file owner and access rights of the file it stands for, if these have changed.
  ///
  /// - Complexity: O(1), without a call of the system as long as nothing has changed.
  package func follow(_ status: FileStatus) {
    let isKnown = followed.withLock { known in
      defer { known = status }
      return known.map { known in
        known.permissions == status.permissions && known.owner == status.owner
          && known.group == status.group
      } ?? false
    }
    if !isKnown { Self.share(file, fileSystem, like: status) }
  }

  deinit { fileSystem.closeQuietly(file) }

  /// Takes the lock, waiting with growing pauses if another writer holds it.
  ///
  /// - Throws: `FileError.busy` after the timeout, `FileSystemError`.
  package func acquire(timeoutSeconds: Double = defaultTimeoutSeconds) throws {
    precondition(!isHeld.withLock { $0 }, "A lock is taken once at a time.")
    try fileSystem.lockWaiting(file, of: path, timeoutSeconds: timeoutSeconds)
    while try !hasName() {
      let next = try Self.openLockFile(fileSystem, nil, lockPath, of: path)
      let former = opened.withLock { opened in
        defer { opened = next }
        return opened
      }
      fileSystem.closeQuietly(former)
      Self.share(next, fileSystem, like: followed.withLock { $0 })
      try fileSystem.lockWaiting(next, of: path, timeoutSeconds: timeoutSeconds)
    }
    isHeld.withLock { $0 = true }
  }

  /// True while the name stands for the lock file that is open here.
  ///
  /// The number of its names would not do: network file systems keep a removed file that is open under
  /// another name.
  private func hasName() throws -> Bool {
    do {
      guard let named = try fileSystem.statusIfPresent(of: lockPath, in: nil) else { return false }
      return try fileSystem.status(of: file).isSameFile(as: named)
    } catch {
      unlock()
      throw error
    }
  }

  /// Removes the lock file where everybody who may write the file can make it again.
  ///
  /// Nothing may be done under the lock any more: the next one to come makes a lock of its own.
  ///
  /// - Precondition: It is held.
  package func discard() {
    precondition(isHeld.withLock { $0 }, "only the holder knows that nobody else is at work")
    if canBeMadeAgain { fileSystem.removeQuietly(lockPath, in: nil) }
  }

  /// Removes the lock file when nobody holds it, for whoever writes no more.
  package func discardIfFree() {
    do {
      let isFree = try retrying { () throws(FileSystemError) in
        try fileSystem.lock(file, byte: 0, exclusive: true)
      }
      guard isFree else { return }
      isHeld.withLock { $0 = true }
      defer { release() }
      if try hasName() { discard() }
    } catch {
      // It stays, and the next one to write removes it.
    }
  }

  private var canBeMadeAgain: Bool {
    do {
      guard let status = try fileSystem.statusIfPresent(of: path, in: nil) else { return true }
      let folder = try fileSystem.status(of: splitPath(path).directory, in: nil)
      return folder.admitsWriters(of: status)
    } catch {
      return false
    }
  }

  /// Gives the lock back; without effect if it is not held.
  package func release() {
    let wasHeld = isHeld.withLock { held in
      defer { held = false }
      return held
    }
    if wasHeld { unlock() }
  }

  private func unlock() {
    // Unlocking an open file cannot fail for a reason that could be handled here; closing the
    // file releases the lock in any case.
    try? retrying { () throws(FileSystemError) in try fileSystem.unlock(file, byte: 0) }
  }

  /// Runs `body` while the lock is held.
  package func withLock<Result>(
    timeoutSeconds: Double = defaultTimeoutSeconds,
    _ body: () throws -> Result
  ) throws -> Result {
    try acquire(timeoutSeconds: timeoutSeconds)
    defer { release() }
    return try body()
  }

  private static func openLockFile(
    _ fileSystem: any FileSystem,
    _ directory: OpenFile?,
    _ name: String,
    of path: String
  ) throws -> OpenFile {
    var attempts = 0
    while true {
      do {
        guard try fileSystem.statusIfPresent(of: name, in: directory) != nil else {
          return try fileSystem.openRetrying(name, in: directory, .create(permissions: 0o600))
        }
        return try fileSystem.openRegular(name, in: directory, .readWrite).file
      } catch let error as FileSystemError
        where [.exists, .notFound].contains(error.code) && attempts < 100
      {
        // Another writer made it or removed it in between.
        attempts += 1
      } catch let error as FileSystemError
        where error.code == .accessDenied && error.operation == .open
      {
        throw FileError.lockNotShared(path: path, lock: error.path)
      }
    }
  }

  private static func share(
    _ file: OpenFile,
    _ fileSystem: any FileSystem,
    like status: FileStatus?
  ) {
    // Only a convenience for others: the lock works for this opening whatever happens here.
    let mine = try? fileSystem.status(of: file)
    let wanted = 0o600 | ((status ?? mine)?.permissions ?? 0) & 0o066
    if let status, mine?.owner != status.owner || mine?.group != status.group {
      let changed: Void? = try? fileSystem.changeOwner(
        file,
        owner: status.owner,
        group: status.group
      )
      // Who owns the file but is not the system's administrator may give it to a group only.
      if changed == nil {
        try? fileSystem.changeOwner(file, owner: nil, group: status.group)
      }
    }
    // The mode given at creation passes the umask, this one does not.
    if mine?.permissions != wanted { try? fileSystem.changePermissions(file, to: wanted) }
  }
}

extension FileSystem {
  /// Locks the first byte of a file for this opening, waiting with growing pauses if another has it.
  ///
  /// While the file at `path` goes on changing nobody is stuck, there are only many: the time is then
  /// allowed anew, a few times.
  ///
  /// - Throws: `FileError.busy` naming `path` after the timeout, `FileSystemError`.
  func lockWaiting(_ file: OpenFile, of path: String, timeoutSeconds: Double) throws {
    let timeout = Int64(timeoutSeconds * 1e9)
    var allowed = timeout
    var waited: Int64 = 0
    // Short to the end: who came first must not be slower than who came last.
    var pause: Int64 = 500_000
    var known: FileStatus??
    while true {
      let isTaken = try retrying { () throws(FileSystemError) in
        try lock(file, byte: 0, exclusive: true)
      }
      if isTaken { return }
      if known == nil { known = .some(statusOrNil(of: path)) }
      if waited >= allowed {
        let now = statusOrNil(of: path)
        guard now != known ?? nil, allowed < 6 * timeout else {
          throw FileError.busy(path: path, seconds: Double(allowed) / 1e9)
        }
        known = .some(now)
        allowed += timeout
      }
      pause = min(pause, allowed - waited)
      self.pause(nanoseconds: pause)
      waited += pause
      pause = min(pause * 2, 5_000_000)
    }
  }

  /// The status of a file; nil when it is not there or cannot be asked for, which is told by whoever
  /// needs it.
  private func statusOrNil(of path: String) -> FileStatus? {
    do {
      return try statusIfPresent(of: path, in: nil)
    } catch {
      return nil
    }
  }
}
