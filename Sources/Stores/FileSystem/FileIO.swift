import OpenSwiftData

/// The largest piece of one write or read; the kernel transfers at most 0x7ffff000 bytes.
private let largestPiece = 1 << 30

/// Repeats a call while a signal interrupts it.
package func retrying<Result>(_ call: () throws(FileSystemError) -> Result)
  throws(FileSystemError) -> Result
{
  while true {
    do {
      return try call()
    } catch  where error.code == .interrupted {
      continue
    }
  }
}

/// Complete reads and writes built from single calls, which may be short or interrupted.
extension FileSystem {
  /// Fills the buffer from the file, up to the end of the file.
  ///
  /// - Returns: The number of bytes read; fewer than fit only at the end of the file.
  package func readFully(
    _ file: OpenFile,
    at offset: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let end = min(buffer.count, done + largestPiece)
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<end])
      let count = try retrying { () throws(FileSystemError) in
        try read(file, at: offset + done, into: rest)
      }
      if count == 0 { break }
      precondition(count > 0 && count <= rest.count, "A read returned an impossible count.")
      done += count
    }
    return done
  }

  /// Reads a file from an offset to its end, into newly allocated memory.
  ///
  /// - Parameters:
  ///   - file: A regular file.
  ///   - offset: Where to begin.
  ///   - limitBytes: The file size from which reading is refused.
  ///   - padding: The number of zero bytes after the content, which parsers may read.
  /// - Returns: The content.
  /// - Throws: `FileSystemError`, or `FileError.tooLarge` before anything is read.
  package func readAll(
    _ file: OpenFile,
    from offset: Int = 0,
    limitBytes: Int = .max,
    padding: Int = 0
  ) throws -> FileBytes {
    let size = try status(of: file).sizeBytes
    guard size <= limitBytes else {
      throw FileError.tooLarge(path: file.path, sizeBytes: size, limitBytes: limitBytes)
    }
    let expected = max(0, size - offset)
    var content = FileBytes(capacity: expected + padding)
    let room = UnsafeMutableRawBufferPointer(rebasing: content.room[..<expected])
    content.setCount(try readFully(file, at: offset, into: room))
    return content
  }

  /// Reads a file, and retries with growing pauses while another program changes it.
  ///
  /// - Parameters:
  ///   - path: The file, for the message.
  ///   - timeoutSeconds: How long to retry.
  ///   - read: Reads the file; nil if the file changed during the reading.
  /// - Returns: What was read.
  /// - Throws: `FileError.beingChanged` after the timeout; what `read` throws.
  package func waitingForOthers<Result>(
    path: String,
    timeoutSeconds: Double = FileLock.defaultTimeoutSeconds,
    read: () throws -> Result?
  ) throws -> Result {
    let allowed = Int64(timeoutSeconds * 1e9)
    var waited: Int64 = 0
    var pause: Int64 = 1_000_000
    while true {
      if let result = try read() { return result }
      try Interruption.check()
      guard waited < allowed else {
        throw FileError.beingChanged(path: path, seconds: timeoutSeconds)
      }
      pause = min(pause, allowed - waited)
      self.pause(nanoseconds: pause)
      waited += pause
      pause = min(pause * 2, 100_000_000)
    }
  }

  /// Passes a range of the file to `body` in pieces, each with its offset.
  ///
  /// - Throws: `FileSystemError`; `changedOnDisk` if the file ends before the range.
  package func readChunked(
    _ file: OpenFile,
    range: Range<Int>,
    chunkBytes: Int = 1 << 20,
    body: (UnsafeRawBufferPointer, Int) throws -> Void
  ) throws {
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(chunkBytes, range.count),
      alignment: 4096
    )
    defer { chunk.deallocate() }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(chunk.count, range.upperBound - offset)
      let piece = UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
      guard try readFully(file, at: offset, into: piece) == wanted else {
        throw FileError.changedOnDisk(path: file.path)
      }
      try body(UnsafeRawBufferPointer(piece), offset)
      offset += wanted
    }
  }

  /// Writes all of the bytes at an offset.
  ///
  /// - Throws: `FileSystemError`; some of the bytes may have been written then.
  package func writeAll(_ file: OpenFile, at offset: Int, _ bytes: UnsafeRawBufferPointer)
    throws(FileSystemError)
  {
    var done = 0
    while done < bytes.count {
      let end = min(bytes.count, done + largestPiece)
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done..<end])
      let count = try retrying { () throws(FileSystemError) in
        try write(file, at: offset + done, rest)
      }
      guard count > 0 else { throw FileSystemError(.write, file.path, .nothingWritten) }
      precondition(count <= rest.count, "A write returned an impossible count.")
      done += count
    }
  }
}

