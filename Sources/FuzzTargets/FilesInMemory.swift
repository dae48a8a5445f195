import CatalogApp
import OpenSwiftData
import Stores

/// Services whose files are in memory, by path.
protocol FilesInMemory: Services, AnyObject {
  /// The bytes of every file.
  var files: [String: [UInt8]] { get set }
}

extension FilesInMemory {
  func readFile(_ path: String) throws -> [UInt8] {
    guard let bytes = files[path] else {
      throw PersistenceError(.inaccessible, "cannot open \(path): no such file")
    }
    return bytes
  }

  func writeFile(_ path: String, _ body: (_ write: OutputSink) throws -> Void) throws {
    var bytes: [UInt8] = []
    try body { bytes += $0 }
    files[path] = bytes
  }

  func delimitedText(_ bytes: [UInt8], promised: UInt8?, reading: ReadingOptions) throws
    -> DelimitedText
  {
    try DelimitedText(reading: bytes, promised: promised, options: reading)
  }
}
