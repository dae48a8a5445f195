import Synchronization

@testable import Stores

/// A file system that counts its calls and can fail, interrupt or shorten any of them.
final class FaultyFileSystem: FileSystem {
  /// The fault of one call.
  enum Fault: Equatable {
    case none
    case fail(SystemErrorCode)
    /// The maximum number of bytes that a read or write transfers.
    case shorten(Int)
  }

  struct Call: Equatable {
    var number: Int
    var operation: FileSystemError.Operation
    var path: String

    /// True when the call changes files.
    var changesFiles: Bool {
      [.write, .truncate, .rename, .link, .remove, .changeMode].contains(operation)
    }
  }

  private struct State {
    var calls: [Call] = []
    var clock: Int64 = 1_790_000_000_000_000_000
    var randomState: UInt64 = 1
    var openCount = 0
    var decide: @Sendable (Call) -> Fault = { _ in .none }
    var beforeCall: (@Sendable (Call) -> Void)?
    var paused: Int64 = 0
    var isNetwork = false
    var availableMemory: Int?
    var spoilt: (offset: Int, byte: UInt8)?
  }

  let base = LocalFileSystem()
  private let state = Mutex(State())

  init() {}

  /// Every call from now on, in order.
  var calls: [Call] { state.withLock { $0.calls } }
  /// The number of open files.
  var openCount: Int { state.withLock { $0.openCount } }
  var pausedNanoseconds: Int64 { state.withLock { $0.paused } }

  /// Reports that files are on another machine.
  func pretendNetwork() { state.withLock { $0.isNetwork = true } }

  /// Sets the memory that the process can still get.
  func limitMemory(toBytes bytes: Int) { state.withLock { $0.availableMemory = bytes } }

  func availableMemoryBytes() -> Int? { state.withLock { $0.availableMemory } }

  /// From now on, writes a wrong byte at this offset of any file.
  func spoilWrites(at offset: Int, with byte: UInt8) {
    state.withLock { $0.spoilt = (offset, byte) }
  }

  /// Sets the clock forward or back.
  func moveClock(bySeconds seconds: Int64) {
    state.withLock { $0.clock += seconds * 1_000_000_000 }
  }

  func count(of operation: FileSystemError.Operation) -> Int {
    calls.count { $0.operation == operation }
  }

  /// Clears the recorded calls and injects faults from now on.
  func inject(_ decide: @escaping @Sendable (Call) -> Fault = { _ in .none }) {
    state.withLock {
      $0.calls = []
      $0.decide = decide
      $0.beforeCall = nil
    }
  }

  /// Runs `action` before each call from now on, to simulate changes by another program.
  func observe(_ action: @escaping @Sendable (Call) -> Void) {
    state.withLock {
      $0.calls = []
      $0.decide = { _ in .none }
      $0.beforeCall = action
    }
  }

  @discardableResult
  private func fault(_ operation: FileSystemError.Operation, _ path: String)
    throws(FileSystemError) -> Int
  {
    let (fault, call, action) = state.withLock { state in
      let call = Call(number: state.calls.count + 1, operation: operation, path: path)
      state.calls.append(call)
      return (state.decide(call), call, state.beforeCall)
    }
    action?(call)
    switch fault {
    case .none: return .max
    case .shorten(let count): return count
    case .fail(let code): throw FileSystemError(operation, path, code)
    }
  }

  func open(_ name: String, in directory: OpenFile?, _ mode: OpenMode) throws(FileSystemError)
    -> OpenFile
  {
    if case .create = mode { try fault(.create, name) } else { try fault(.open, name) }
    let file = try base.open(name, in: directory, mode)
    state.withLock { $0.openCount += 1 }
    return file
  }

  func openDirectory(_ path: String) throws(FileSystemError) -> OpenFile {
    try fault(.open, path)
    let file = try base.openDirectory(path)
    state.withLock { $0.openCount += 1 }
    return file
  }

  func close(_ file: OpenFile) throws(FileSystemError) {
    // As in Linux, the file is closed even if an error is reported.
    try base.close(file)
    state.withLock { $0.openCount -= 1 }
    try fault(.close, file.path)
  }

