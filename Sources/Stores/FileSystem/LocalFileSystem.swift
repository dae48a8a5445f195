import CSystem
import Glibc

/// The file system of this machine.
package struct LocalFileSystem: FileSystem {
  package init() {}

  package func open(_ name: String, in directory: OpenFile?, _ mode: OpenMode)
    throws(FileSystemError) -> OpenFile
  {
    let path = fullPath(name, in: directory)
    let always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let number: Int32
    let operation: FileSystemError.Operation
    switch mode {
    case .read:
      (operation, number) = (.open, openat(base(directory), name, O_RDONLY | always))
    case .readWrite:
      (operation, number) = (.open, openat(base(directory), name, O_RDWR | always))
    case .create(let permissions):
      let flags = O_RDWR | O_CREAT | O_EXCL | always
      (operation, number) = (.create, openat(base(directory), name, flags, permissions))
    }
    try check(number, operation, path)
    return OpenFile(number: try clearOfStandardStreams(number, path), path: path)
  }

  package func openDirectory(_ path: String) throws(FileSystemError) -> OpenFile {
    let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(number, .open, path)
    return OpenFile(number: try clearOfStandardStreams(number, path), path: path)
  }

  package func close(_ file: OpenFile) throws(FileSystemError) {
    try check(Glibc.close(file.number), .close, file.path)
  }

  package func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
    var status = stat()
    try check(fstat(file.number, &status), .inspect, file.path)
    return FileStatus(status)
  }

  package func status(of name: String, in directory: OpenFile?) throws(FileSystemError)
    -> FileStatus
  {
    var status = stat()
    let result = fstatat(base(directory), name, &status, AT_SYMLINK_NOFOLLOW)
    try check(result, .inspect, fullPath(name, in: directory))
    return FileStatus(status)
  }

  package func read(
    _ file: OpenFile,
    at offset: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    let count = pread(file.number, buffer.baseAddress, buffer.count, off_t(offset))
    try check(count, .read, file.path)
    return count
  }

  package func write(_ file: OpenFile, at offset: Int, _ bytes: UnsafeRawBufferPointer)
    throws(FileSystemError) -> Int
  {
    let count = pwrite(file.number, bytes.baseAddress, bytes.count, off_t(offset))
    try check(count, .write, file.path)
    return count
  }

  package func truncate(_ file: OpenFile, to sizeBytes: Int) throws(FileSystemError) {
    try check(ftruncate(file.number, off_t(sizeBytes)), .truncate, file.path)
  }

  package func synchronize(_ file: OpenFile) throws(FileSystemError) {
    try check(fsync(file.number), .synchronize, file.path)
  }

  package func synchronizeData(_ file: OpenFile) throws(FileSystemError) {
    try check(fdatasync(file.number), .synchronize, file.path)
  }

  package func synchronizeDirectory(_ directory: OpenFile) throws(FileSystemError) {
    try check(fsync(directory.number), .synchronize, directory.path)
  }

  package func rename(
    _ name: String,
    to newName: String,
    in directory: OpenFile?,
    replacing: Bool
  ) throws(FileSystemError) {
    let result =
      replacing
      ? renameat(base(directory), name, base(directory), newName)
      : catalog_rename_new(base(directory), name, newName)
    try check(result, .rename, fullPath(name, in: directory))
  }

  package func link(_ name: String, to newName: String, in directory: OpenFile?)
    throws(FileSystemError)
  {
    let result = linkat(base(directory), name, base(directory), newName, 0)
    try check(result, .link, fullPath(name, in: directory))
  }

  package func remove(_ name: String, in directory: OpenFile?) throws(FileSystemError) {
    try check(unlinkat(base(directory), name, 0), .remove, fullPath(name, in: directory))
  }

  package func createDirectory(_ path: String, permissions: UInt32) throws(FileSystemError) {
    try check(mkdir(path, permissions), .createDirectory, path)
  }

  package func changePermissions(_ file: OpenFile, to permissions: UInt32)
    throws(FileSystemError)
  {
    try check(fchmod(file.number, permissions), .changeMode, file.path)
  }

  package func changeOwner(_ file: OpenFile, owner: UInt32?, group: UInt32?)
    throws(FileSystemError)
  {
    // The manual, chown(2): an id of -1 is not changed.
    let result = fchown(file.number, owner ?? .max, group ?? .max)
    try check(result, .changeOwner, file.path)
  }

  package func copyAttributes(from source: OpenFile, to target: OpenFile)
    throws(FileSystemError) -> Int
  {
    let failures = catalog_copy_attributes(source.number, target.number)
    try check(failures, .copyAttributes, source.path)
    return Int(failures)
  }

  package func isNetworkFile(_ file: OpenFile) throws(FileSystemError) -> Bool {
    let answer = catalog_is_network(file.number)
    try check(answer, .inspect, file.path)
    return answer == 1
  }

  package func lock(_ file: OpenFile, byte: Int, exclusive: Bool) throws(FileSystemError)
    -> Bool
  {
    let result = catalog_lock(file.number, Int64(byte), exclusive ? 1 : 0, 0)
    if result < 0, errno == EAGAIN || errno == EACCES { return false }
    try check(result, .lock, file.path)
    return true
  }

  package func unlock(_ file: OpenFile, byte: Int) throws(FileSystemError) {
    try check(catalog_lock(file.number, Int64(byte), 0, 1), .lock, file.path)
  }

  package func detach(_ work: @escaping @Sendable () -> Void) {
    DetachedThread.run(work)
  }

  package func availableMemoryBytes() -> Int? {
    let bytes = catalog_available_memory()
    return bytes < 0 ? nil : Int(bytes)
  }

  package func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    DetachedThread.start(work)
  }

  package func random() throws(FileSystemError) -> UInt64 {
    var value: UInt64 = 0
    try check(catalog_random(&value), .random, "a name")
    return value
  }

  package func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.nanoseconds
  }

  package func pause(nanoseconds: Int64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000),
      tv_nsec: Int(nanoseconds % 1_000_000_000)
    )
    // A signal may end the pause early; the caller checks again anyway.
    nanosleep(&time, nil)
  }
}

