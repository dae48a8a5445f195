import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// Schemas can be written to a file and read back.
struct SchemaFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aSchemaComesBackFromItsFile() throws {
    let url = folder.url.appending(path: "trips.schema")
    let schema = Schema([Trip.self, Stop.self], version: Schema.Version(2, 1, 0))
    try Schema([Note.self]).save(to: url)
    try schema.save(to: url)
    let read = try Schema.load(from: url)
    #expect(read == schema)
    #expect(read.entities.map(\.name) == schema.entities.map(\.name))
    #expect(read.encodingVersion == Schema.schemaEncodingVersion)
  }

  @Test func aFileThatIsMissingIsNamed() {
    let url = folder.url.appending(path: "missing.schema")
    let error = #expect(throws: PersistenceError.self) { try Schema.load(from: url) }
    #expect(error?.message.contains("missing.schema") ?? false)
  }
}
