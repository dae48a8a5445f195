import Foundation
import Glibc
import OpenSwiftData
import Testing

@testable import Stores

/// Replacing a file with temporary names in use, moved directories and limited file systems.
@Suite struct FilePlaceTests {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func replacement(_ name: String) -> FileReplacement {
    FileReplacement(fileSystem: files, path: folder.file(name))
  }

  private func version(_ name: String) throws -> FileVersion {
    FileVersion(status: try files.status(of: folder.file(name), in: nil), digest: nil)
  }

  /// An attacker who guessed the random name creates a link there just before the file is created.
  ///
  /// Covers E06.
  @Test func aLinkUnderTheTemporaryNameIsNeverWrittenThrough() throws {
    try folder.put("a", "old")
    try folder.put("victim", "precious")
    let version = try version("a")
    let planted = Counter()
    let folder = folder
    files.observe { call in
      guard call.operation == .create, call.path.contains(".tmp-"), planted.next() <= 3 else {
        return
      }
      _ = symlink(folder.file("victim"), folder.file(call.path))
    }
    _ = try replacement("a").replace(expecting: version) { try $0.write("new") }
    files.inject()
    #expect(planted.next() == 5, "three were taken, the fourth was free")
    #expect(try folder.text("victim") == "precious")
    #expect(try folder.text("a") == "new")
    #expect(try files.status(of: folder.file("a"), in: nil).kind == .regular)
  }

  // Covers E06.
  @Test func namesThatAreAllTakenAreAnErrorAndNoEndlessLoop() throws {
    try folder.put("a", "old")
    let version = try version("a")
    files.inject { call in
      call.operation == .create && call.path.contains(".tmp-") ? .fail(.exists) : .none
    }
    #expect(throws: FileSystemError.self) {
      try replacement("a").replace(expecting: version) { try $0.write("new") }
    }
    #expect(files.calls.count < 40)
    #expect(try folder.text("a") == "old")
  }

  // Covers E07.
  @Test func aDirectoryThatIsExchangedMeanwhileIsNotWrittenElsewhere() throws {
    try files.createDirectory(folder.file("sub"), permissions: 0o700)
    try files.createDirectory(folder.file("evil"), permissions: 0o700)
    try folder.put("sub/a", "old")
    try folder.put("evil/a", "theirs")
    let version = try version("sub/a")
    _ = try replacement("sub/a").replace(expecting: version) { sink in
      try sink.write("new")
      try files.base.rename(
        folder.file("sub"),
        to: folder.file("moved"),
        in: nil,
        replacing: false
      )
      try makeLink(folder.file("sub"), to: "evil")
    }
    #expect(try folder.text("moved/a") == "new")
    #expect(try folder.text("evil/a") == "theirs")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("evil")) == ["a"])
  }

  @Test func aFileSystemWithoutExclusiveRenamingLinksInstead() throws {
    files.inject { $0.operation == .rename ? .fail(.invalid) : .none }
    _ = try replacement("a").create { try $0.write("new") }
    #expect(try folder.text("a") == "new")
    #expect(files.count(of: .link) == 1)
    #expect(throws: FileError.alreadyExists(path: folder.file("a"))) {
      try replacement("a").create { try $0.write("newer") }
    }
    #expect(try folder.names() == ["a"])
  }

  @Test func whetherTheNameIsDurableIsTold() throws {
    #expect(try replacement("a").create { try $0.write("1") }.hasDurableName)
    let real = try files.resolve(folder.path)
    files.inject {
      $0.operation == .synchronize && $0.path == real ? .fail(.invalid) : .none
    }
    let version = try replacement("b").create { try $0.write("1") }
    #expect(!version.hasDurableName)
    #expect(try folder.text("b") == "1")
  }

  @Test func aFileThatShrinksWhileItIsCopiedIsNoticed() throws {
    try folder.put("a", "content")
    try folder.put("source", [UInt8](repeating: 1, count: 100))
    let source = try files.open(folder.file("source"), in: nil, .read)
    defer { files.closeQuietly(source) }
    let version = try version("a")
    #expect(throws: FileError.changedOnDisk(path: source.path)) {
      try replacement("a").replace(expecting: version) { sink in
        try sink.copy(from: source, offset: 50, length: 51)
      }
    }
    #expect(throws: FileError.changedOnDisk(path: source.path)) {
      try files.readChunked(source, range: 0..<101) { _, _ in }
    }
    #expect(try folder.text("a") == "content")
  }

  @Test func everyErrorSaysWhatToDo() {
    let cause = FileSystemError(.synchronize, "/x", .inputOutput)
    let expected: [(FileError, PersistenceError.Code, String)] = [
      (.changedOnDisk(path: "/x"), .conflict, "changed by another program"),
      (.removedOnDisk(path: "/x"), .conflict, "removed by another program"),
      (.alreadyExists(path: "/x"), .conflict, "created by another program"),
      (.notARegularFile(path: "/x", kind: .pipe), .notAStore, "is a pipe"),
      (.hardLinked(path: "/x", count: 3), .inaccessible, "3 hard links"),
      (.busy(path: "/x", seconds: 5), .busy, "try again"),
      (.tooLarge(path: "/x", sizeBytes: 9, limitBytes: 8), .limitExceeded, "limit of 8"),
      (.outcomeUnknown(path: "/x", cause: cause), .outcomeUnknown, "reopen it"),
    ]
    for (error, code, words) in expected {
      #expect(error.persistenceError.code == code)
      #expect(error.description.contains(words), "\(error)")
      #expect(error.description.contains("/x"))
    }
    for kind in [FileKind.regular, .directory, .link, .pipe, .socket, .device, .other] {
      #expect(!kind.rawValue.isEmpty)
    }
    #expect(SystemErrorCode(rawValue: 99_999).description == "unknown error")
    #expect(SystemErrorCode.nothingWritten.description == "nothing was written")
  }
}