extension LocalFileSystem {
  package func list(_ directory: OpenFile) throws(FileSystemError) -> [String] {
    // A second opening, because closedir closes the descriptor that it was given.
    let number = openat(directory.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(number, .list, directory.path)
    guard let stream = fdopendir(number) else {
      let code = errno
      Glibc.close(number)
      throw FileSystemError(.list, directory.path, SystemErrorCode(rawValue: code))
    }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: capacity) { String(validatingCString: $0) }
      }
      // A name that is not UTF-8 cannot be one of our files.
      if let name, name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    try check(errno == 0 ? 0 : -1, .list, directory.path)
    return names
  }

  package func resolve(_ path: String) throws(FileSystemError) -> String {
    var current = path
    // 40 links as in the kernel, path_resolution(7).
    for _ in 0..<40 {
      if let found = realpath(current, nil) {
        defer { free(found) }
        return try text(found, of: path)
      }
      try check(errno == ENOENT ? 0 : -1, .resolve, path)
      let (parent, name) = splitPath(current)
      guard let found = realpath(parent, nil) else {
        throw FileSystemError(.resolve, path, SystemErrorCode(rawValue: errno))
      }
      defer { free(found) }
      let folder = try text(found, of: path)
      let place = joinPath(folder, name)
      guard let target = try linkTarget(place) else { return place }
      current = target.hasPrefix("/") ? target : joinPath(folder, target)
    }
    throw FileSystemError(.resolve, path, .tooManyLinks)
  }

  /// A path that the system returned; a folder or a link may contain bytes that are not valid text.
  private func text(_ found: UnsafePointer<CChar>, of path: String) throws(FileSystemError)
    -> String
  {
    guard let text = String(validatingCString: found) else {
      throw FileSystemError(.resolve, path, SystemErrorCode(rawValue: EILSEQ))
    }
    return text
  }

  /// The target of a link; `nil` if no link has that name.
  private func linkTarget(_ path: String) throws(FileSystemError) -> String? {
    let target = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      let length = buffer.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { start in readlink(path, start, Int(PATH_MAX)) } ?? 0
      }
      count = max(0, length)
    }
    if target.isEmpty { return nil }
    guard let text = String(validating: target, as: UTF8.self) else {
      throw FileSystemError(.resolve, path, SystemErrorCode(rawValue: EILSEQ))
    }
    return text
  }

  /// Must not use the descriptor of standard input, output or error if one of those is closed.
  private func clearOfStandardStreams(_ number: Int32, _ path: String) throws(FileSystemError)
    -> Int32
  {
    guard number < 3 else { return number }
    let moved = fcntl(number, F_DUPFD_CLOEXEC, 3)
    let code = errno
    Glibc.close(number)
    guard moved >= 0 else {
      throw FileSystemError(.open, path, SystemErrorCode(rawValue: code))
    }
    return moved
  }

  private func base(_ directory: OpenFile?) -> Int32 { directory?.number ?? AT_FDCWD }

  private func fullPath(_ name: String, in directory: OpenFile?) -> String {
    guard let directory else { return name }
    return joinPath(directory.path, name)
  }

  private func check(
    _ result: some SignedInteger,
    _ operation: FileSystemError.Operation,
    _ path: @autoclosure () -> String
  ) throws(FileSystemError) {
    guard result < 0 else { return }
    throw FileSystemError(operation, path(), SystemErrorCode(rawValue: errno))
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let kind: FileKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      case S_IFCHR, S_IFBLK: .device
      default: .other
      }
    self.init(
      device: UInt64(status.st_dev),
      inode: UInt64(status.st_ino),
      kind: kind,
      sizeBytes: Int(status.st_size),
      modifiedNanoseconds: status.st_mtim.nanoseconds,
      changedNanoseconds: status.st_ctim.nanoseconds,
      permissions: status.st_mode & 0o7777,
      owner: status.st_uid,
      group: status.st_gid,
      linkCount: Int(status.st_nlink)
    )
  }
}

extension timespec {
  /// The nanoseconds since 1970; those of the year 2262 for later times, which they cannot count.
  var nanoseconds: Int64 {
    let (seconds, overflows) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    if overflows { return tv_sec < 0 ? .min : .max }
    let (sum, isLate) = seconds.addingReportingOverflow(Int64(tv_nsec))
    return isLate ? .max : sum
  }
}
