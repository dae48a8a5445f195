/// Notes for the user about a folder whose file system does not support `synchronizeNames`.
func weakDirectoryNote(path: String) -> String {
  "\(path): file system cannot sync directories; after a power failure the previous version, "
    + "or no file, may be left"
}

extension FileSystem {
  /// Notes for the user about the location of a file and about its writers, one line each.
  ///
  /// There are no notes if the file system cannot be queried.
  package func notes(on file: OpenFile, _ status: FileStatus) -> [String] {
    var notes: [String] = []
    // This is only a warning; reading the file reports any error.
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

  /// Why a file that can be read cannot be written; nil if it can, judging by its status.
  func reasonNotToWrite(_ path: String) -> FileSystemError? {
    do {
      closeQuietly(try openRetrying(path, in: nil, .readWrite))
      return nil
    } catch {
      return [.accessDenied, .readOnly, .notPermitted].contains(error.code) ? error : nil
    }
  }

  /// Makes names of a directory durable if its file system supports that.
  ///
  /// - Returns: False if it does not; fsync(2) then fails with `EINVAL`.
  /// - Throws: `FileSystemError` if the file system tried and failed.
  package func synchronizeNames(of directory: OpenFile) throws(FileSystemError) -> Bool {
    do {
      try retrying { () throws(FileSystemError) in try synchronizeDirectory(directory) }
      return true
    } catch  where [.invalid, .notSupported, .noSuchCall].contains(error.code) {
      return false
    }
  }
}
