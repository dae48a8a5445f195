import Foundation
import OpenSwiftData
import Stores

/// A change of several files in one directory, as one transaction.
///
/// 1. The new contents are written to files beside the old ones, and made durable.
/// 2. A list of what is to be done is written as `.store.commit`. From here on the transaction is certain.
/// 3. The new files get their names, files are removed, and at last the list.
///
/// After a crash the next holder of the lock repeats step 3, or removes what step 1 has left.
struct FolderTransaction {
  /// What is to be done, as it is written.
  private struct List: Codable {
    /// The new files, by the names that they are to get.
    var replacements: [String: String]
    var removals: [String]
  }

  private static let listName = ".store.commit"
  private static let partPrefix = ".store.new-"

  private let fileSystem: any FileSystem
  private let directory: OpenFile

  init(_ fileSystem: any FileSystem, _ directory: OpenFile) {
    self.fileSystem = fileSystem
    self.directory = directory
  }

  /// Writes and removes files that have the stamps.
  ///
  /// - Returns: The stamps of the files that were written.
  /// - Throws: `FileError`, `FileSystemError`; nothing is changed then, unless it is `outcomeUnknown`.
  func commit(
    _ contents: [String: Data],
    removing removals: [String],
    over stamps: [String: FileStamp]?
  ) throws -> [String: FileStamp] {
    if contents.isEmpty, removals.isEmpty { return [:] }
    var parts: [String: String] = [:]
    var written: [String: FileStatus] = [:]
    do {
      for (number, (name, data)) in contents.sorted(by: { $0.key < $1.key }).enumerated() {
        let part = "\(Self.partPrefix)\(number)"
        parts[name] = part
        written[name] = try write(data, to: part, like: name)
      }
      try synchronizeNames()
      // As late as possible, because an editor takes no lock.
      if let stamps { try check(removals + contents.keys.sorted(), stamps) }
      let list = List(replacements: parts, removals: removals)
      try fileSystem.replace(
        joinPath(directory.path, Self.listName),
        by: JSONEncoder().encode(list)
      )
    } catch {
      if case .outcomeUnknown? = error as? FileError { throw error }
      for part in parts.values { fileSystem.removeQuietly(part, in: directory) }
      throw error
    }
    do {
      try carryOut(List(replacements: parts, removals: removals))
      return try finalStamps(of: written)
    } catch {
      throw FileError.outcomeUnknown(path: directory.path, cause: error)
    }
  }

  private func check(_ names: [String], _ stamps: [String: FileStamp]) throws {
    for name in names {
      let status = try fileSystem.statusIfPresent(of: name, in: directory)
      guard status.map(FileStamp.init) == stamps[name] else {
        throw FileError.changedOnDisk(path: joinPath(directory.path, name))
      }
    }
  }

  /// The stamps of new files; none for one that another program has replaced already.
  private func finalStamps(of written: [String: FileStatus]) throws(FileSystemError)
    -> [String: FileStamp]
  {
    var stamps: [String: FileStamp] = [:]
    for (name, part) in written {
      // A rename changes the status of a file, so the stamp is that of the new name.
      let status = try fileSystem.statusIfPresent(of: name, in: directory)
      if let status, status.isSameFile(as: part),
        status.modifiedNanoseconds == part.modifiedNanoseconds
      {
        stamps[name] = FileStamp(status)
      }
    }
    return stamps
  }

  /// Completes or undoes a transaction that was interrupted.
  func recover() throws {
    let path = joinPath(directory.path, Self.listName)
    if let data = try fileSystem.content(of: path) {
      try carryOut(list(in: data, path))
    }
    let names = try retrying { () throws(FileSystemError) in try fileSystem.list(directory) }
    for name in names
    where name.hasPrefix(Self.partPrefix) || FileSystemLeftovers.isTemporary(name) {
      fileSystem.removeQuietly(name, in: directory)
    }
  }

  private func list(in data: Data, _ path: String) throws -> List {
    let list: List
    do {
      list = try JSONDecoder().decode(List.self, from: data)
    } catch {
      throw PersistenceError(.damaged, "\(path): damaged; nothing was changed", cause: error)
    }
    // Whoever can write to the folder can write a list, which must not reach files outside of it.
    let names = list.removals + list.replacements.keys
    guard names.allSatisfy(Self.isFileName),
      list.replacements.values.allSatisfy({ $0.hasPrefix(Self.partPrefix) && !$0.contains("/") })
    else {
      throw PersistenceError(
        .damaged,
        "\(path): names a file outside the folder; nothing was changed"
      )
    }
    return list
  }

  /// True for a name that a file of the store can have: not hidden, and in the folder itself.
  static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") && !name.utf8.contains(0)
  }

  private func carryOut(_ list: List) throws(FileSystemError) {
    for (name, part) in list.replacements
    where try fileSystem.statusIfPresent(of: part, in: directory) != nil {
      try retrying { () throws(FileSystemError) in
        try fileSystem.rename(part, to: name, in: directory, replacing: true)
      }
    }
    for name in list.removals { try removeIfPresent(name) }
    try synchronizeNames()
    try removeIfPresent(Self.listName)
    // Otherwise the list could come back after a crash and remove a file that was created since.
    try synchronizeNames()
  }

  private func removeIfPresent(_ name: String) throws(FileSystemError) {
    do {
      try retrying { () throws(FileSystemError) in try fileSystem.remove(name, in: directory) }
    } catch  where error.code == .notFound {
      return
    }
  }

  private func synchronizeNames() throws(FileSystemError) {
    _ = try fileSystem.synchronizeNames(of: directory)
  }

  /// Writes a new file with the access rights of the one that it replaces.
  private func write(_ data: Data, to part: String, like name: String) throws -> FileStatus {
    let former = try fileSystem.statusIfPresent(of: name, in: directory)
    fileSystem.removeQuietly(part, in: directory)
    let file = try fileSystem.openRetrying(
      part,
      in: directory,
      .create(permissions: former == nil ? 0o666 : 0o600)
    )
    defer { fileSystem.closeQuietly(file) }
    try data.withUnsafeBytes { try fileSystem.writeAll(file, at: 0, $0) }
    if let former {
      try retrying { () throws(FileSystemError) in
        try fileSystem.changePermissions(file, to: former.permissions)
      }
    }
    try retrying { () throws(FileSystemError) in try fileSystem.synchronize(file) }
    return try retrying { () throws(FileSystemError) in try fileSystem.status(of: file) }
  }
}
