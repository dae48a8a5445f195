import CatalogApp
import Foundation
import OpenSwiftData
import Stores

/// Stores and files in a temporary folder, which is removed at the end of the test.
final class FolderServices: Services {
  let path = NSTemporaryDirectory() + "catalog-stop-" + UUID().uuidString
  var author: String? { "ada" }
  var outputWidth: Int? { nil }

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // Files that cannot be removed are left for the system to clean up.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { path + "/" + name }

  /// The bytes of the files in the folder, without those that only hold a lock.
  func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    return try Dictionary(
      uniqueKeysWithValues: names.filter { !$0.hasSuffix(".lock") }.map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: file($0))))
      }
    )
  }

  func open(_ location: String, schema: Schema?, isReadOnly: Bool) throws -> OpenedStore {
    let exists = FileManager.default.fileExists(atPath: file(location))
    let container =
      location.hasSuffix(".catlog")
      ? try ModelContainer(
        configurations: LogStoreConfiguration(
          path: file(location),
          schema: schema,
          durability: .processDeath,
          history: .last(1)
        )
      )
      : try ModelContainer(
        configurations: JSONStoreConfiguration(
          path: file(location),
          form: location.hasSuffix(".csv") ? .delimited : .json,
          schema: schema
        )
      )
    return OpenedStore(container: container, name: location, exists: exists)
  }

  func readFile(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: file(path))))
  }

  func delimitedText(_ bytes: [UInt8], promised: UInt8?, reading: ReadingOptions) throws
    -> DelimitedText
  {
    try DelimitedText(reading: bytes, promised: promised, options: reading)
  }

  func writeFile(_ path: String, _ body: (_ write: OutputSink) throws -> Void) throws {
    let replacement = FileReplacement(
      fileSystem: LocalFileSystem(),
      path: file(path),
      excludesOthers: false
    )
    _ = try replacement.create { sink in try body { try sink.write($0) } }
  }
}

extension FolderServices {
  /// Another session on a store, with the entity of the tests.
  func session(on location: String, entity: String = "Item") throws -> Session {
    Session(
      container: try open(location, schema: nil, isReadOnly: false).container,
      storeName: location,
      entityName: entity,
      services: self,
      format: .tsv
    )
  }
}
