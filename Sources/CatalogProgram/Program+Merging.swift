import CatalogApp
import Foundation
import OpenSwiftData
import Stores
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
      case "by" where keys.isEmpty:
        keys = operand.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      case "as": name = operand
      default: return nil
      }
    }
  }
}

extension Program {
  /// Merges the changes from BASE to THEIRS into OURS.
  ///
  /// - Returns: 0 if everything was merged; 1 if there are conflicts, which are marked in OURS then: single records, or both
  ///   versions as a whole, because a merge could lose something.
  /// - Throws: `Failure` with a status above 128, which tells git that nothing was merged, if a file cannot be read or
  ///   written.
  func run(_ merge: Merge) throws -> Int32 {
    StopSignals.catchThem()
    defer { StopSignals.release() }
    do {
      return try watch.whole { _ in try watch.run("merge") { try self.merge(merge) } }
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

  private func merge(_ merge: Merge) throws -> Int32 {
    let texts = try [merge.base, merge.ours, merge.theirs].map { try services.readFile($0) }
    let result: FileMerge
    do {
      result = try FileMerge(texts, form(merge.name), by: merge.keys)
    } catch let refusal as MergeRefusal where !texts.joined().contains(0) {
      // Without markers, git would take ours for what was decided, where it merges ancestors.
      try write(FileMerge.unmerged(texts[1], texts[2]), to: merge)
      complain("\(merge.name): not merged, both versions are marked: \(errorLine(refusal))")
      return 1
    }
    if result.text != texts[1] { try write(result.text, to: merge) }
    let conflicts = result.conflicts
    if conflicts.isEmpty { return 0 }
    complain("\(merge.name): \(counted(conflicts.count, "conflict")), marked in the file")
    for conflict in conflicts.prefix(20) { complain("\(merge.name): \(errorLine(conflict))") }
    if conflicts.count > 20 { complain("\(merge.name): … and \(conflicts.count - 20) more") }
    return 1
  }

  private func write(_ text: [UInt8], to merge: Merge) throws {
    try services.writeFile(merge.ours) { write in try text.withUnsafeBytes(write) }
  }

  /// What files contain, by the ending of their name.
  private func form(_ name: String) throws -> MergeForm {
    switch name.split(separator: ".").last?.lowercased() {
    case "json": return .json
    case "jsonl", "ndjson": return .lines
    case "csv", "tsv", "tab", "psv":
      let promised = DelimitedText.delimiter(promisedBy: name)
      return .separated(options.reading ?? ReadingOptions(), promised: promised)
    default:
      throw MergeRefusal("the name does not tell what is in the file; add as NAME.csv or the like")
    }
  }

  /// Git takes 1 to 128 for conflicts.
  private static let statusOfFailedMerge: Int32 = 129
}