extension FileSystem {
  /// The status of a name, or `nil` if it does not exist.
  package func statusIfPresent(of name: String, in directory: OpenFile?) throws(FileSystemError)
    -> FileStatus?
  {
    do {
      return try retrying { () throws(FileSystemError) in try status(of: name, in: directory) }
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Opens a file, and retries whenever a signal interrupts the call.
  package func openRetrying(_ name: String, in directory: OpenFile?, _ mode: OpenMode)
    throws(FileSystemError) -> OpenFile
  {
    try retrying { () throws(FileSystemError) in try open(name, in: directory, mode) }
  }

  /// Opens an existing regular file; never blocks on the other end of a pipe.
  ///
  /// - Throws: `FileError.notARegularFile`, `FileSystemError`.
  package func openRegular(_ name: String, in directory: OpenFile?, _ mode: OpenMode) throws
    -> (file: OpenFile, status: FileStatus)
  {
    let before = try retrying { () throws(FileSystemError) in
      try status(of: name, in: directory)
    }
    let path = directory.map { joinPath($0.path, name) } ?? name
    guard before.kind == .regular else {
      throw FileError.notARegularFile(path: path, kind: before.kind)
    }
    let file = try openRetrying(name, in: directory, mode)
    do {
      let opened = try retrying { () throws(FileSystemError) in try status(of: file) }
      guard opened.kind == .regular else {
        throw FileError.notARegularFile(path: path, kind: opened.kind)
      }
      return (file, opened)
    } catch {
      closeQuietly(file)
      throw error
    }
  }

  /// Closes a file that was only read or is synchronized, so that the outcome does not matter.
  package func closeQuietly(_ file: OpenFile) {
    // The descriptor is released even after a failure, close(2), so the call must not be repeated.
    try? close(file)
  }

  /// Removes a file if it exists; on failure the next writer removes it.
  package func removeQuietly(_ name: String, in directory: OpenFile?) {
    // The next holder of the lock removes leftovers.
    try? retrying { () throws(FileSystemError) in try remove(name, in: directory) }
  }

  /// Renames to a name that must be free, even if the file system cannot do so in one step.
  package func renameToFreeName(_ name: String, to newName: String, in directory: OpenFile?)
    throws(FileSystemError)
  {
    do {
      try retrying { () throws(FileSystemError) in
        try rename(name, to: newName, in: directory, replacing: false)
      }
    } catch  where error.code == .invalid || error.code == .noSuchCall {
      try retrying { () throws(FileSystemError) in try link(name, to: newName, in: directory) }
      removeQuietly(name, in: directory)
    }
  }

  /// The absolute path, with links resolved, of a file to create; its directories need not exist
  /// either.
  package func resolveForCreation(_ path: String) throws(FileSystemError) -> String {
    do {
      return try retrying { () throws(FileSystemError) in try resolve(path) }
    } catch  where error.code == .notFound {
      let (folder, name) = splitPath(path)
      guard !name.isEmpty, folder != path else { throw error }
      return joinPath(try resolveForCreation(folder), name)
    }
  }

  /// Creates a directory and its missing parents, for the owner only, and makes all their names
  /// durable.
  ///
  /// This includes directories that already exist: the program that created them may have crashed
  /// or failed before it synchronized them.
  ///
  /// - Parameter path: Absolute.
  /// - Throws: `FileSystemError`.
  package func createDirectories(_ path: String) throws(FileSystemError) {
    let (parent, name) = splitPath(path)
    guard !name.isEmpty, parent != path else { return }
    try createDirectories(parent)
    if try statusIfPresent(of: path, in: nil) == nil {
      do {
        try retrying { () throws(FileSystemError) in
          try createDirectory(path, permissions: 0o700)
        }
      } catch  where error.code == .exists {
        // Another process was faster.
      }
    }
    // Without a durable name for the directory, the files saved in it are lost as well.
    try synchronizeNamesIfReadable(in: parent)
  }

  /// Makes the names of a directory durable unless this user cannot read it; in that case this user
  /// has hardly created anything in it.
  private func synchronizeNamesIfReadable(in path: String) throws(FileSystemError) {
    do {
      let directory = try retrying { () throws(FileSystemError) in try openDirectory(path) }
      defer { closeQuietly(directory) }
      _ = try synchronizeNames(of: directory)
    } catch  where [.accessDenied, .readOnly].contains(error.code) {
      return
    }
  }
}
