import CatalogApp
import Foundation
import OpenSwiftData
import SQLiteStores
import Stores

extension Program {
  /// Reads the pipe that a conversion reads from, or the separated values whose records it names.
  ///
  /// JSON and separated values are opened in memory, and the bytes of a log or a database are copied to a temporary
  /// file.
  ///
  /// - Throws: `Failure` for input that cannot be read, or copied.
  mutating func takeSource() throws {
    guard let conversion = options.conversion else { return }
    let source = conversion.source
    let namesRecords = conversion.entity != nil && options.store == nil && Options.isData(source)
    guard namesRecords || source == "-" || services.isStream(source) else { return }
    do {
      let bytes = try source == "-" ? input.readAll() : services.readFile(source)
      let text = try services.decompressed(
        bytes,
        source == "-" ? CatalogServices.inputName : source
      )
      let kind = options.store ?? Self.kind(of: text)
      switch kind {
      case "json" where options.store == nil: inputText = text
      case "csv", "json", "jsonl": (inputText, options.store) = (text, kind)
      default: options.location = try spool(text, kind)
      }
    } catch let failure as Failure {
      throw failure
    } catch  where !(error is Interruption.Stopped) {
      throw Failure(status: 4, message: errorLine(error), code: .inaccessible)
    }
  }

  /// Removes the copy of a pipe.
  func removeSpool() {
    guard let spoolFolder else { return }
    // A file that cannot be removed is left to the system, as other temporary files are.
    try? FileManager.default.removeItem(atPath: spoolFolder)
  }

  /// The kind of store that these bytes are.
  private static func kind(of text: [UInt8]) -> String {
    if LogStore.isLog(text.prefix(FileKind.startBytes)) { return "log" }
    if SQLiteStore.isDatabase(text.prefix(FileKind.startBytes)) { return "sqlite" }
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    let first = TextEncoding.withoutMark(text).first { !space.contains($0) }
    return first == UInt8(ascii: "[") || first == UInt8(ascii: "{") ? "json" : "csv"
  }

  /// Copies bytes to a file that only the user can read, and returns its location.
  private mutating func spool(_ bytes: [UInt8], _ kind: String) throws -> String {
    let folder = NSTemporaryDirectory() + "catalog-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    spoolFolder = folder
    let path = folder + "/" + CatalogServices.inputName
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return kind + ":" + path
  }
}
