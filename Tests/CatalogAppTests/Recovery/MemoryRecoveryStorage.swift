import CatalogApp
import Foundation

/// Recovery files in memory, which outlive the programs that wrote them.
final class MemoryRecoveryStorage: RecoveryStorage {
  /// The recovery files next to a store.
  final class Disk {
    var files: [[String]] = []
    var copies: [[String]] = []
    var aside: [[String]] = []
    /// The files that were set aside.
    var kept: [[String]] = []
    var version: String? = "1"
    var folder = "/"
    var isFull = false
  }

  struct DiskFull: Error, CustomStringConvertible {
    var description: String { "cannot write: no space left on device" }
  }

  let disk: Disk
  let left: [RecoveryFileLines]
  private(set) var rewrites = 0
  private var own: [String]?

  init(_ disk: Disk) {
    self.disk = disk
    left = disk.files.enumerated().map { number, lines in
      RecoveryFileLines(
        path: disk.folder + "store\(number)",
        modified: Date(timeIntervalSince1970: 1_790_000_000),
        lines: lines
      )
    }
  }

  /// Ends the program without cleaning up: what it has written stays.
  func die() {
    if let own { disk.files.append(own) }
    own = nil
  }

  var ownLines: [String]? { own }
  var ownPath: String? { own == nil ? nil : "/own" }
  var storeVersion: String? { disk.version }

  func append(_ lines: any Sequence<String>) throws -> Int {
    let lines = Array(lines)
    if disk.isFull { throw DiskFull() }
    own = (own ?? []) + lines
    return own?.joined().utf8.count ?? 0
  }

  func replace(with lines: any Sequence<String>, takingOver: Bool) throws -> Int {
    let lines = Array(lines)
    if disk.isFull { throw DiskFull() }
    rewrites += 1
    own = lines
    if takingOver { disk.files = [] }
    return lines.joined().utf8.count
  }

  func synchronize() throws {}
  func removeOwnFile() throws { own = nil }

  func setOwnFileAside() {
    if let own { disk.files.append(own) }
    own = nil
  }

  func keepFiles(_ paths: Set<String>) {
    for lines in left where paths.contains(lines.path) {
      disk.kept.append(lines.lines)
      disk.files.removeAll { $0 == lines.lines }
    }
  }

  func copyFound() throws -> [String] {
    disk.copies += disk.files
    return disk.files.map { _ in "/copy" }
  }

  func removeFound() throws { disk.files = [] }

  func setFoundAside() throws -> [String] {
    disk.aside = disk.files
    disk.files = []
    return disk.aside.map { _ in "/aside" }
  }
}
