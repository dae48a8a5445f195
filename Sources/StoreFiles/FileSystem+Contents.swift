import Foundation
import Stores

/// Whole files, for `StoreFile` and `StoreFolder`.
extension FileSystem {
  /// The path without links; nil if there is no such file.
  func resolveIfPresent(_ path: String) throws(FileSystemError) -> String? {
    do {
      return try retrying { () throws(FileSystemError) in try resolve(path) }
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// The content of a file, or of the file that a link names; nil if it does not exist.
  func content(of path: String) throws -> Data? {
    guard let resolved = try resolveIfPresent(path),
      try statusIfPresent(of: resolved, in: nil) != nil
    else { return nil }
    let (file, _) = try openRegular(resolved, in: nil, .read)
    defer { closeQuietly(file) }
    return Data(try readAll(file).copy())
  }

  /// Creates or replaces a file; other writers are excluded by the caller.
  func replace(_ path: String, by content: Data) throws {
    let replacement = FileReplacement(
      fileSystem: self,
      path: path,
      kind: FileSystemLeftovers.kind,
      excludesOthers: false
    )
    let status = try resolveIfPresent(path).flatMap { try statusIfPresent(of: $0, in: nil) }
    let write: FileReplacement.Writer = { try $0.write([UInt8](content)) }
    if let status {
      _ = try replacement.replace(
        expecting: FileVersion(status: status, digest: nil),
        write: write
      )
    } else {
      _ = try replacement.create(write: write)
    }
  }

  /// Creates the directory unless it exists.
  func createDirectoryIfAbsent(_ path: String) throws {
    let resolved = try resolveForCreation(path)
    if try statusIfPresent(of: resolved, in: nil) == nil { try createDirectories(resolved) }
  }

  /// The lock of a file in the directory; nil if the directory cannot be written.
  func lock(of name: String, in directory: OpenFile) throws -> FileLock? {
    do {
      let status = try statusIfPresent(of: name, in: directory)
      return try FileLock(fileSystem: self, directory: directory, name: name, like: status)
    } catch let error as FileSystemError where [.accessDenied, .readOnly].contains(error.code) {
      return nil
    }
  }
}

/// The temporary files of writers that crashed.
enum FileSystemLeftovers {
  static let kind = "store"

  /// True for the name of the temporary file of a replacement.
  static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix("."), let mark = name.range(of: ".\(kind)-", options: .backwards) else {
      return false
    }
    let digits = name[mark.upperBound...]
    return digits.utf8.count == 16 && digits.allSatisfy(\.isHexDigit)
  }
}
