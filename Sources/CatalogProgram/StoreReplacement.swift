import CatalogApp
import Foundation
import Glibc
import OpenSwiftData
import Stores

/// A store that is made in a folder of its own beside another one, and takes its place when it is complete.
///
/// It has the name of the other one, because the entity of a file may be named after it.
struct StoreReplacement {
  /// The location where it is made.
  let location: StoreLocation
  private let path: String
  private let folder: String

  /// Creates the folder.
  ///
  /// - Throws: `CommandError` for a folder, or a database that another program has open.
  init(of target: StoreLocation, _ fileSystem: any FileSystem) throws {
    do {
      path = try fileSystem.resolve(target.path)
    } catch {
      throw PersistenceError(.inaccessible, error.description, cause: error)
    }
    // Without its log or journal, a database would be incomplete; with the new one, they would damage it.
    for ending in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: path + ending) {
      throw CommandError(
        "\(target.path): in use by another program (\(target.name)\(ending) exists)",
        code: .busy
      )
    }
    let parts = path.split(separator: "/")
    folder =
      "/" + parts.dropLast().map { $0 + "/" }.joined() + ".catalog-" + UUID().uuidString
    let name = parts.last.map(String.init) ?? "store"
    location = try StoreLocation("\(target.kind):\(folder)/\(name)")
    do {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw PersistenceError(
        .inaccessible,
        "cannot create a folder for the new \(target.path)",
        cause: error
      )
    }
  }

  /// Renames the new file to the other one, with whose permissions it is then.
  ///
  /// - Throws: `PersistenceError` if it cannot be renamed; the other one stays then.
  func takePlace() throws {
    // Only a store that is still open would have more than its file.
    let rest = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix("-wal") || $0.hasSuffix("-journal") }
    guard rest.isEmpty else {
      throw PersistenceError(.inaccessible, "\(path): cannot be replaced: \(rest[0]) is in use")
    }
    var status = stat()
    if stat(path, &status) == 0 { chmod(location.path, status.st_mode & 0o7777) }
    guard rename(location.path, path) == 0 else {
      throw PersistenceError(
        .inaccessible,
        "\(path): cannot be replaced: \(String(cString: strerror(errno)))"
      )
    }
  }

  /// Removes the folder with what is left in it.
  func end() {
    // At worst, a hidden folder stays.
    try? FileManager.default.removeItem(atPath: folder)
  }
}
