package import Stores
import Synchronization

extension SimulatedFileSystem {
  /// Makes one call: counts it, and fails it if that is planned.
  private func call<Result: Sendable>(
    _ operation: FileSystemError.Operation,
    _ path: String,
    _ body: (inout State) throws(FileSystemError) -> Result
  ) throws(FileSystemError) -> Result {
    try state.withLock { (state) throws(FileSystemError) -> Result in
      try state.begin(operation, path)
      return try body(&state)
    }
  }

  private func path(_ name: String, in directory: OpenFile?) -> String {
    directory.map { joinPath($0.path, name) } ?? name
  }

  package func open(_ name: String, in directory: OpenFile?, _ mode: OpenMode)
    throws(FileSystemError) -> OpenFile
  {
    let path = path(name, in: directory)
    guard case .create(let permissions) = mode else {
      return try call(.open, path) { (state) throws(FileSystemError) in
        guard let node = state.disk.node(at: path) else {
          throw FileSystemError(.open, path, .notFound)
        }
        let isDirectory = state.disk.nodes[node]?.kind == .directory
        guard !isDirectory || mode == .read else {
          throw FileSystemError(.open, path, .isADirectory)
        }
        return state.newDescriptor(node, path, canWrite: mode == .readWrite)
      }
    }
    return try call(.create, path) { (state) throws(FileSystemError) in
      let node = try state.create(path, .regular, permissions, .create)
      return state.newDescriptor(node, path, canWrite: true)
    }
  }

  package func openDirectory(_ path: String) throws(FileSystemError) -> OpenFile {
    try call(.open, path) { (state) throws(FileSystemError) in
      guard let node = state.disk.node(at: path) else {
        throw FileSystemError(.open, path, .notFound)
      }
      guard state.disk.nodes[node]?.kind == .directory else {
        throw FileSystemError(.open, path, .notADirectory)
      }
      return state.newDescriptor(node, path, canWrite: false)
    }
  }

  /// Closes even if it reports an error, as Linux does, close(2).
  package func close(_ file: OpenFile) throws(FileSystemError) {
    try state.withLock { (state) throws(FileSystemError) in
      let known = state.descriptors.removeValue(forKey: file.number)
      for byte in state.locks.keys { state.locks[byte]?[file.number] = nil }
      try state.begin(.close, file.path)
      guard known != nil else { throw FileSystemError(.close, file.path, .badDescriptor) }
    }
  }