  func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
    try fault(.inspect, file.path)
    return try base.status(of: file)
  }

  func status(of name: String, in directory: OpenFile?) throws(FileSystemError) -> FileStatus {
    try fault(.inspect, name)
    return try base.status(of: name, in: directory)
  }

  func read(_ file: OpenFile, at offset: Int, into buffer: UnsafeMutableRawBufferPointer)
    throws(FileSystemError) -> Int
  {
    let count = min(try fault(.read, file.path), buffer.count)
    return try base.read(
      file,
      at: offset,
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    )
  }

  func write(_ file: OpenFile, at offset: Int, _ bytes: UnsafeRawBufferPointer)
    throws(FileSystemError) -> Int
  {
    let count = min(try fault(.write, file.path), bytes.count)
    guard count > 0 else { return 0 }
    var content = Array(bytes[..<count])
    if let spoilt = state.withLock({ $0.spoilt }), content.indices ~= spoilt.offset - offset {
      content[spoilt.offset - offset] = spoilt.byte
    }
    let result = content.withUnsafeBytes { bytes in
      Result { () throws(FileSystemError) in try base.write(file, at: offset, bytes) }
    }
    return try result.get()
  }

  func truncate(_ file: OpenFile, to sizeBytes: Int) throws(FileSystemError) {
    try fault(.truncate, file.path)
    try base.truncate(file, to: sizeBytes)
  }

  func synchronize(_ file: OpenFile) throws(FileSystemError) {
    try fault(.synchronize, file.path)
  }

  func synchronizeData(_ file: OpenFile) throws(FileSystemError) {
    try fault(.synchronize, file.path)
  }

  func synchronizeDirectory(_ directory: OpenFile) throws(FileSystemError) {
    try fault(.synchronize, directory.path)
  }

  func rename(_ name: String, to newName: String, in directory: OpenFile?, replacing: Bool)
    throws(FileSystemError)
  {
    try fault(.rename, name)
    try base.rename(name, to: newName, in: directory, replacing: replacing)
  }

  func link(_ name: String, to newName: String, in directory: OpenFile?) throws(FileSystemError) {
    try fault(.link, name)
    try base.link(name, to: newName, in: directory)
  }

  func remove(_ name: String, in directory: OpenFile?) throws(FileSystemError) {
    try fault(.remove, name)
    try base.remove(name, in: directory)
  }

  func createDirectory(_ path: String, permissions: UInt32) throws(FileSystemError) {
    try fault(.createDirectory, path)
    try base.createDirectory(path, permissions: permissions)
  }

  func list(_ directory: OpenFile) throws(FileSystemError) -> [String] {
    try fault(.list, directory.path)
    return try base.list(directory)
  }

  func resolve(_ path: String) throws(FileSystemError) -> String {
    try fault(.resolve, path)
    return try base.resolve(path)
  }

  func changePermissions(_ file: OpenFile, to permissions: UInt32) throws(FileSystemError) {
    try fault(.changeMode, file.path)
    try base.changePermissions(file, to: permissions)
  }

  func changeOwner(_ file: OpenFile, owner: UInt32?, group: UInt32?) throws(FileSystemError) {
    try fault(.changeOwner, file.path)
    try base.changeOwner(file, owner: owner, group: group)
  }

  func copyAttributes(from source: OpenFile, to target: OpenFile) throws(FileSystemError) -> Int {
    try fault(.copyAttributes, source.path)
    return try base.copyAttributes(from: source, to: target)
  }

  func isNetworkFile(_ file: OpenFile) throws(FileSystemError) -> Bool {
    try fault(.inspect, file.path)
    if state.withLock({ $0.isNetwork }) { return true }
    return try base.isNetworkFile(file)
  }

  func lock(_ file: OpenFile, byte: Int, exclusive: Bool) throws(FileSystemError) -> Bool {
    try fault(.lock, file.path)
    return try base.lock(file, byte: byte, exclusive: exclusive)
  }

  func unlock(_ file: OpenFile, byte: Int) throws(FileSystemError) {
    try base.unlock(file, byte: byte)
  }

  func random() throws(FileSystemError) -> UInt64 {
    try fault(.random, "a name")
    return try base.random()
  }

  /// A clock that advances by a microsecond with each read.
  func now() -> Int64 {
    state.withLock {
      $0.clock += 1_000
      return $0.clock
    }
  }

  /// Returns immediately.
  func pause(nanoseconds: Int64) {
    state.withLock { $0.paused += nanoseconds }
  }
}
