public import Foundation
public import OpenSwiftData
import Stores

extension Schema {
  /// Writes the JSON form to a file, and replaces an existing one.
  ///
  /// - Throws: `PersistenceError` with the path and the reason; an existing file is unchanged then.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = try [UInt8](encoder.encode(self))
    let fileSystem = LocalFileSystem()
    do {
      let path = try fileSystem.resolve(url.path)
      let replacement = FileReplacement(fileSystem: fileSystem, path: path)
      defer { replacement.removeLockFile() }
      if let status = try fileSystem.statusIfPresent(of: path, in: nil) {
        let present = FileVersion(status: status, digest: nil)
        _ = try replacement.replace(expecting: present) { try $0.write(bytes) }
      } else {
        _ = try replacement.create { try $0.write(bytes) }
      }
    } catch {
      throw PersistenceError.reporting(error)
    }
  }

  /// Reads what `save(to:)` wrote.
  ///
  /// The entities are not associated with model classes.
  ///
  /// - Throws: `PersistenceError` with the path and the reason; `DecodingError` if the file
  ///   contains something else.
  public static func load(from url: URL) throws -> Schema {
    let fileSystem = LocalFileSystem()
    let bytes: [UInt8]
    do {
      let (file, _) = try fileSystem.openRegular(url.path, in: nil, .read)
      defer { fileSystem.closeQuietly(file) }
      bytes = try fileSystem.readAll(file).copy()
    } catch {
      throw PersistenceError.reporting(error)
    }
    return try JSONDecoder().decode(Schema.self, from: Data(bytes))
  }
}
