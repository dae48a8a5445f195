import Foundation
import Synchronization

/// The first bytes of files that may be databases.
///
/// When a process closes any descriptor of a file, it loses all its locks on that file (fcntl(2), "Advisory record locking").
/// If they are those of an open database, other programs take it for closed: the next one that closes it removes the
/// write-ahead log, and later saves are lost or damage the file. So as long as any database is open, a descriptor
/// that may be of its file stays open.
package enum DatabaseStart {
  /// The number of open connections.
  private static let connectionCount = Atomic(0)

  static func noteOpening() { connectionCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  static func noteClosing() {
    connectionCount.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  /// Reads the first bytes of a regular file; fewer if it is shorter.
  ///
  /// - Returns: Nil if the file cannot be opened, or is not a regular one.
  package static func bytes(of path: String, count: Int) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let start = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = max(0, read(descriptor, buffer.baseAddress, count))
    }
    let mayBeDatabase = start.isEmpty || start.starts(with: SQLiteOpening.mark)
    if !mayBeDatabase || connectionCount.load(ordering: .sequentiallyConsistent) == 0 {
      close(descriptor)
    }
    return start
  }
}
