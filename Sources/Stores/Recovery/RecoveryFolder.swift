/// The recovery files of one store: hidden files next to it, one for each running program.
///
/// The file of a program is locked while the program runs. An unlocked file is the leftover of a
/// program that crashed. Calls may come from any thread.
package final class RecoveryFolder: Sendable {
  /// The endings of the names, in the order in which they are used; their number limits how many
  /// programs can keep unsaved changes at the same time.
  package static let suffixes =
    [".catalog-recovery"] + (2...9).map { ".catalog-recovery-\($0)" }
  /// Larger files are not read.
  package static let limitBytes = 1 << 30

  /// The name of the store's file.
  package let storeName: String
  let fileSystem: any FileSystem
  let directory: OpenFile
  private let owner: UInt32?

  /// Finds the folder of a store, whose file need not exist.
  ///
  /// Files of users other than `owner` are ignored; nil accepts the files of all users.
  ///
  /// - Throws: `FileSystemError`.
  package init(fileSystem: any FileSystem, storePath: String, owner: UInt32? = nil)
    throws(FileSystemError)
  {
    let path = try retrying { () throws(FileSystemError) in try fileSystem.resolve(storePath) }
    let (folder, name) = splitPath(path)
    self.fileSystem = fileSystem
    self.owner = owner
    storeName = name
    directory = try retrying { () throws(FileSystemError) in
      try fileSystem.openDirectory(folder)
    }
  }

  deinit { fileSystem.closeQuietly(directory) }

  /// A name that stands for a store without a file: a hash of the text that identifies it.
  package static func storeName(for text: String) -> String {
    RecoveryLines.hash(of: text)
  }

  /// The names of recovery files, short enough to append `.new`.
  var names: [String] {
    Self.suffixes.map { String(companionName(of: storeName, suffix: $0 + ".new").dropLast(4)) }
  }

  /// Nanoseconds since 1970.
  package var nowNanoseconds: Int64 { fileSystem.now() }

  /// Size and time of the store's file now; nil if it does not exist.
  package var storeStatus: (sizeBytes: Int, modifiedNanoseconds: Int64)? {
    // If the status of a file cannot be read, its changes cannot be noticed either.
    (try? fileSystem.statusIfPresent(of: storeName, in: directory)).flatMap { $0 }.map {
      ($0.sizeBytes, $0.modifiedNanoseconds)
    }
  }

  /// The recovery files of crashed programs, oldest first, which this process locks.
  ///
  /// A file that cannot be opened, is not a regular file or belongs to another user is skipped. For
  /// a locked file the call waits up to two seconds while `isLeaving`, given its first line,
  /// returns true, which means that the program that holds it is about to exit.
  package func abandoned(
    waitingWhile isLeaving: (_ firstLine: String) -> Bool = { _ in false }
  ) -> [RecoveryFile] {
    var pauses = 200
    let files = names.compactMap { name -> RecoveryFile? in
      // A file that cannot be opened or locked is not ours to offer.
      while true {
        if let file = try? open(name) { return file }
        guard pauses > 0, let line = firstLine(of: name), isLeaving(line) else { return nil }
        pauses -= 1
        fileSystem.pause(nanoseconds: 10_000_000)
      }
    }
    return files.sorted { $0.modifiedNanoseconds < $1.modifiedNanoseconds }
  }

  /// The first line of a file that another program holds; nil if the file or the line does not
  /// exist.
  private func firstLine(of name: String) -> String? {
    guard let (file, _) = try? fileSystem.openRegular(name, in: directory, .read) else {
      return nil
    }
    defer { fileSystem.closeQuietly(file) }
    // There is no reason to wait for an unreadable file.
    guard let content = try? fileSystem.readAll(file, limitBytes: Self.limitBytes) else {
      return nil
    }
    return RecoveryLines.read(content.copy()).lines.first
  }

  private func open(_ name: String) throws -> RecoveryFile? {
    guard try fileSystem.statusIfPresent(of: name, in: directory) != nil else { return nil }
    let (file, _) = try fileSystem.openRegular(name, in: directory, .readWrite)
    do {
      guard try isMine(file), try owner == nil || fileSystem.status(of: file).owner == owner else {
        fileSystem.closeQuietly(file)
        return nil
      }
      let content = try fileSystem.readAll(file, limitBytes: Self.limitBytes).copy()
      let status = try fileSystem.status(of: file)
      return RecoveryFile(self, name, file, content, status)
    } catch {
      fileSystem.closeQuietly(file)
      throw error
    }
  }

  /// Locks an open file; false if another program holds it, or if the file has lost its name.
  ///
  /// A writer sometimes replaces its file. A file that was opened just before that has lost its name
  /// and is not in use any longer.
  func isMine(_ file: OpenFile) throws(FileSystemError) -> Bool {
    let isLocked = try retrying { () throws(FileSystemError) in
      try fileSystem.lock(file, byte: 0, exclusive: true)
    }
    guard isLocked else { return false }
    return try retrying { () throws(FileSystemError) in
      try fileSystem.status(of: file).linkCount > 0
    }
  }

  /// Creates a file for this program under the first free name.
  ///
  /// - Throws: `FileSystemError`, with code `exists` if all names are in use.
  package func create() throws(FileSystemError) -> RecoveryFile {
    for name in names {
      do {
        let file = try fileSystem.openRetrying(name, in: directory, .create(permissions: 0o600))
        if try isMine(file) { return RecoveryFile(self, name, file) }
        fileSystem.closeQuietly(file)
      } catch  where error.code == .exists {
        continue
      }
    }
    throw FileSystemError(.create, joinPath(directory.path, names[0]), .exists)
  }
}
