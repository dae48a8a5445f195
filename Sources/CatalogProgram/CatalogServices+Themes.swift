import CatalogApp
import Foundation
import OpenSwiftData

/// The user's themes, in the folder for the configuration.
extension CatalogServices {
  private static let ending = ".theme"

  var themeNames: [String] {
    // A folder that does not exist, or cannot be read, offers no themes.
    let files = themeFolder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) }
    let own = (files ?? []).filter { $0.hasSuffix(Self.ending) }
      .map { String($0.dropLast(Self.ending.count)) }
      .filter { !$0.isEmpty && Theme.named($0) == nil }
    return Theme.names + own.sorted()
  }

  func theme(_ name: String) throws -> Theme {
    if let theme = Theme.named(name) { return theme }
    guard let folder = themeFolder, !name.contains("/"), exists("\(folder)/\(name)\(Self.ending)")
    else {
      let place = themeFolder.map { "; own themes are files \($0)/NAME\(Self.ending)" } ?? ""
      throw CommandError(
        Suggestion.message("unknown theme", name, among: ["auto"] + themeNames) + place
      )
    }
    let path = "\(folder)/\(name)\(Self.ending)"
    let text = try Program.text(of: readFile(path), path)
    do {
      return try ThemeFile.theme(named: name, parsing: text)
    } catch {
      throw CommandError("\(path):\(error)")
    }
  }
}
