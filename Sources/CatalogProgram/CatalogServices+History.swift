import CatalogApp
import Foundation
import OpenSwiftData
import Stores

/// The folder with the histories of files that have none of their own.
extension CatalogServices {
  /// The file in the folder that tells which file each history belongs to.
  private static let indexName = "paths"

  /// Records to which file a new history belongs, and removes the histories of files that are gone.
  ///
  /// Histories are named by hashes, and values of temporary files would otherwise stay forever. A file counts as gone
  /// if its folder exists without it: a drive may come back.
  func tidyHistories(after location: String?) {
    guard let historyFolder, let location,
      // A location that cannot be read has not been opened.
      let place = try? self.location(location, store: nil), place.isFile,
      let history = historyPath(of: place), exists(history),
      let path = try? fileSystem.resolve(place.path),
      !path.contains(where: { $0.isNewline || $0 == "\t" })
    else { return }
    let index = historyFolder + "/" + Self.indexName
    let entry = "\(history.split(separator: "/").last ?? "")\t\(path)"
    // Without an index, or with one that cannot be read, no history is known to be of a file that is gone.
    let text = (try? String(contentsOfFile: index, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").map(String.init)
    guard !lines.contains(entry) else { return }
    let kept = lines.filter { isPresent($0, in: historyFolder) } + [entry]
    // At worst, the histories stay.
    try? writePrivateFile(index, kept.map { $0 + "\n" }.joined())
  }

  /// False for a line of the index whose file is gone; its history is removed.
  private func isPresent(_ line: String, in historyFolder: String) -> Bool {
    let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
    guard parts.count == 2, !parts[0].contains("/") else { return false }
    let folder = parts[1].split(separator: "/").dropLast().map { "/" + $0 }.joined()
    guard !exists(parts[1]), isFolder(folder.isEmpty ? "/" : folder) else { return true }
    // At worst, the history stays.
    try? FileManager.default.removeItem(atPath: historyFolder + "/" + parts[0])
    return false
  }
}
