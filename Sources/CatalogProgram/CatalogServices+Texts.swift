import CatalogApp
import OpenSwiftData
import Stores

extension CatalogServices {
  /// The name of the standard input in messages and on the screen.
  static let inputName = "standard input"

  /// Opens text that does not come from a file: JSON, JSON Lines, or separated values.
  ///
  /// Changes stay in memory; `saveas` saves them.
  ///
  /// - Throws: The error of the store.
  func open(_ text: [UInt8], name: String, fileName: String, entityName: String) throws
    -> OpenedStore
  {
    let configuration = TextForm.configuration(
      text,
      name: name,
      fileName: fileName,
      entityName: entityName
    )
    return OpenedStore(
      container: try ModelContainer(configurations: configuration),
      name: name.split(separator: "/").last.map(String.init) ?? name,
      exists: true,
      isLasting: true
    )
  }

  /// Opens the records of a compressed file, which is never written; nil for any other file.
  ///
  /// - Throws: `CommandError` for a kind of file that cannot be opened, or the error of the store.
  func openCompressed(_ location: StoreLocation) throws -> OpenedStore? {
    guard location.isFile, location.kind == "json" || location.kind == "csv" else { return nil }
    let start = FileKind.start(of: location.path)
    if let kind = FileKind(startingWith: start) { throw kind.refusal(of: location.path) }
    guard let compression = CompressedFile(startingWith: start) else { return nil }
    let limit = (fileSystem.availableMemoryBytes() ?? 1 << 32) / 3
    let text = try compression.decompress(
      readFile(location.path),
      path: location.path,
      limitBytes: limit
    )
    let name = CompressedFile.innerName(of: location.path)
    let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
    return try open(
      text,
      name: location.path,
      fileName: location.kind == "csv" && !name.lowercased().hasSuffix(".tsv")
        ? name + ".csv" : name,
      entityName: dot.map { String(name[..<$0]) } ?? name
    )
  }
}
