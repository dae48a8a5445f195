public import Foundation
import OpenSwiftData
package import Stores

/// A folder whose files a store reads and writes, with several files as one transaction.
///
/// ```swift
/// let folder = StoreFolder(url)
/// try folder.withLock {
///   let names = try folder.stamps().keys
///   try folder.write(["a.md": data, "b.md": other], removing: ["c.md"])
/// }
/// ```
///
/// Files whose names begin with a period are not part of the store. The folder contains two such files: `.store.lock`,
/// and during a transaction `.store.commit` with the new files beside it.
///
/// **Threads.** May be used from any thread.
///
/// **Errors.** Every function throws a `PersistenceError`: `.inaccessible`, `.busy`, or `.outcomeUnknown` for a write
/// that began and did not end.
public struct StoreFolder: Sendable {
  /// The folder, which need not exist yet.
  public let url: URL
  let fileSystem: any FileSystem

  /// Names a folder.
  public init(_ url: URL) { self.init(url, fileSystem: LocalFileSystem()) }

  /// Names a folder of another file system.
  package init(_ url: URL, fileSystem: any FileSystem) {
    self.url = url
    self.fileSystem = fileSystem
  }

  private var path: String { url.path }

  /// The files by name, with the stamps of what they contain now.
  ///
  /// - Returns: Regular files whose names do not begin with a period; none if the folder does not exist.
  /// - Complexity: O(n) in the number of files.
  public func stamps() throws -> [String: FileStamp] {
    try reporting {
      guard try fileSystem.statusIfPresent(of: path, in: nil) != nil else { return [:] }
      return try inDirectory { directory in
        var stamps: [String: FileStamp] = [:]
        for name in try fileSystem.list(directory) where !name.hasPrefix(".") {
          // A file that disappears meanwhile is not there.
          let status = try fileSystem.statusIfPresent(of: name, in: directory)
          if let status, status.kind == .regular { stamps[name] = FileStamp(status) }
        }
        return stamps
      }
    }
  }

  /// The content of a file; nil if it does not exist.
  public func read(_ name: String) throws -> Data? {
    try reporting { try fileSystem.content(of: joinPath(path, name)) }
  }

  /// Writes and removes files, completely or not at all, even if the machine crashes.
  ///
  /// Call it within `withLock(_:)`, which also completes a transaction that a crash has interrupted.
  ///
  /// - Parameters:
  ///   - contents: The contents of the files to create or replace, by name.
  ///   - removed: The names of the files to remove.
  ///   - stamps: The stamps that the files must still have, as `stamps()` returned them; nil if it does not matter.
  /// - Returns: The given stamps with those of the files that were written and without those that were removed.
  /// - Throws: `PersistenceError`; nothing is changed then, unless its code is `.outcomeUnknown`. The code is
  ///   `.conflict` if another program has written one of the files.
  @discardableResult
  public func write(
    _ contents: [String: Data],
    removing removed: Set<String> = [],
    over stamps: [String: FileStamp]? = nil
  ) throws -> [String: FileStamp] {
    let names = removed.union(contents.keys)
    for name in names where !FolderTransaction.isFileName(name) {
      throw PersistenceError(.invalidValue, "\(path): invalid file name \"\(name)\"")
    }
    return try reporting {
      var result = stamps ?? [:]
      if removed.isEmpty, contents.count == 1, let (name, data) = contents.first {
        let file = joinPath(path, name)
        result[name] =
          try stamps.map { try fileSystem.replace(file, by: data, over: $0[name]) }
          ?? fileSystem.replace(file, by: data)
        return result
      }
      try inDirectory { directory in
        let written = try FolderTransaction(fileSystem, directory)
          .commit(contents, removing: removed.sorted(), over: stamps)
        for name in names { result[name] = written[name] }
      }
      return result
    }
  }

  /// Runs the body while no other program that uses this function holds the lock of the folder.
  ///
  /// Creates the folder. In a folder that cannot be written the body runs without the lock.
  ///
  /// - Throws: The error of the body, or `PersistenceError` with code `.busy` after five seconds.
  public func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try reporting {
      try fileSystem.createDirectoryIfAbsent(path)
      return try inDirectory { directory in
        guard let lock = try fileSystem.lock(of: "store", in: directory) else { return try body() }
        return try lock.withLock {
          try FolderTransaction(fileSystem, directory).recover()
          return try body()
        }
      }
    }
  }

  /// Calls the closure, on any thread, when a file in the folder may have changed.
  ///
  /// - Returns: An object that must be kept as long as the closure is to be called; nil if changes cannot be observed.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    do {
      try fileSystem.createDirectoryIfAbsent(path)
      return fileSystem.watch(try fileSystem.resolveForCreation(path) + "/", changed)
    } catch {
      return nil
    }
  }

  private func inDirectory<Result>(_ body: (OpenFile) throws -> Result) throws -> Result {
    let directory = try retrying { () throws(FileSystemError) in
      try fileSystem.openDirectory(path)
    }
    defer { fileSystem.closeQuietly(directory) }
    return try body(directory)
  }
}

extension StoreFolder: Hashable {
  /// True when both have the same URL.
  public static func == (lhs: StoreFolder, rhs: StoreFolder) -> Bool { lhs.url == rhs.url }

  /// Hashes the URL.
  public func hash(into hasher: inout Hasher) { hasher.combine(url) }
}
