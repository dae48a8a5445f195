import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Files whose records exceed the available memory are rejected early.
@Suite struct JSONMemoryTests {
  /// The error of opening a file that begins with records.
  private func error(availableBytes: Int?, sizeBytes: UInt64 = 1_000_000_000, name: String) throws
    -> PersistenceError?
  {
    let record = #"{"title": "A title of some length", "year": 1999, "isGood": true}"#
    let isLines = name.hasSuffix("l")
    let text =
      (isLines ? "" : "[") + String(repeating: record + (isLines ? "\n" : ",\n"), count: 6000)
    let fixture = try JSONFixture(text, name: name)
    let file = try FileHandle(forWritingTo: URL(filePath: fixture.path))
    // The rest of the file has no contents, so it takes no space.
    try file.truncate(atOffset: sizeBytes)
    try file.close()
    let files = FaultyFileSystem()
    if let availableBytes { files.limitMemory(toBytes: availableBytes) }
    return #expect(throws: PersistenceError.self) {
      _ = try JSONStore(JSONStoreConfiguration(path: fixture.path, fileSystem: files))
    }
  }

  @Test(arguments: ["films.json", "films.jsonl"])
  func rejectsFilesLargerThanMemoryEarly(name: String) throws {
    let error = try error(availableBytes: 300_000_000, name: name)
    #expect(error?.code == .limitExceeded)
    let message = error?.message ?? ""
    #expect(message.contains("films.json"))
    #expect(
      message.contains("required, 300.0 MB available; close other programs"),
      "\(message)"
    )
  }

  @Test(arguments: [8_000_000_000, nil])
  func readsFilesThatFitInMemory(availableBytes: Int?) throws {
    // The rest of this file is not JSON.
    let error = try error(
      availableBytes: availableBytes,
      sizeBytes: 20_000_000,
      name: "films.json"
    )
    #expect(error?.code == .damaged)
  }

  /// Formerly room was reserved for a table of 250 columns and as many rows as empty records would fit into the file.
  @Test func reservesNoMoreThanTheFileNeeds() throws {
    let wide = "{" + (0..<250).map { "\"k\($0)\": \($0)" }.joined(separator: ", ") + "}"
    let rest = #"{"k0": 1, "text": "\#(String(repeating: "x", count: 400))"}"#
    let records =
      [wide] + Array(repeating: "{}", count: 11_250) + Array(repeating: rest, count: 1_250)
    let text = records.joined(separator: "\n")
    let store = try JSONFixture(text, name: "films.jsonl").open()
    let reserved = store.withSession { state in
      state.content.table.tables[0].columns.reduce(0) { $0 + 8 * $1.words.capacity }
    }
    // Arrays that grow have up to twice the room that they need.
    let needed = 8 * records.count * 251
    #expect(reserved < 3 * needed, "\(reserved) bytes for \(needed)")
  }

  @Test func reportsAvailableMemory() throws {
    let bytes = try #require(LocalFileSystem().availableMemoryBytes())
    #expect(bytes > 10_000_000)
  }
}
