import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Opening a JSON file while other programs write it.
@Suite struct JSONBusyFileTests {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws {
    folder = try TemporaryFolder()
    try folder.put("films.json", Array(#"{"Film":[{"title":"Up"}]}"#.utf8))
  }

  private var path: String { folder.file("films.json") }

  private func open() throws -> JSONStore {
    try JSONStore(JSONStoreConfiguration(path: path, lockTimeoutSeconds: 1, fileSystem: files))
  }

  private func titles(_ store: JSONStore) throws -> [Value?] {
    try store.snapshots(matching: Query("Film")).map { $0["title"] }
  }

  /// Every save replaces the file, but the former file can still be read completely.
  @Test func aFileThatIsReplacedWhileItIsReadIsReadOnce() throws {
    let base = files.base
    let folder = folder
    let reads = Counter()
    files.observe { call in
      guard call.operation == .read, call.path.hasSuffix("films.json") else { return }
      let number = reads.next()
      guard number < 200 else { return }
      // The name refers to a different file each time.
      try? folder.put("new", Array(#"{"Film":[{"title":"new \#(number)"}]}"#.utf8))
      try? base.rename(folder.file("new"), to: folder.file("films.json"), in: nil, replacing: true)
    }
    #expect(try titles(open()) == [.text("Up")])
    #expect(reads.next() < 20)
  }

  /// Opening waits for a program that writes to the file in place.
  @Test func aFileThatIsWrittenInPlaceIsWaitedFor() throws {
    let base = files.base
    let path = path
    let count = Counter()
    files.observe { call in
      guard call.operation == .read, call.path.hasSuffix("films.json") else { return }
      guard count.next() < 5 else { return }
      try? base.append([UInt8(ascii: " ")], to: path)
    }
    #expect(try titles(open()) == [.text("Up")])
    #expect(files.pausedNanoseconds > 0)
  }
}
