import CatalogApp
import Stores

/// The file with the lines that were typed into the prompts of the screen.
///
/// It is a convenience: if it cannot be read or written, the history is empty and no error is reported.
struct PromptHistoryFile {
  let services: CatalogServices
  let path: String
  /// A larger file was not written by this program.
  private static let largest = 4 << 20

  /// The lines of earlier runs.
  func read() -> PromptHistory {
    let files = services.fileSystem
    // A file that is missing or cannot be opened counts as empty.
    guard let file = try? files.openRegular(path, in: nil, .read).file else {
      return PromptHistory()
    }
    defer { files.closeQuietly(file) }
    guard let status = try? files.status(of: file), status.owner == services.owner,
      status.sizeBytes <= Self.largest, let bytes = try? files.readAll(file).copy()
    else { return PromptHistory() }
    return PromptHistory(parsing: String(decoding: bytes, as: UTF8.self))
  }

  /// Merges the lines of this run with those that other programs have written since.
  func write(_ history: PromptHistory) {
    guard history.hasNews else { return }
    // If this fails, only the history of the prompts is lost.
    try? services.createFolder(of: path)
    try? services.writePrivateFile(path, history.following(read()).text)
  }
}
