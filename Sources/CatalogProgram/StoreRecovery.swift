import CatalogApp
import Foundation
import Stores

/// The recovery files next to a store: those of crashed runs, and the one of this run.
final class StoreRecovery: RecoveryStorage {
  private let folder: RecoveryFolder
  private var foundFiles: [RecoveryFile]
  private var own: RecoveryFile?

  let left: [RecoveryFileLines]
  let process: RecoveryProcess?
  var ownPath: String? { own?.path }

  /// Finds and locks the recovery files of crashed runs next to the store.
  ///
  /// - Throws: `FileSystemError`.
  init(
    fileSystem: any FileSystem,
    storePath: String,
    owner: UInt32,
    process: RecoveryProcess? = nil
  ) throws {
    self.process = process
    folder = try RecoveryFolder(fileSystem: fileSystem, storePath: storePath, owner: owner)
    foundFiles = folder.abandoned { line in
      RecoveryProcess(header: line).map(ProcessState.isLeaving) ?? false
    }
    // A file without a line was created but never written: removing it loses nothing.
    for file in foundFiles where file.sizeBytes == 0 { try? file.remove() }
    foundFiles.removeAll { $0.sizeBytes == 0 }
    left = foundFiles.map { file in
      RecoveryFileLines(
        path: file.path,
        modified: Date(timeIntervalSince1970: Double(file.modifiedNanoseconds / 1_000_000_000)),
        lines: file.lines,
        damagedBytes: file.damagedBytes
      )
    }
  }

  var storeVersion: String? {
    folder.storeStatus.map { "\($0.sizeBytes) bytes, changed \($0.modifiedNanoseconds)" }
  }

  func append(_ lines: any Sequence<String>) throws -> Int {
    let file = try ownFile()
    try file.append(lines)
    return file.sizeBytes
  }

  func replace(with lines: any Sequence<String>, takingOver: Bool) throws -> Int {
    if takingOver, own == nil, !foundFiles.isEmpty { own = foundFiles.removeFirst() }
    let file = try ownFile()
    try file.replace(with: lines)
    if takingOver { try removeFound() }
    return file.sizeBytes
  }

  var lineWriter: (@Sendable (String) -> Void)? {
    guard let file = own else { return nil }
    return { line in
      // A save is not given up because a crash in the next moment might repeat it.
      try? file.append([line])
      try? file.synchronize()
    }
  }

  private func ownFile() throws -> RecoveryFile {
    if let own { return own }
    let new = try folder.create()
    own = new
    return new
  }

  func synchronize() throws { try own?.synchronize() }

  func removeOwnFile() throws {
    try own?.remove()
    own = nil
  }

  func setOwnFileAside() {
    if let own { foundFiles.append(own) }
    own = nil
  }

  func keepFiles(_ paths: Set<String>) { foundFiles.removeAll { paths.contains($0.path) } }

  func copyFound() throws -> [String] {
    let stamp = UInt64(max(0, folder.nowNanoseconds))
    return try foundFiles.enumerated().map { place, file in
      try file.keepCopy(as: ".catalog-recovery.conflicts-\(stamp + UInt64(place))")
    }
  }

  func removeFound() throws {
    for file in foundFiles { try file.remove() }
    foundFiles = []
  }

  func setFoundAside() throws -> [String] {
    defer { foundFiles = [] }
    return try foundFiles.enumerated().map { number, file in
      // Each file keeps its own copy.
      let suffix = number == 0 ? "" : "-\(number + 1)"
      return try file.putAside(as: ".catalog-recovery.discarded" + suffix)
    }
  }
}
