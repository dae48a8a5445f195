import CatalogApp
import OpenSwiftData
import Stores

/// The files with the views of stores, in the folder for state.
extension CatalogServices {
  /// A larger file was not written by this program.
  private static let largestViews = 1 << 20

  func viewsPath(of location: String) -> String? {
    guard let viewFolder, let place = try? self.location(location, store: nil) else { return nil }
    return stateName(of: place).map { "\(viewFolder)/\($0)" }
  }

  /// The file with the history of a store that does not keep it itself; nil if none is kept.
  func historyPath(of place: StoreLocation) -> String? {
    guard let historyFolder, history != .none, !place.isURL else { return nil }
    return stateName(of: place, part: place.fragment).map { "\(historyFolder)/\($0)" }
  }

  /// The name of the files with the state of a store; nil for a store in memory.
  func stateName(of place: StoreLocation, part: String? = nil) -> String? {
    let full: String
    if place.isURL {
      full = place.shown
    } else if place.isFile {
      full = (try? fileSystem.resolve(place.path)) ?? place.path
    } else {
      return nil
    }
    let name = full.split(separator: "/").last.map(String.init) ?? "store"
    let letters = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) }
    return "\(letters.prefix(60))-\(Self.digest(of: part.map { full + "#" + $0 } ?? full))"
  }

  /// A short text that differs for different locations.
  private static func digest(of text: String) -> String {
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  func views(of location: String) throws -> String? {
    guard let path = viewsPath(of: location) else { return nil }
    // If the folder does not exist, no views were saved.
    guard let present = (try? fileSystem.statusIfPresent(of: path, in: nil)) ?? nil else {
      return nil
    }
    guard present.kind == .regular, present.owner == owner else {
      throw CommandError("not a regular file of your own")
    }
    guard present.sizeBytes <= Self.largestViews else {
      throw CommandError("the file is larger than 1 MiB")
    }
    let bytes = try readFile(path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("invalid UTF-8")
    }
    return text
  }

  func keepViews(_ text: String?, of location: String) throws {
    guard keepsViews, let path = viewsPath(of: location) else { return }
    if text == nil, ((try? fileSystem.statusIfPresent(of: path, in: nil)) ?? nil) == nil { return }
    try createFolder(of: path)
    try writePrivateFile(path, text ?? ViewBook().text)
  }
}