/// Links, names and permissions of JSON files.
@Suite struct JSONPlaceTests {
  private let text = #"[{"title": "Up"}]"# + "\n"

  private func edit(_ path: String) throws {
    let store = try JSONStore(JSONStoreConfiguration(path: path, lockTimeoutSeconds: 1))
    try store.commit([.set(0, "title", .text("Cars"))])
  }

  // Covers E05.
  @Test func aLinkIsFollowedAndKept() throws {
    let fixture = try JSONFixture(text)
    let folder = fixture.folder
    try makeLink(folder.file("link.json"), to: "films.json")
    try makeLink(folder.file("chain.json"), to: folder.file("link.json"))
    try edit(folder.file("chain.json"))
    #expect(try fixture.text == text.replacing("Up", with: "Cars"))
    for name in ["link.json", "chain.json"] {
      #expect(try LocalFileSystem().status(of: folder.file(name), in: nil).kind == .link)
    }
  }

  // Covers E05.
  @Test func savingThroughADanglingLinkCreatesItsTarget() throws {
    let fixture = try JSONFixture()
    try makeLink(fixture.path, to: "target.json")
    let schema = Schema(Schema.Entity("Film", attributes: [Schema.Attribute("title", .text)]))
    let store = try fixture.open(schema: schema)
    try store.commit([.insert(["title": .text("Up")])])
    #expect(try fixture.folder.text("target.json").contains("Up"))
    #expect(try LocalFileSystem().status(of: fixture.path, in: nil).kind == .link)
  }

  // Covers E05.
  @Test func aLoopOfLinksIsAnError() throws {
    let fixture = try JSONFixture()
    try makeLink(fixture.path, to: "films.json")
    #expect(errorCode { _ = try fixture.open() } == .inaccessible)
  }

  // Covers E09.
  @Test func aFileWithTwoNamesIsReadAndNotReplaced() throws {
    let fixture = try JSONFixture(text)
    let other = fixture.folder.file("other.json")
    try LocalFileSystem().link(fixture.path, to: other, in: nil)
    let error = #expect(throws: PersistenceError.self) { try edit(other) }
    #expect(error?.code == .inaccessible)
    #expect(error?.message.contains("hard links") == true)
    #expect(try fixture.text == text)
    #expect(try fixture.folder.names() == ["films.json", "other.json"])
  }

  // Covers E10, E12.
  @Test(arguments: [0o600, 0o640, 0o664, 0o444] as [UInt32])
  func modeOwnerAndGroupAreKept(mode: UInt32) throws {
    let fixture = try JSONFixture(text)
    try #require(chmod(fixture.path, mode) == 0)
    let isRoot = getuid() == 0
    if isRoot { try #require(chown(fixture.path, 1234, 4321) == 0) }
    // Root can write a file without write permission; other users cannot.
    guard isRoot || mode != 0o444 else {
      #expect(errorCode { try edit(fixture.path) } == .inaccessible)
      return
    }
    try edit(fixture.path)
    let status = try LocalFileSystem().status(of: fixture.path, in: nil)
    #expect(status.permissions == mode)
    if isRoot { #expect(status.owner == 1234 && status.group == 4321) }
    #expect(try fixture.text.contains("Cars"))
  }

  // Covers E04.
  @Test(arguments: ["directory", "pipe", "socket"])
  func specialFilesAreRejectedImmediately(what: String) throws {
    let fixture = try JSONFixture()
    switch what {
    case "directory": try LocalFileSystem().createDirectory(fixture.path, permissions: 0o700)
    case "pipe": try makePipe(fixture.path)
    default: try makeSocket(fixture.path)
    }
    #expect(errorCode { _ = try fixture.open() } == .notAStore)
  }

  // Covers D11.
  @Test func removedFilesAreNotRecreated() throws {
    let fixture = try JSONFixture(text)
    let store = try fixture.open()
    try LocalFileSystem().remove(fixture.path, in: nil)
    #expect(errorCode { try store.commit([.set(0, "title", .text("Cars"))]) } != nil)
    #expect(try fixture.folder.names() == [])
    try LocalFileSystem().createDirectory(fixture.path, permissions: 0o700)
    #expect(errorCode { try store.commit([.set(0, "title", .text("Cars"))]) } == .notAStore)
    #expect(try store.records().count == 1, "so that it can be saved elsewhere")
  }

  // Covers E13.
  @Test(arguments: [
    "with space.json", "-e.json", "line\nfeed.json", "esc\u{1B}[31m.json",
    String(repeating: "n", count: 250) + ".json",
  ])
  func everyNameWorks(name: String) throws {
    let fixture = try JSONFixture(text, name: name)
    try edit(fixture.path)
    #expect(try fixture.text.contains("Cars"))
    #expect(try fixture.folder.names() == [name])
  }
}
