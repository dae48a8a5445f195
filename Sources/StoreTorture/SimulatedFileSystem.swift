import DataStoreTesting
package import Stores
import Synchronization

/// A file system in memory that records what is done to it and fails on request.
///
/// It has files, directories and hard links, but no symbolic links. The clock advances by a
/// microsecond with each read and by every pause, and the random numbers come from a seed: the same
/// calls have the same outcome. Safe to call from any thread.
package final class SimulatedFileSystem: FileSystem {
  /// A call that fails.
  package struct Fault: Hashable, Sendable {
    /// The call, counted from 1 since the fault was planned.
    package var call: Int
    package var code: SystemErrorCode
    /// Whether all later calls fail as well.
    package var isPersistent: Bool

    package init(call: Int, code: SystemErrorCode, isPersistent: Bool) {
      self.call = call
      self.code = code
      self.isPersistent = isPersistent
    }
  }

  /// A planted bug, with which instruments prove that they would find it.
  package enum Flaw: Hashable, Sendable, CaseIterable {
    case ignoresFileSync
    case ignoresDirectorySync
    /// A new file gets its name before it is synchronized.
    case renamesBeforeSync
    case removesBeforeRename
    /// A failing write reports success.
    case hidesFailedWrites
    /// A failing rename reports success.
    case hidesFailedRenames
  }

  /// A recorded call.
  package struct Call: Hashable, Sendable {
    package let operation: FileSystemError.Operation
    package let path: String
  }

  struct Descriptor {
    let node: Int
    let path: String
    let canWrite: Bool
  }

  struct LockedByte: Hashable {
    let node: Int
    let byte: Int
  }

  struct State {
    var disk: SimulatedDisk
    var descriptors: [Int32: Descriptor] = [:]
    /// The holder of a byte, and whether its lock is exclusive.
    var locks: [LockedByte: [Int32: Bool]] = [:]
    var lastDescriptor: Int32 = 2
    var clock: Int64 = 1_790_000_000_000_000_000
    var random: SeededGenerator
    var effects: [DiskEffect]?
    var calls: [Call]?
    var callCount = 0
    var fileSyncs = 0
    var directorySyncs = 0
    var interruptions = 0
    var fault: Fault?
    /// The error of the second write and all later ones.
    var laterWriteFailure: SystemErrorCode?
    var writeCount = 0
    var transferLimit = Int.max
    var flaw: Flaw?
    /// Synchronizations that a flaw delays.
    var delayed: [DiskEffect] = []
  }

  let state: Mutex<State>

  /// Starts with a disk; nothing is recorded and no call fails.
  package init(_ disk: SimulatedDisk = SimulatedDisk(), seed: UInt64 = 1, flaw: Flaw? = nil) {
    state = Mutex(State(disk: disk, random: SeededGenerator(seed: seed), flaw: flaw))
  }

  /// The state that a running program sees, durable or not.
  package var disk: SimulatedDisk { state.withLock { $0.disk } }
  /// Files and directories that are open now.
  package var openCount: Int { state.withLock { $0.descriptors.count } }
  /// The calls since the last `plan`.
  package var callCount: Int { state.withLock { $0.callCount } }
  /// The calls since recording began.
  package var calls: [Call] { state.withLock { $0.calls ?? [] } }
  /// The effects on the disk since recording began.
  package var effects: [DiskEffect] { state.withLock { $0.effects ?? [] } }
  /// Synchronizations of files and directories since the last `plan`.
  package var syncCount: Int { state.withLock { $0.fileSyncs + $0.directorySyncs } }

  /// Hidden files of the stores except lock files, which a finished writer must not leave.
  package var temporaryNames: [String] { disk.temporaryNames }

  /// Records from here on.
  package func record() {
    state.withLock {
      $0.effects = []
      $0.calls = []
    }
  }

  /// Adds a mark to the recording.
  package func mark(_ effect: DiskEffect) { state.withLock { $0.effects?.append(effect) } }

  /// Starts counting calls, and fails them as planned; without a plan no call fails.
  ///
  /// A persistent interruption lets every third call pass, because the correct response to an
  /// interruption is to retry.
  ///
  /// - Parameters:
  ///   - fault: The failure.
  ///   - transferLimit: The maximum size of one read or write.
  package func plan(_ fault: Fault? = nil, transferLimit: Int = .max) {
    state.withLock {
      $0.callCount = 0
      $0.fileSyncs = 0
      $0.directorySyncs = 0
      $0.interruptions = 0
      $0.fault = fault
      $0.laterWriteFailure = nil
      $0.transferLimit = transferLimit
    }
  }

  /// Limits the next write to 100 bytes, and fails all later ones.
  package func plan(onSecondWriteFailing code: SystemErrorCode) {
    plan(transferLimit: 100)
    state.withLock {
      $0.writeCount = 0
      $0.laterWriteFailure = code
    }
  }
}

extension SimulatedFileSystem.State {
  /// Counts a call, and fails it if that is planned.
  mutating func begin(_ operation: FileSystemError.Operation, _ path: String)
    throws(FileSystemError)
  {
    callCount += 1
    if calls != nil { calls?.append(SimulatedFileSystem.Call(operation: operation, path: path)) }
    if operation == .write, let laterWriteFailure {
      writeCount += 1
      if writeCount > 1 { throw FileSystemError(operation, path, laterWriteFailure) }
    }
    guard let fault, callCount == fault.call || fault.isPersistent && callCount > fault.call
    else { return }
    if fault.isPersistent, fault.code == .interrupted {
      interruptions += 1
      if interruptions % 3 == 0 { return }
    }
    throw FileSystemError(operation, path, fault.code)
  }

  /// Changes the disk and records it.
  mutating func perform(_ effect: DiskEffect) {
    disk.apply(effect)
    if let node = effect.contentNode { touch(node, isContent: true) }
    if effects != nil { effects?.append(effect) }
  }

  mutating func touch(_ node: Int, isContent: Bool) {
    clock += 1000
    if isContent { disk.nodes[node]?.modifiedNanoseconds = clock }
    disk.nodes[node]?.changedNanoseconds = clock
  }

  func descriptor(_ file: OpenFile, _ operation: FileSystemError.Operation)
    throws(FileSystemError) -> SimulatedFileSystem.Descriptor
  {
    guard let found = descriptors[file.number] else {
      throw FileSystemError(operation, file.path, .badDescriptor)
    }
    return found
  }

  mutating func newDescriptor(_ node: Int, _ path: String, canWrite: Bool) -> OpenFile {
    lastDescriptor += 1
    descriptors[lastDescriptor] = SimulatedFileSystem.Descriptor(
      node: node,
      path: path,
      canWrite: canWrite
    )
    return OpenFile(number: lastDescriptor, path: path)
  }

  func status(_ node: Int) -> FileStatus? {
    guard let file = disk.nodes[node] else { return nil }
    return FileStatus(
      device: 1,
      inode: UInt64(node),
      kind: file.kind,
      sizeBytes: file.bytes.count,
      modifiedNanoseconds: file.modifiedNanoseconds,
      changedNanoseconds: file.changedNanoseconds,
      permissions: file.permissions,
      owner: file.owner,
      group: file.group,
      linkCount: disk.nameCount(of: node)
    )
  }
}
