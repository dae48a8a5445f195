import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// The notes for the user about the location of a JSON file.
@Suite struct JSONNoteTests {
  private let files = FaultyFileSystem()
  private let fixture: JSONFixture

  init() throws { fixture = try JSONFixture(#"[{"title": "Up"}]"#) }

  private func open(isReadOnly: Bool = false) throws -> JSONStore {
    try JSONStore(
      JSONStoreConfiguration(path: fixture.path, isReadOnly: isReadOnly, fileSystem: files)
    )
  }

  @Test func aFileThatEverybodyMayWriteIsNoted() throws {
    for (mode, count) in [(0o600, 0), (0o664, 0), (0o666, 1)] as [(UInt32, Int)] {
      try #require(chmod(fixture.path, mode) == 0)
      #expect(try open().openingNotes.count == count, "\(mode)")
    }
  }

  // Covers E17.
  @Test func aNetworkFileSystemIsNoted() throws {
    #expect(try open().openingNotes == [])
    files.pretendNetwork()
    #expect(try open().openingNotes.first?.contains("one program at a time") == true)
  }

  @Test(arguments: [SystemErrorCode.accessDenied, .readOnly, .notPermitted])
  func aFileThatMayNotBeWrittenIsNoted(code: SystemErrorCode) throws {
    let opened = Counter()
    files.inject {
      // The first call opens the file for reading.
      $0.operation == .open && $0.path.hasSuffix("films.json") && opened.next() > 1
        ? .fail(code) : .none
    }
    let store = try open()
    #expect(store.openingNotes.count == 1)
    #expect(store.openingNotes.first?.contains("read-only") == true)
    #expect(try store.records().count == 1)
    #expect(throws: PersistenceError.self) { try store.commit([.delete(0)]) }
    let again = Counter()
    files.inject {
      $0.operation == .open && $0.path.hasSuffix("films.json") && again.next() > 1
        ? .fail(code) : .none
    }
    #expect(try open(isReadOnly: true).openingNotes == [])
    files.inject()
    try store.commit([.set(0, "title", .text("Coco"))])
    #expect(try fixture.text == #"[{"title": "Coco"}]"#)
    #expect(files.openCount == 0)
  }

  // Covers E17.
  @Test(arguments: [SystemErrorCode.invalid, .notSupported])
  func aFolderThatCannotBeSynchronizedIsNotedOnceAndNoFailure(code: SystemErrorCode) throws {
    let folder = try files.resolve(fixture.folder.path)
    let store = try open()
    files.inject { $0.operation == .synchronize && $0.path == folder ? .fail(code) : .none }
    try store.commit([.set(0, "title", .text("Coco"))])
    let lines = store.compactIfWorthwhile()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("cannot sync directories") == true)
    try store.commit([.set(0, "title", .text("Cars"))])
    #expect(store.compactIfWorthwhile() == [], "once")
  }

  @Test func temporaryFilesOfOthersAreLookedForOnceAndAfterAFailure() throws {
    let store = try open()
    func saveAndCountLooks(_ title: String) throws -> Int {
      files.inject()
      try store.commit([.set(0, "title", .text(title))])
      return files.count(of: .list)
    }
    try fixture.folder.put(".films.json.tmp-0123456789abcdef", "leftovers")
    #expect(try saveAndCountLooks("Coco") == 1)
    #expect(try !fixture.folder.names().contains { $0.contains("tmp") })
    #expect(try saveAndCountLooks("Cars") == 0)
    files.inject { [.write, .remove].contains($0.operation) ? .fail(.noSpace) : .none }
    #expect(throws: PersistenceError.self) { try store.commit([.delete(0)]) }
    #expect(try fixture.folder.names().contains { $0.contains("tmp") })
    #expect(try saveAndCountLooks("Heat") == 1)
    #expect(try !fixture.folder.names().contains { $0.contains("tmp") })
    #expect(try saveAndCountLooks("Ran") == 0)
  }
}
