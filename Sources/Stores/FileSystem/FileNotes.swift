/// What the user should know of a folder whose file system cannot do what `synchronizeNames` asks for.
func weakDirectoryNote(path: String) -> String {
  "\(path): file system cannot sync directories; after a power failure the previous version, "
    + "or no file, may be left"
}

extension FileSystem {
  /// What the user should know about where a file lies and who may write it, one line each.
  ///
  /// A file system that cannot be asked has nothing to say.
  package func notes(on file: OpenFile, _ status: FileStatus) -> [String] {
    var notes: [String] = []
    // Only a warning hangs on it: whatever is wrong with the file shows when it is read.
    if (try? isNetworkFile(file)) == true {
      notes.append(
        "\(file.path): on a network or FUSE file system, where locking may not work; save from "
          + "one program at a time"
      )
    }
    if status.permissions & 0o002 != 0 {
      notes.append(
        "\(file.path): writable by all users; run chmod o-w to fix"
      )
    }
    return notes
  }

  /// Why a file that can be read may not be written; nil if it may, as far as can be told from the file.
  func reasonNotToWrite(_ path: String) -> FileSystemError? {
    do {
      closeQuietly(try openRetrying(path, in: nil, .readWrite))
      return nil
    } catch {
      return [.accessDenied, .readOnly, .notPermitted].contains(error.code) ? error : nil
    }
  }

  /// Makes names of a directory durable, as far as its file system knows how.
  ///
  /// - Returns: False where it does not know how: fsync(2) says `EINVAL` then.
  /// - Throws: `FileSystemError`: what it tried and could not do.
  package func synchronizeNames(of directory: OpenFile) throws(FileSystemError) -> Bool {
    do {
      try retrying { () throws(FileSystemError) in try synchronizeDirectory(directory) }
      return true
    } catch  where [.invalid, .notSupported, .noSuchCall].contains(error.code) {
      return false
    }
  }
}
