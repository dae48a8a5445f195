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

  /// The status of a file, or of the file that a link names; nil if it does not exist.
  func statusOfContent(of path: String) throws(FileSystemError) -> FileStatus? {
    guard let resolved = try resolveIfPresent(path) else { return nil }
    return try statusIfPresent(of: resolved, in: nil)
  }

  /// Creates or replaces a file; other writers are excluded by the caller.
  @discardableResult
  func replace(_ path: String, by content: Data) throws -> FileStamp {
    try replace(path, by: content, from: statusOfContent(of: path))
  }

  /// Replaces a file that has the stamp.
  func replace(_ path: String, by content: Data, over stamp: FileStamp?) throws -> FileStamp {
    let status = try statusOfContent(of: path)
    guard status.map(FileStamp.init) == stamp else { throw FileError.changedOnDisk(path: path) }
    return try replace(path, by: content, from: status)
  }

  private func replace(_ path: String, by content: Data, from status: FileStatus?) throws
    -> FileStamp
  {
    let replacement = FileReplacement(
      fileSystem: self,
      path: path,
      kind: FileSystemLeftovers.kind,
      excludesOthers: false
    )
    let write: FileReplacement.Writer = { try $0.write([UInt8](content)) }
    let version =
      try status.map { status in
        try replacement.replace(
          expecting: FileVersion(status: status, digest: nil),
          write: write
        )
      } ?? replacement.create(write: write)
    return FileStamp(version.status)
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
