public import Foundation
import OpenSwiftData
package import Stores

/// A file that a store replaces as a whole.
///
/// ```swift
/// let file = StoreFile(url)
/// try file.withLock {
///   let stored = try file.read().map { try JSONDecoder().decode(Contents.self, from: $0) }
///   try file.write(JSONEncoder().encode(contents))
/// }
/// ```
///
/// The lock is a hidden file next to the file, which stays.
///
/// The lock is a file `.NAME.lock` beside it, which stays.
///
/// Unlike `Data.write(to:)`, a write is durable when it returns, keeps links, owner and access rights, and leaves
/// the old file intact if anything fails.
///
/// **Threads.** May be used from any thread.
///
/// **Errors.** Every function throws a `PersistenceError`: `.inaccessible`, `.busy`, or `.outcomeUnknown` for a write
/// that began and did not end.
public struct StoreFile: Sendable {
  /// The file, which need not exist yet.
  public let url: URL
  let fileSystem: any FileSystem

  /// Names a file.
  public init(_ url: URL) { self.init(url, fileSystem: LocalFileSystem()) }

  /// Names a file of another file system.
  package init(_ url: URL, fileSystem: any FileSystem) {
    self.url = url
    self.fileSystem = fileSystem
  }

  private var path: String { url.path }

  /// The content; nil if the file does not exist.
  public func read() throws -> Data? { try reporting { try fileSystem.content(of: path) } }

  /// Creates or replaces the file, completely or not at all, even if the machine crashes.
  ///
  /// - Returns: The stamp of the content.
  @discardableResult
  public func write(_ content: Data) throws -> FileStamp {
    try reporting { try fileSystem.replace(path, by: content) }
  }

  /// Replaces the file if it still has the stamp, which is nil for a file that must not exist.
  ///
  /// - Returns: The stamp of the content.
  /// - Throws: `PersistenceError` with code `.conflict` if another program has written the file; nothing is written
  ///   then.
  public func write(_ content: Data, over stamp: FileStamp?) throws -> FileStamp {
    try reporting { try fileSystem.replace(path, by: content, over: stamp) }
  }

  /// The stamp of the content; nil if the file does not exist.
  public func stamp() throws -> FileStamp? {
    try reporting {
      guard let resolved = try fileSystem.resolveIfPresent(path) else { return nil }
      return try fileSystem.statusIfPresent(of: resolved, in: nil).map(FileStamp.init)
    }
  }

  /// Runs the body while no other program that uses this function holds the lock of the file.
  ///
  /// Creates the folder of the file. In a folder that cannot be written the body runs without the lock.
  ///
  /// - Throws: The error of the body, or `PersistenceError` with code `.busy` after five seconds.
  public func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try reporting {
      let (folder, name) = splitPath(try fileSystem.resolveForCreation(path))
      try fileSystem.createDirectoryIfAbsent(folder)
      let directory = try retrying { () throws(FileSystemError) in
        try fileSystem.openDirectory(folder)
      }
      defer { fileSystem.closeQuietly(directory) }
      guard let lock = try fileSystem.lock(of: name, in: directory) else { return try body() }
      return try lock.withLock { try body() }
    }
  }

  /// Calls the closure, on any thread, when the file may have changed.
  ///
  /// - Returns: An object that must be kept as long as the closure is to be called; nil if changes cannot be observed.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    do {
      return fileSystem.watch(try fileSystem.resolveForCreation(path), changed)
    } catch {
      return nil
    }
  }
}

extension StoreFile: Hashable {
  /// True when both have the same URL.
  public static func == (lhs: StoreFile, rhs: StoreFile) -> Bool { lhs.url == rhs.url }

  /// Hashes the URL.
  public func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

/// Runs a body that uses files, and converts its errors.
func reporting<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    throw PersistenceError.reporting(error)
  }
}
