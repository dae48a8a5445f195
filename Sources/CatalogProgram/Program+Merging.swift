import CatalogApp
import Foundation
import OpenSwiftData
import Terminal

/// The arguments of `catalog merge`.
struct Merge: Equatable {
  let base: String
  let ours: String
  let theirs: String
  /// The fields that alone decide which record is which; empty to find them out.
  private(set) var keys: [String] = []

  /// The name of the file in messages, whose ending tells what it contains: git merges copies with other names.
  private(set) var name: String

  /// Reads the words after `merge`; nil if they are not of this form.
  init?(_ words: [String]) {
    guard words.count >= 3 else { return nil }
    (base, ours, theirs) = (words[0], words[1], words[2])
    name = ours
    var rest = words.dropFirst(3)
    while let word = rest.popFirst() {
      guard let operand = rest.popFirst(), !operand.isEmpty else { return nil }
      switch word.lowercased() {
      case "by" where keys.isEmpty: keys = operand.split(separator: ",").map(String.init)
      case "as": name = operand
      default: return nil
      }
    }
  }
}

extension Program {
  /// Merges the changes from BASE to THEIRS into OURS.
  ///
  /// - Returns: 0 if everything was merged, 1 if there are conflicts, which are marked in OURS then.
  /// - Throws: `Failure` with a status above 128, which tells git that nothing was merged, if a file cannot be read or
  ///   written.
  func run(_ merge: Merge) throws -> Int32 {
    let folder = NSTemporaryDirectory() + "catalog-" + UUID().uuidString
    defer {
      // Files that cannot be removed are left to the system, as other temporary files are.
      try? FileManager.default.removeItem(atPath: folder)
    }
    StopSignals.catchThem()
    defer { StopSignals.release() }
    do {
      return try watch.whole { _ in try watch.run("merge") { try self.merge(merge, in: folder) } }
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch {
      throw Failure(
        status: Self.statusOfFailedMerge,
        message: "merge \(merge.name): \(errorLine(error)); nothing was written",
        code: .inaccessible
      )
    }
  }

  private func merge(_ merge: Merge, in folder: String) throws -> Int32 {
    let versions = FileMerge.Versions(
      base: try services.readFile(merge.base),
      ours: try services.readFile(merge.ours),
      theirs: try services.readFile(merge.theirs)
    )
    let result = try FileMerge(
      versions,
      name: merge.name.split(separator: "/").last.map(String.init) ?? merge.name,
      by: merge.keys,
      reading: options.reading,
      in: folder
    )
    if result.text != versions.ours {
      try services.writeFile(merge.ours) { write in try result.text.withUnsafeBytes(write) }
    }
    for line in result.report(merge.name) { complain(line) }
    return result.conflicts.isEmpty ? 0 : 1
  }

  /// Git takes 1 to 128 for conflicts.
  private static let statusOfFailedMerge: Int32 = 129
}
