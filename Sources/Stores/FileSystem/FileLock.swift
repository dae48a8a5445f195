import OpenSwiftData
import Synchronization

/// The write lock of one file, held on a separate file next to it.
///
/// The lock file is never renamed. Its holder removes it as its last action under the lock,
/// provided that every user who may write the file can create it again. A writer that had already
/// opened the removed file locks a file without a name, notices that, and locks the file that has
/// the name now. So two writers never hold the lock at the same time. The kernel releases the lock
/// when its holder dies; the next writer then removes the lock file. Safe from any thread. One
/// `FileLock` excludes all other ones, in this process and in other processes, but can itself be
/// held only once at a time.
package final class FileLock: Sendable {
  /// The default timeout of a writer.
  package static let defaultTimeoutSeconds = 5.0

  private let fileSystem: any FileSystem
  private let opened: Mutex<OpenFile>
  private let path: String
  private let lockPath: String
  private let isHeld = Mutex(false)
  /// The file whose owner and access rights were last given to the lock file.
  private let followed: Mutex<FileStatus?>

  /// Opens the lock file of `name`, and creates it if it does not exist.
  ///
  /// The lock file gets the owner and the access rights of the file it protects, as far as this
  /// user may change them, so that every user who may write the file may also lock it.
  ///
  /// - Throws: `FileSystemError`, `FileError.lockUnusable`.
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

  /// Gives the lock file the owner and the access rights of the file it protects, if these have
  /// changed.
  ///
  /// - Complexity: O(1), without a system call while nothing has changed.
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

  /// Acquires the lock; waits with growing pauses while another writer holds it.
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

  /// True while the name refers to the lock file that is open here.
  ///
  /// The link count cannot tell: network file systems keep a removed file that is still open under
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

  /// Removes the lock file if every user who may write the file can create it again.
  ///
  /// Do nothing under the lock after this call: the next writer creates its own lock file.
  ///
  /// - Precondition: The lock is held.
  package func discard() {
    precondition(isHeld.withLock { $0 }, "only the holder knows that nobody else is at work")
    if canBeMadeAgain { fileSystem.removeQuietly(lockPath, in: nil) }
  }

  /// Removes the lock file if no writer holds it; for a program that will not write again.
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
      // The file stays; the next writer removes it.
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

  /// Releases the lock; no effect if it is not held.
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

  /// Runs `body` with the lock held.
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
        // Another writer created or removed it between the two calls.
        attempts += 1
      } catch FileError.notARegularFile(let path, let kind) {
        throw FileError.lockUnusable(
          lock: path,
          reason: "a \(kind.rawValue) in place of the lock file"
        )
      } catch let error as FileSystemError
        where error.code == .accessDenied && error.operation == .open
      {
        // Without its status, the message says less.
        let owner = (try? fileSystem.status(of: name, in: directory))?.owner
        let opener = owner.map { "only user \($0) can open, or share with chmod g+rw" }
        throw FileError.lockUnusable(
          lock: error.path,
          reason: "lock file that \(opener ?? "you cannot open")"
        )
      }
    }
  }

  private static func share(
    _ file: OpenFile,
    _ fileSystem: any FileSystem,
    like status: FileStatus?
  ) {
    // This only helps other users: the lock works for this opening even if it fails.
    let mine = try? fileSystem.status(of: file)
    let wanted = 0o600 | ((status ?? mine)?.permissions ?? 0) & 0o066
    if let status, mine?.owner != status.owner || mine?.group != status.group {
      let changed: Void? = try? fileSystem.changeOwner(
        file,
        owner: status.owner,
        group: status.group
      )
      // An owner who is not the system administrator can only change the group of a file.
      if changed == nil {
        try? fileSystem.changeOwner(file, owner: nil, group: status.group)
      }
    }
    // The mode of a new file is subject to the umask; this one is not.
    if mine?.permissions != wanted { try? fileSystem.changePermissions(file, to: wanted) }
  }
}

extension FileSystem {
  /// Locks the first byte of a file for this opening; waits with growing pauses while it is locked.
  ///
  /// If the file at `path` keeps changing, no writer is stuck; there are just many of them. The
  /// timeout then starts again, a few times.
  ///
  /// - Throws: `FileError.busy` naming `path` after the timeout, `FileSystemError`.
  func lockWaiting(_ file: OpenFile, of path: String, timeoutSeconds: Double) throws {
    let timeout = Int64(timeoutSeconds * 1e9)
    var allowed = timeout
    var waited: Int64 = 0
    // The pauses stay short so that an early waiter is not slower than a late one.
    var pause: Int64 = 500_000
    var known: FileStatus??
    while true {
      let isTaken = try retrying { () throws(FileSystemError) in
        try lock(file, byte: 0, exclusive: true)
      }
      if isTaken { return }
      try Interruption.check()
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

  /// The status of a file; nil if it does not exist or its status cannot be read.
  ///
  /// The caller that needs the file reports the error.
  private func statusOrNil(of path: String) -> FileStatus? {
    do {
      return try statusIfPresent(of: path, in: nil)
    } catch {
      return nil
    }
  }
}
