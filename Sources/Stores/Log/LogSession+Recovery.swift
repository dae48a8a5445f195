import OpenSwiftData

extension LogSession {
  /// Cuts off an incomplete transaction, after saving its bytes to a file next to the log.
  ///
  /// Only the holder of the lock may do that: for other programs the same bytes may be a save in
  /// progress. Repeating it after a crash in between is harmless.
  mutating func cutTail(_ tail: LogTail) throws {
    guard let file, let range = tail.range else { return }
    let kept = try keep(range, of: file)
    try retrying { () throws(FileSystemError) in
      try fileSystem.truncate(file, to: range.lowerBound)
    }
    try retrying { () throws(FileSystemError) in try fileSystem.synchronizeData(file) }
    seenBytes = range.lowerBound
    keptTailPath = kept
    savingNotes.append(
      "\(range.count) bytes after the last complete save were removed; kept in \(kept)"
    )
  }

  /// Copies a range of the log to a new file and makes it durable.
  private func keep(_ range: Range<Int>, of file: OpenFile) throws -> String {
    let (folder, name) = splitPath(path)
    let directory = try fileSystem.openDirectory(folder)
    defer { fileSystem.closeQuietly(directory) }
    let (kept, keptName) = try createKept(
      besides: name,
      ".lost-\(content.header.generation)-\(range.lowerBound)",
      in: directory
    )
    defer { fileSystem.closeQuietly(kept) }
    do {
      // For all users who may read and write the log; if that is not possible, for this user only.
      let status = try fileSystem.status(of: file)
      if (try? fileSystem.changeOwner(kept, owner: nil, group: status.group)) != nil {
        try? fileSystem.changePermissions(kept, to: 0o600 | status.permissions & 0o066)
      }
      try fileSystem.readChunked(file, range: range) { bytes, offset in
        try fileSystem.writeAll(kept, at: offset - range.lowerBound, bytes)
      }
      try retrying { () throws(FileSystemError) in try fileSystem.synchronize(kept) }
      _ = try fileSystem.synchronizeNames(of: directory)
    } catch {
      fileSystem.removeQuietly(keptName, in: directory)
      throw error
    }
    return joinPath(folder, keptName)
  }

  private func createKept(
    besides name: String,
    _ ending: String,
    in directory: OpenFile
  ) throws(FileSystemError) -> (OpenFile, String) {
    var attempt = 1
    while true {
      let suffix = attempt == 1 ? ending : "\(ending)-\(attempt)"
      // Not hidden: it is for the user.
      let candidate = String(companionName(of: name, suffix: suffix).dropFirst())
      do {
        let file = try fileSystem.openRetrying(
          candidate,
          in: directory,
          .create(permissions: 0o600)
        )
        return (file, candidate)
      } catch  where error.code == .exists && attempt < 1000 {
        attempt += 1
      }
    }
  }
}