  package func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
    try call(.inspect, file.path) { (state) throws(FileSystemError) in
      guard let status = state.status(try state.descriptor(file, .inspect).node) else {
        throw FileSystemError(.inspect, file.path, .badDescriptor)
      }
      return status
    }
  }

  package func status(of name: String, in directory: OpenFile?) throws(FileSystemError)
    -> FileStatus
  {
    let path = path(name, in: directory)
    return try call(.inspect, path) { (state) throws(FileSystemError) in
      guard let node = state.disk.node(at: path), let status = state.status(node) else {
        throw FileSystemError(.inspect, path, .notFound)
      }
      return status
    }
  }

  package func read(
    _ file: OpenFile,
    at offset: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    try call(.read, file.path) { (state) throws(FileSystemError) in
      let node = try state.descriptor(file, .read).node
      let bytes = state.disk.nodes[node]?.bytes ?? []
      let count = max(0, min(buffer.count, bytes.count - offset, state.transferLimit))
      if count > 0 { buffer.copyBytes(from: bytes[offset..<offset + count]) }
      return count
    }
  }

  package func write(_ file: OpenFile, at offset: Int, _ bytes: UnsafeRawBufferPointer)
    throws(FileSystemError) -> Int
  {
    do {
      return try call(.write, file.path) { (state) throws(FileSystemError) in
        let node = try state.writable(file, .write)
        let count = min(bytes.count, state.transferLimit)
        if count > 0 {
          state.perform(.write(node: node, offset: offset, bytes: Array(bytes.prefix(count))))
        }
        return count
      }
    } catch {
      guard state.withLock({ $0.flaw == .hidesFailedWrites }) else { throw error }
      return bytes.count
    }
  }

  package func truncate(_ file: OpenFile, to sizeBytes: Int) throws(FileSystemError) {
    try call(.truncate, file.path) { (state) throws(FileSystemError) in
      let node = try state.writable(file, .truncate)
      state.perform(.truncate(node: node, sizeBytes: sizeBytes))
    }
  }

  package func synchronize(_ file: OpenFile) throws(FileSystemError) {
    try call(.synchronize, file.path) { (state) throws(FileSystemError) in
      let node = try state.descriptor(file, .synchronize).node
      state.fileSyncs += 1
      switch state.flaw {
      case .ignoresFileSync: break
      case .renamesBeforeSync: state.delayed.append(.synchronize(node: node))
      default: state.perform(.synchronize(node: node))
      }
    }
  }

  package func synchronizeData(_ file: OpenFile) throws(FileSystemError) {
    try call(.synchronize, file.path) { (state) throws(FileSystemError) in
      let node = try state.descriptor(file, .synchronize).node
      state.fileSyncs += 1
      if state.flaw != .ignoresFileSync { state.perform(.synchronize(node: node)) }
    }
  }

  package func synchronizeDirectory(_ directory: OpenFile) throws(FileSystemError) {
    try call(.synchronize, directory.path) { (state) throws(FileSystemError) in
      _ = try state.descriptor(directory, .synchronize)
      state.directorySyncs += 1
      if state.flaw != .ignoresDirectorySync {
        state.perform(.synchronizeDirectory(path: directory.path))
      }
    }
  }

  package func rename(
    _ name: String,
    to newName: String,
    in directory: OpenFile?,
    replacing: Bool
  ) throws(FileSystemError) {
    let from = path(name, in: directory)
    let to = path(newName, in: directory)
    do {
      try call(.rename, from) { (state) throws(FileSystemError) in
        try state.rename(from, to, replacing: replacing)
      }
    } catch {
      guard state.withLock({ $0.flaw == .hidesFailedRenames }) else { throw error }
    }
  }

  package func link(_ name: String, to newName: String, in directory: OpenFile?)
    throws(FileSystemError)
  {
    let from = path(name, in: directory)
    let to = path(newName, in: directory)
    try call(.link, from) { (state) throws(FileSystemError) in
      let node = try state.existing(from, .link)
      guard state.disk.node(at: to) == nil else { throw FileSystemError(.link, from, .exists) }
      state.perform(.link(path: to, node: node))
      state.touch(node, isContent: false)
    }
  }

  package func remove(_ name: String, in directory: OpenFile?) throws(FileSystemError) {
    let path = path(name, in: directory)
    try call(.remove, path) { (state) throws(FileSystemError) in
      let node = try state.existing(path, .remove)
      state.perform(.remove(path: path))
      state.touch(node, isContent: false)
    }
  }

  package func createDirectory(_ path: String, permissions: UInt32) throws(FileSystemError) {
    try call(.createDirectory, path) { (state) throws(FileSystemError) in
      _ = try state.create(path, .directory, permissions, .createDirectory)
    }
  }

  package func list(_ directory: OpenFile) throws(FileSystemError) -> [String] {
    try call(.list, directory.path) { (state) throws(FileSystemError) in
      _ = try state.descriptor(directory, .list)
      return state.disk.list(directory.path)
    }
  }

  package func resolve(_ path: String) throws(FileSystemError) -> String {
    try call(.resolve, path) { (state) throws(FileSystemError) in
      guard path.hasPrefix("/"), state.disk.node(at: splitPath(path).directory) != nil else {
        throw FileSystemError(.resolve, path, .notFound)
      }
      return path
    }
  }
}

// MARK: Status, locks and other calls

extension SimulatedFileSystem {
  package func changePermissions(_ file: OpenFile, to permissions: UInt32)
    throws(FileSystemError)
  {
    try call(.changeMode, file.path) { (state) throws(FileSystemError) in
      let node = try state.descriptor(file, .changeMode).node
      state.disk.nodes[node]?.permissions = permissions
      state.touch(node, isContent: false)
    }
  }

