/// The calls that stores make to reach files; the only way they do.
///
/// Every function is one raw call: it may be interrupted, reads and writes may be short, and
/// nothing is tried twice. `FileIO` and `FileReplacement` stand above and handle all of that, so
/// that a file system made for tests can provoke it. Names are relative to `directory`, or to the
/// working directory if there is none. Safe to call from any thread; offsets are explicit, there
/// is no file position.
///
/// `FileSystemTests` holds what an implementation must pass.
package protocol FileSystem: Sendable {
  func open(_ name: String, in directory: OpenFile?, _ mode: OpenMode) throws(FileSystemError)
    -> OpenFile
  /// Opens a directory, for names relative to it and for `synchronizeDirectory`.
  func openDirectory(_ path: String) throws(FileSystemError) -> OpenFile
  func close(_ file: OpenFile) throws(FileSystemError)

  func status(of file: OpenFile) throws(FileSystemError) -> FileStatus
  /// The status of what the name stands for; a link is not followed.
  func status(of name: String, in directory: OpenFile?) throws(FileSystemError) -> FileStatus

  /// Reads at most as many bytes as fit; 0 at the end of the file.
  func read(_ file: OpenFile, at offset: Int, into buffer: UnsafeMutableRawBufferPointer)
    throws(FileSystemError) -> Int
  /// Writes some of the bytes and tells how many.
  func write(_ file: OpenFile, at offset: Int, _ bytes: UnsafeRawBufferPointer)
    throws(FileSystemError) -> Int
  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(FileSystemError)
  /// Makes content and status durable.
  func synchronize(_ file: OpenFile) throws(FileSystemError)
  /// Makes content durable, and of the status only what reading it back needs.
  func synchronizeData(_ file: OpenFile) throws(FileSystemError)
  /// Makes names of the directory durable.
  func synchronizeDirectory(_ directory: OpenFile) throws(FileSystemError)

  /// Renames within one directory; if not `replacing`, fails with `exists` when taken.
  func rename(_ name: String, to newName: String, in directory: OpenFile?, replacing: Bool)
    throws(FileSystemError)
  /// Gives a file a second name; fails with `exists` when taken.
  func link(_ name: String, to newName: String, in directory: OpenFile?) throws(FileSystemError)
  func remove(_ name: String, in directory: OpenFile?) throws(FileSystemError)
  func createDirectory(_ path: String, permissions: UInt32) throws(FileSystemError)
  /// The names in a directory, in no order, without `.` and `..`.
  func list(_ directory: OpenFile) throws(FileSystemError) -> [String]
  /// The absolute path without links; the last part need not exist, a dangling link is its target.
  func resolve(_ path: String) throws(FileSystemError) -> String

  func changePermissions(_ file: OpenFile, to permissions: UInt32) throws(FileSystemError)
  /// Changes owner and group; `nil` keeps.
  func changeOwner(_ file: OpenFile, owner: UInt32?, group: UInt32?) throws(FileSystemError)
  /// Copies extended attributes, access control list and security label as far as possible.
  ///
  /// - Returns: How many could not be copied.
  func copyAttributes(from source: OpenFile, to target: OpenFile) throws(FileSystemError) -> Int
  /// Whether the file lies on another machine, or behind a program that may bring it from there.
  func isNetworkFile(_ file: OpenFile) throws(FileSystemError) -> Bool

  /// Locks a byte for this opening of the file, without waiting.
  ///
  /// Other openings are excluded, in this process as well as in others. The lock ends with
  /// `unlock`, with `close`, and with the process.
  ///
  /// - Returns: Whether it is locked now; `false` if another opening holds it.
  func lock(_ file: OpenFile, byte: Int, exclusive: Bool) throws(FileSystemError) -> Bool
  func unlock(_ file: OpenFile, byte: Int) throws(FileSystemError)

  /// Calls the closure, on any thread, when the file of this path may have been changed, by whomever,
  /// as long as the watch is held; `nil` when nothing tells of changes here.
  ///
  /// The path has no links; the file need not exist, its folder must.
  func watch(_ path: String, _ notify: @escaping @Sendable () -> Void) -> FileWatch?

  /// Runs work that may go on beside other calls: at once, or on another thread.
  func detach(_ work: @escaping @Sendable () -> Void)

  /// Random bits nobody can guess.
  func random() throws(FileSystemError) -> UInt64
  /// Nanoseconds since 1970 by the wall clock.
  func now() -> Int64
  /// Waits.
  func pause(nanoseconds: Int64)
}

extension FileSystem {
  /// Runs the work at once, so that calls always come in the same order.
  package func detach(_ work: @escaping @Sendable () -> Void) { work() }

  /// Nothing tells of changes.
  package func watch(_ path: String, _ notify: @escaping @Sendable () -> Void) -> FileWatch? { nil }
}
