import Foundation
import Synchronization

/// The first bytes of files that may be databases.
///
/// When a process closes any descriptor of a file, it loses all its locks on that file (fcntl(2), "Advisory record locking").
/// If they are those of an open database, other programs take it for closed: the next one that closes it removes the
/// write-ahead log, and later saves are lost or damage the file. So a descriptor of an open database stays open until
/// its last connection is closed.
package enum DatabaseStart {
  /// The connections to a file, and a descriptor that was opened to read it.
  private struct Use {
    var connectionCount = 0
    var descriptor: Int32?
  }

  private static let uses = Mutex<[FileIdentity: Use]>([:])

  /// Opens a connection while no other thread reads the first bytes of its file.
  ///
  /// - Returns: The file, for `noteClosing(_:)`; nil if opening has left none.
  static func noteOpening(_ path: String, _ open: () throws -> Void) rethrows -> FileIdentity? {
    try uses.withLock { uses in
      try open()
      guard let file = FileIdentity(path) else { return nil }
      uses[file, default: Use()].connectionCount += 1
      return file
    }
  }

  /// Records that a connection to the file is closed.
  static func noteClosing(_ file: FileIdentity) {
    uses.withLock { uses in
      guard var use = uses[file] else { return }
      use.connectionCount -= 1
      if use.connectionCount == 0, let descriptor = use.descriptor { close(descriptor) }
      uses[file] = use.connectionCount == 0 ? nil : use
    }
  }

  /// Reads the first bytes of a regular file; fewer if it is shorter.
  ///
  /// - Returns: Nil if the file cannot be opened, or is not a regular one.
  package static func bytes(of path: String, count: Int) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return uses.withLock { uses in
      let file = FileIdentity(status)
      if let descriptor = uses[file]?.descriptor { return start(of: descriptor, count) }
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      // Another file may have got the name meanwhile.
      if fstat(descriptor, &status) == 0, uses[FileIdentity(status)] != nil {
        uses[FileIdentity(status)]?.descriptor = descriptor
        return start(of: descriptor, count)
      }
      defer { close(descriptor) }
      return start(of: descriptor, count)
    }
  }

  private static func start(of descriptor: Int32, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = max(0, pread(descriptor, buffer.baseAddress, count, 0))
    }
  }
}
