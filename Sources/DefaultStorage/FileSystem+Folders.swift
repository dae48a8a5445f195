import OpenSwiftData
import Stores

extension FileSystem {
  /// Creates the folder of a file and its missing parents, for this user only.
  ///
  /// - Throws: `PersistenceError` with the path and the reason.
  func createFolders(of path: String) throws {
    do {
      // Checked first: a parent folder may be read-only or inaccessible.
      if try statusIfPresent(of: splitPath(path).directory, in: nil) != nil { return }
      var folder = path.hasPrefix("/") ? "" : "."
      for part in splitPath(path).directory.split(separator: "/") {
        folder = joinPath(folder, String(part))
        try createFolder(folder)
      }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  private func createFolder(_ path: String) throws(FileSystemError) {
    if try statusIfPresent(of: path, in: nil) != nil { return }
    do {
      try createDirectory(path, permissions: 0o700)
    } catch  where error.code == .exists {
      // Another program was faster.
    }
  }
}
