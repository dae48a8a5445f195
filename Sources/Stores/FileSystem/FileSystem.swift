/// The only calls through which stores access files.
///
/// Every function is one raw call: it may be interrupted, reads and writes may be short, and
/// nothing is retried. `FileIO` and `FileReplacement` handle all of that on top, so that a file
/// system made for tests can provoke it. Names are relative to `directory`, or to the working
/// directory if there is none. Safe to call from any thread; offsets are explicit, so there is no
/// file position.
///
/// An implementation must pass `FileSystemTests`.
package protocol FileSystem: Sendable {
  func open(_ name: String, in directory: OpenFile?, _ mode: OpenMode) throws(FileSystemError)
    -> OpenFile
  /// Opens a directory, for names relative to it and for `synchronizeDirectory`.
  func openDirectory(_ path: String) throws(FileSystemError) -> OpenFile
  func close(_ file: OpenFile) throws(FileSystemError)

  func status(of file: OpenFile) throws(FileSystemError) -> FileStatus
  /// The status of the file that the name refers to; a link is not followed.
  func status(of name: String, in directory: OpenFile?) throws(FileSystemError) -> FileStatus

  /// Reads at most as many bytes as fit into the buffer; 0 at the end of the file.
  func read(_ file: OpenFile, at offset: Int, into buffer: UnsafeMutableRawBufferPointer)
    throws(FileSystemError) -> Int
  /// Writes some of the bytes and returns how many.
  func write(_ file: OpenFile, at offset: Int, _ bytes: UnsafeRawBufferPointer)
    throws(FileSystemError) -> Int
  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(FileSystemError)
  /// Makes the file's content and status durable.
  func synchronize(_ file: OpenFile) throws(FileSystemError)
  /// Makes the file's content durable, and of its status only what reading the content back needs.
  func synchronizeData(_ file: OpenFile) throws(FileSystemError)
  /// Makes the names in the directory durable.
  func synchronizeDirectory(_ directory: OpenFile) throws(FileSystemError)

  /// Renames within one directory; unless `replacing`, fails with `exists` if the new name is in
  /// use.
  func rename(_ name: String, to newName: String, in directory: OpenFile?, replacing: Bool)
    throws(FileSystemError)
  /// Gives a file a second name; fails with `exists` if the name is in use.
  func link(_ name: String, to newName: String, in directory: OpenFile?) throws(FileSystemError)
  func remove(_ name: String, in directory: OpenFile?) throws(FileSystemError)
  func createDirectory(_ path: String, permissions: UInt32) throws(FileSystemError)
  /// The names in a directory, in no particular order, without `.` and `..`.
  func list(_ directory: OpenFile) throws(FileSystemError) -> [String]
  /// The absolute path without links; the last part need not exist, a dangling link is its target.
  func resolve(_ path: String) throws(FileSystemError) -> String

  func changePermissions(_ file: OpenFile, to permissions: UInt32) throws(FileSystemError)
  /// Changes owner and group; `nil` leaves them unchanged.
  func changeOwner(_ file: OpenFile, owner: UInt32?, group: UInt32?) throws(FileSystemError)
  /// Copies extended attributes, access control list and security label as far as possible.
  ///
  /// - Returns: How many could not be copied.
  func copyAttributes(from source: OpenFile, to target: OpenFile) throws(FileSystemError) -> Int
  /// Whether the file is on another machine or served by a program that may fetch it from there.
  func isNetworkFile(_ file: OpenFile) throws(FileSystemError) -> Bool

  /// Locks a byte for this opening of the file, without waiting.
  ///
  /// This excludes all other openings, in this process and in other processes. The lock ends with
  /// `unlock`, with `close`, and with the process.
  ///
  /// - Returns: True if it is locked now; false if another opening holds the lock.
  func lock(_ file: OpenFile, byte: Int, exclusive: Bool) throws(FileSystemError) -> Bool
  func unlock(_ file: OpenFile, byte: Int) throws(FileSystemError)

  /// Calls the closure, on any thread, when the file may have changed, while the watch is held.
  ///
  /// Changes by this process count as well. Returns `nil` if changes here cannot be observed. The
  /// path must not contain links; the file need not exist, but its folder must. A path with a slash
  /// at its end stands for all files in the folder.
  func watch(_ path: String, _ notify: @escaping @Sendable () -> Void) -> FileWatch?

  /// Runs work that may proceed in parallel with other calls: immediately, or on another thread.
  func detach(_ work: @escaping @Sendable () -> Void)

  /// Runs work on another thread, which may wait for this one.
  ///
  /// - Returns: False if all calls must come from one thread, or if no thread can be created; nothing runs
  ///   then.
  func startThread(_ work: @escaping @Sendable () -> Void) -> Bool

  /// The memory that this process can still get; nil if it is unknown or unlimited.
  func availableMemoryBytes() -> Int?

  /// Unpredictable random bits.
  func random() throws(FileSystemError) -> UInt64
  /// Nanoseconds since 1970 by the wall clock.
  func now() -> Int64
  /// Waits.
  func pause(nanoseconds: Int64)
}

extension FileSystem {
  /// Runs the work immediately, so that calls always happen in the same order.
  package func detach(_ work: @escaping @Sendable () -> Void) { work() }

  /// Starts no thread: all calls come from one thread.
  package func startThread(_ work: @escaping @Sendable () -> Void) -> Bool { false }

  /// Memory is not limited.
  package func availableMemoryBytes() -> Int? { nil }

  /// Changes cannot be observed.
  package func watch(_ path: String, _ notify: @escaping @Sendable () -> Void) -> FileWatch? { nil }
}