  package func changeOwner(_ file: OpenFile, owner: UInt32?, group: UInt32?)
    throws(FileSystemError)
  {
    try call(.changeOwner, file.path) { (state) throws(FileSystemError) in
      let node = try state.descriptor(file, .changeOwner).node
      if let owner { state.disk.nodes[node]?.owner = owner }
      if let group { state.disk.nodes[node]?.group = group }
      state.touch(node, isContent: false)
    }
  }

  /// Files have no extended attributes here.
  package func copyAttributes(from source: OpenFile, to target: OpenFile)
    throws(FileSystemError) -> Int
  {
    try call(.copyAttributes, source.path) { (state) throws(FileSystemError) in
      _ = try state.descriptor(source, .copyAttributes)
      return 0
    }
  }

  package func isNetworkFile(_ file: OpenFile) throws(FileSystemError) -> Bool {
    try call(.inspect, file.path) { (_) throws(FileSystemError) in false }
  }

  /// As on Linux, two of the errors mean that another opening holds the byte, fcntl(2).
  package func lock(_ file: OpenFile, byte: Int, exclusive: Bool) throws(FileSystemError) -> Bool {
    do {
      return try call(.lock, file.path) { (state) throws(FileSystemError) in
        let node = try state.descriptor(file, .lock).node
        let place = LockedByte(node: node, byte: byte)
        var holders = state.locks[place] ?? [:]
        holders[file.number] = nil
        guard !holders.values.contains(true), !exclusive || holders.isEmpty else { return false }
        state.locks[place, default: [:]][file.number] = exclusive
        return true
      }
    } catch  where error.code == .wouldBlock || error.code == .accessDenied {
      return false
    }
  }

  package func unlock(_ file: OpenFile, byte: Int) throws(FileSystemError) {
    try call(.lock, file.path) { (state) throws(FileSystemError) in
      let node = try state.descriptor(file, .lock).node
      state.locks[LockedByte(node: node, byte: byte)]?[file.number] = nil
    }
  }

  package func random() throws(FileSystemError) -> UInt64 {
    try call(.random, "a name") { (state) throws(FileSystemError) in state.random.next() }
  }

  package func now() -> Int64 {
    state.withLock {
      $0.clock += 1000
      return $0.clock
    }
  }

  /// Returns immediately; only the clock advances.
  package func pause(nanoseconds: Int64) { state.withLock { $0.clock += nanoseconds } }
}

extension SimulatedFileSystem.State {
  mutating func rename(_ from: String, _ to: String, replacing: Bool) throws(FileSystemError) {
    let node = try existing(from, .rename)
    guard replacing || disk.node(at: to) == nil else {
      throw FileSystemError(.rename, from, .exists)
    }
    if flaw == .removesBeforeRename, replacing { perform(.remove(path: to)) }
    perform(.rename(from: from, to: to, node: node))
    for effect in delayed { perform(effect) }
    delayed = []
    touch(node, isContent: false)
  }

  func existing(_ path: String, _ operation: FileSystemError.Operation)
    throws(FileSystemError) -> Int
  {
    guard let node = disk.node(at: path) else { throw FileSystemError(operation, path, .notFound) }
    return node
  }

  func writable(_ file: OpenFile, _ operation: FileSystemError.Operation)
    throws(FileSystemError) -> Int
  {
    let found = try descriptor(file, operation)
    guard found.canWrite else { throw FileSystemError(operation, file.path, .badDescriptor) }
    return found.node
  }

  mutating func create(
    _ path: String,
    _ kind: FileKind,
    _ permissions: UInt32,
    _ operation: FileSystemError.Operation
  ) throws(FileSystemError) -> Int {
    guard disk.node(at: splitPath(path).directory) != nil else {
      throw FileSystemError(operation, path, .notFound)
    }
    guard disk.node(at: path) == nil else { throw FileSystemError(operation, path, .exists) }
    let node = disk.newNode()
    perform(.create(path: path, node: node, kind: kind, permissions: permissions))
    touch(node, isContent: true)
    return node
  }
}
