import CatalogApp
import OpenSwiftData
import Stores

extension CatalogServices {
  /// The name of the standard input in messages and on the screen.
  static let inputName = "standard input"

  /// Opens text that does not come from a file: JSON, JSON Lines, or separated values.
  ///
  /// Changes stay in memory; `saveas` saves them. There are none if `readOnlyReason` tells why.
  ///
  /// - Throws: The error of the store.
  func open(
    _ text: [UInt8],
    name: String,
    fileName: String,
    entityName: String,
    readOnlyReason: String? = nil,
    isPipe: Bool = false,
    reading: ReadingOptions? = nil
  ) throws -> OpenedStore {
    if let kind = FileKind(startingWith: text, name: fileName) { throw kind.refusal(of: name) }
    var configuration = TextForm.configuration(
      text,
      name: name,
      fileName: fileName,
      entityName: entityName,
      isPipe: isPipe
    )
    try requireSeparatedValues(configuration.form == .delimited, name, reading)
    configuration.reading = reading ?? ReadingOptions()
    return try certain(
      OpenedStore(
        container: try ModelContainer(configurations: configuration),
        name: name.split(separator: "/").last.map(String.init) ?? name,
        exists: true,
        isLasting: true,
        readOnlyReason: readOnlyReason
      )
    )
  }

  func open(_ text: [UInt8], named name: String) throws -> OpenedStore {
    let text = try decompressed(text, name)
    return try open(
      text,
      name: name,
      fileName: Program.fileName(of: text, name, nil),
      entityName: "Record",
      isPipe: true
    )
  }

  /// The text in compressed bytes; other bytes as they are.
  ///
  /// - Throws: `CommandError` for damaged bytes, and for a text that does not fit into memory.
  func decompressed(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
    guard let compression = CompressedFile(startingWith: bytes.prefix(FileKind.startBytes)) else {
      return bytes
    }
    let limit = (fileSystem.availableMemoryBytes() ?? 1 << 32) / 3
    return try compression.decompress(bytes, path: name, limitBytes: limit)
  }

  /// The name of a file without its folder, and without the extension of its compression.
  func plainName(of path: String) -> String { CompressedFile.innerName(of: path) }

  /// Finds out how separated values are written, as their store does.
  func delimitedText(_ bytes: [UInt8], promised: UInt8?, reading: ReadingOptions) throws
    -> DelimitedText
  {
    let text = try DelimitedText(reading: bytes, promised: promised, options: reading)
    guard refusesDoubt, let doubt = text.doubts.first else { return text }
    throw DelimitedText.Fault(offset: 0, Self.refusal(of: doubt))
  }

  /// Opens the records of a compressed file, which is never written; nil for any other file.
  ///
  /// - Throws: `CommandError` for a kind of file that cannot be opened, or the error of the store.
  func openCompressed(_ location: StoreLocation, _ reading: ReadingOptions?) throws -> OpenedStore?
  {
    guard location.isFile, location.kind == "json" || location.kind == "csv" else { return nil }
    let start = FileKind.start(of: location.path)
    // Whoever names the kind of the store means it.
    let name = location.kind == "json" ? location.path : ""
    if let kind = FileKind(startingWith: start, name: name) {
      throw kind.refusal(of: location.path)
    }
    guard CompressedFile(startingWith: start[...]) != nil else { return nil }
    let text = try decompressed(readFile(location.path), location.path)
    let inner = CompressedFile.innerName(of: location.path)
    let dot = inner.lastIndex(of: ".").flatMap { $0 == inner.startIndex ? nil : $0 }
    return try open(
      text,
      name: location.path,
      fileName: location.kind == "csv" && DelimitedText.delimiter(promisedBy: inner) == nil
        ? inner + ".csv" : inner,
      entityName: dot.map { String(inner[..<$0]) } ?? inner,
      readOnlyReason: "compressed file",
      reading: reading
    )
  }
}
