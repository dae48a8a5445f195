import Synchronization

/// A recovery file, locked for this process until it is unlocked.
///
/// Appending is one write. Whatever fails, lines written earlier stay readable: `replace` replaces
/// the file atomically, and `append` continues at its end. All calls may come from any thread.
package final class RecoveryFile: Sendable {
  /// The lines of the file when it was opened.
  package let lines: [String]
  /// The number of bytes, up to the end of the file, that did not verify.
  package let damagedBytes: Int
  /// When the file was last written before it was opened.
  package let modifiedNanoseconds: Int64
  /// Its path, for messages.
  package let path: String

  private let folder: RecoveryFolder
  private let name: String
  private let state: Mutex<State>
  /// The offset at which the next line is written.
  package var sizeBytes: Int { state.withLock(\.sizeBytes) }

  private struct State {
    var file: OpenFile?
    var chain: UInt64 = 0
    var sizeBytes = 0
    var hasDurableName = false
  }

  private var fileSystem: any FileSystem { folder.fileSystem }
  private var directory: OpenFile { folder.directory }

  /// Adopts a new file.
  init(_ folder: RecoveryFolder, _ name: String, _ file: OpenFile) {
    (self.folder, self.name) = (folder, name)
    state = Mutex(State(file: file))
    path = joinPath(folder.directory.path, name)
    lines = []
    damagedBytes = 0
    modifiedNanoseconds = 0
  }

  /// Adopts a file of a crashed program.
  init(
    _ folder: RecoveryFolder,
    _ name: String,
    _ file: OpenFile,
    _ content: [UInt8],
    _ status: FileStatus
  ) {
    (self.folder, self.name) = (folder, name)
    state = Mutex(State(file: file, sizeBytes: content.count))
    path = joinPath(folder.directory.path, name)
    (lines, damagedBytes) = RecoveryLines.read(content)
    modifiedNanoseconds = status.modifiedNanoseconds
  }

  deinit { letGo() }

  /// Appends lines to a file that this process created or replaced.
  ///
  /// - Throws: `FileSystemError`; the file must then be replaced before more is appended.
  package func append(_ lines: some Sequence<String>) throws(FileSystemError) {
    try state.withLock { state throws(FileSystemError) in
      guard let file = state.file else { throw FileSystemError(.write, path, .badDescriptor) }
      (state.sizeBytes, state.chain) = try write(
        lines,
        to: file,
        at: state.sizeBytes,
        after: state.chain
      )
    }
  }

  /// Replaces all lines atomically; a crash leaves either the former lines or these.
  ///
  /// - Throws: `FileSystemError`; the file is then unchanged.
  package func replace(with lines: some Sequence<String>) throws(FileSystemError) {
    let end: (sizeBytes: Int, chain: UInt64)
    let new = name + ".new"
    // A leftover of the program that held this file before.
    fileSystem.removeQuietly(new, in: directory)
    let file = try fileSystem.openRetrying(new, in: directory, .create(permissions: 0o600))
    do throws(FileSystemError) {
      guard try folder.isMine(file) else { throw FileSystemError(.lock, path, .wouldBlock) }
      end = try write(lines, to: file, at: 0, after: 0)
      try retrying { () throws(FileSystemError) in try fileSystem.synchronizeData(file) }
      try retrying { () throws(FileSystemError) in
        try fileSystem.rename(new, to: name, in: directory, replacing: true)
      }
    } catch {
      fileSystem.removeQuietly(new, in: directory)
      fileSystem.closeQuietly(file)
      throw error
    }
    letGo()
    let state = State(file: file, chain: end.chain, sizeBytes: end.sizeBytes)
    self.state.withLock { $0 = state }
  }

  /// Writes lines, some at a time.
  ///
  /// - Returns: The size of the file and the checksum of the last line.
  private func write(
    _ lines: some Sequence<String>,
    to file: OpenFile,
    at start: Int,
    after last: UInt64
  ) throws(FileSystemError) -> (sizeBytes: Int, chain: UInt64) {
    var bytes: [UInt8] = []
    var (offset, chain) = (start, last)
    for line in lines {
      RecoveryLines.append(line, to: &bytes, chain: &chain)
      guard bytes.count >= Self.writtenBytes else { continue }
      try write(bytes, to: file, at: offset)
      offset += bytes.count
      bytes.removeAll(keepingCapacity: true)
    }
    try write(bytes, to: file, at: offset)
    return (offset + bytes.count, chain)
  }

  /// The number of bytes to write at a time.
  private static let writtenBytes = 1 << 20

  private func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws(FileSystemError) {
    // A closure passed to `withUnsafeBytes` loses the type of the error it throws.
    let result = bytes.withUnsafeBytes { raw -> Result<Void, FileSystemError> in
      Result { () throws(FileSystemError) in
        try fileSystem.writeAll(file, at: offset, raw)
      }
    }
    try result.get()
  }

  /// Makes the lines durable, so that they survive a crash of the machine.
  ///
  /// - Throws: `FileSystemError`.
  package func synchronize() throws(FileSystemError) {
    try state.withLock { state throws(FileSystemError) in
      guard let file = state.file else { return }
      try retrying { () throws(FileSystemError) in try fileSystem.synchronizeData(file) }
      guard !state.hasDurableName else { return }
      // If the file system does not support it, retrying does not help.
      _ = try fileSystem.synchronizeNames(of: directory)
      state.hasDurableName = true
    }
  }

  /// Removes the file because its changes are saved or discarded.
  ///
  /// - Throws: `FileSystemError`.
  package func remove() throws(FileSystemError) {
    do {
      try retrying { () throws(FileSystemError) in try fileSystem.remove(name, in: directory) }
    } catch  where error.code == .notFound {
      // Another program was faster.
    }
    letGo()
  }

  /// Renames the file and replaces a file that already has the name.
  ///
  /// - Returns: Its path.
  /// - Throws: `FileSystemError`.
  package func putAside(as suffix: String) throws(FileSystemError) -> String {
    let aside = companionName(of: folder.storeName, suffix: suffix)
    try retrying { () throws(FileSystemError) in
      try fileSystem.rename(name, to: aside, in: directory, replacing: true)
    }
    letGo()
    return joinPath(directory.path, aside)
  }

  /// Gives the file a second name, which it keeps.
  ///
  /// - Returns: Its path.
  /// - Throws: `FileSystemError`, with code `exists` if the name is in use.
  package func keepCopy(as suffix: String) throws(FileSystemError) -> String {
    let copy = companionName(of: folder.storeName, suffix: suffix)
    try retrying { () throws(FileSystemError) in
      try fileSystem.link(name, to: copy, in: directory)
    }
    return joinPath(directory.path, copy)
  }

  /// Unlocks the file without removing it.
  package func letGo() {
    let released = state.withLock { state in
      defer { state.file = nil }
      return state.file
    }
    guard let file = released else { return }
    // A process that is being started has the file open for a moment, and would keep a lock that only ends with it.
    // Closing removes the lock if that failed.
    try? retrying { () throws(FileSystemError) in try fileSystem.unlock(file, byte: 0) }
    fileSystem.closeQuietly(file)
  }
}
