import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A file whose records would need more memory than there is, is refused after its beginning was read.
@Suite struct JSONMemoryTests {
  /// The error of opening a file that begins with records and is a gigabyte long.
  private func error(availableBytes: Int?, name: String) throws -> PersistenceError? {
    let record = #"{"title": "A title of some length", "year": 1999, "isGood": true}"#
    let isLines = name.hasSuffix("l")
    let text =
      (isLines ? "" : "[") + String(repeating: record + (isLines ? "\n" : ",\n"), count: 6000)
    let fixture = try JSONFixture(text, name: name)
    let file = try FileHandle(forWritingTo: URL(filePath: fixture.path))
    // The rest of the file has no contents, so it takes no space.
    try file.truncate(atOffset: 1_000_000_000)
    try file.close()
    let files = FaultyFileSystem()
    if let availableBytes { files.limitMemory(toBytes: availableBytes) }
    return #expect(throws: PersistenceError.self) {
      _ = try JSONStore(JSONStoreConfiguration(path: fixture.path, fileSystem: files))
    }
  }

  @Test(arguments: ["films.json", "films.jsonl"])
  func aFileThatDoesNotFitIsRefusedBeforeItIsRead(name: String) throws {
    let error = try error(availableBytes: 300_000_000, name: name)
    #expect(error?.code == .limitExceeded)
    let message = error?.message ?? ""
    #expect(message.contains("films.json"))
    #expect(
      message.contains("of memory, 300.0 MB are available; close other programs"),
      "\(message)"
    )
  }

  @Test(arguments: [8_000_000_000, nil])
  func aFileThatFitsIsRead(availableBytes: Int?) throws {
    // The rest of this file is not JSON.
    #expect(try error(availableBytes: availableBytes, name: "films.json")?.code == .damaged)
  }

  @Test func thisMachineHasMemory() throws {
    let bytes = try #require(LocalFileSystem().availableMemoryBytes())
    #expect(bytes > 10_000_000)
  }
}
