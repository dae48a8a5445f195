/// Where the recovery files of one store are: beside the store, hidden, one for each running program.
///
/// The file of a program is locked as long as the program lives. What nobody holds was left behind by
/// one that died. Confined to one thread.
package final class RecoveryFolder {
  /// The endings of the names, in the order in which they are taken; so many programs at a time can
  /// keep their edits.
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
  /// Files of users other than `owner` are not believed; nil believes those of all.
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

  /// The names of recovery files, with room for `.new` behind them.
  var names: [String] {
    Self.suffixes.map { String(companionName(of: storeName, suffix: $0 + ".new").dropLast(4)) }
  }

  /// Nanoseconds since 1970.
  package var nowNanoseconds: Int64 { fileSystem.now() }

  /// Size and time of the store's file as it is now; nil when there is none.
  package var storeStatus: (sizeBytes: Int, modifiedNanoseconds: Int64)? {
    // A file that cannot be looked at is one whose changes cannot be noticed.
    (try? fileSystem.statusIfPresent(of: storeName, in: directory)).flatMap { $0 }.map {
      ($0.sizeBytes, $0.modifiedNanoseconds)
    }
  }

  /// The files that programs left behind, the oldest first, locked from now on for this process.
  ///
  /// A file that cannot be opened, is no regular file or belongs to somebody else is left alone.
  /// One that is locked is waited for, two seconds at most, while `isLeaving` says of its first line that
  /// the program which holds it is about to end.
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

  /// The first line of a file that another program holds; nil when it is not there or has none.
  private func firstLine(of name: String) -> String? {
    guard let (file, _) = try? fileSystem.openRegular(name, in: directory, .read) else {
      return nil
    }
    defer { fileSystem.closeQuietly(file) }
    // What cannot be read has nothing to wait for.
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

  /// Locks an open file; false when somebody holds it, or it has no name any more.
  ///
  /// The writer of a file replaces it now and then: what was opened just before is then nobody's.
  func isMine(_ file: OpenFile) throws(FileSystemError) -> Bool {
    let isLocked = try retrying { () throws(FileSystemError) in
      try fileSystem.lock(file, byte: 0, exclusive: true)
    }
    guard isLocked else { return false }
    return try retrying { () throws(FileSystemError) in
      try fileSystem.status(of: file).linkCount > 0
    }
  }

  /// Creates a file for this program under the first name that is free.
  ///
  /// - Throws: `FileSystemError`, with code `exists` when every name is taken.
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
