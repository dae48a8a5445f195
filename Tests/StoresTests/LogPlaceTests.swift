import Foundation
import Glibc
import OpenSwiftData
import Testing

@testable import Stores

/// Links, names, modes and owners of logs, and limited file systems.
@Suite struct LogPlaceTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  private func open(_ path: String, isReadOnly: Bool = false) throws -> LogStore {
    try LogStore(
      LogStoreConfiguration(
        path: path,
        schema: LogFixture.schema,
        isReadOnly: isReadOnly,
        history: .none,
        lockTimeoutSeconds: 1,
        fileSystem: fixture.files
      )
    )
  }

  // MARK: Kinds of files

  // Covers E04.
  @Test(arguments: ["directory", "pipe", "socket", "/dev/null", "/dev/full", "/dev/zero", "/"])
  func specialFilesAreRejectedImmediately(what: String) throws {
    let path = what.hasPrefix("/") ? what : fixture.path
    switch what {
    case "directory": try fixture.files.createDirectory(path, permissions: 0o700)
    case "pipe": try makePipe(path)
    case "socket": try makeSocket(path)
    default: break
    }
    for isReadOnly in [false, true] {
      #expect(errorCode { _ = try open(path, isReadOnly: isReadOnly) } == .notAStore)
    }
    #expect(fixture.files.openCount == 0)
  }

  // Covers E05.
  @Test func aLinkIsFollowedAndKept() throws {
    let target = fixture.folder.file("target.catlog")
    try makeLink(fixture.folder.file("link"), to: "target.catlog")
    try makeLink(fixture.folder.file("chain"), to: fixture.folder.file("link"))
    let store = try open(fixture.folder.file("chain"))
    try store.insertFilm("Up")
    #expect(try fixture.files.status(of: target, in: nil).kind == .regular)
    let direct = try open(target)
    try direct.insertFilm("Cars")
    _ = try store.compact()
    try store.insertFilm("Coco")
    #expect(try direct.titles() == ["Up", "Cars", "Coco"])
    for name in ["link", "chain"] {
      #expect(try fixture.files.status(of: fixture.folder.file(name), in: nil).kind == .link)
    }
    #expect(store.path == direct.path, "both names have one lock")
  }

  // Covers E05.
  @Test func aLoopOfLinksIsAnError() throws {
    try makeLink(fixture.path, to: "films.catlog")
    let error = #expect(throws: PersistenceError.self) { _ = try open(fixture.path) }
    #expect(error?.code == .inaccessible)
    #expect(error?.message.contains("films.catlog") == true)
  }

  @Test func compactingDoesNotSplitTwoNames() throws {
    let store = try open(fixture.path)
    try store.insertFilm("Up")
    try store.insertFilm("Cars")
    try fixture.files.link(fixture.path, to: fixture.folder.file("other.catlog"), in: nil)
    let bytes = try fixture.bytes()
    let error = #expect(throws: PersistenceError.self) { _ = try store.compact() }
    #expect(error?.code == .inaccessible)
    #expect(error?.message.contains("2 hard links") == true)
    #expect(try fixture.bytes() == bytes)
    let other = try open(fixture.folder.file("other.catlog"))
    #expect(try other.titles() == ["Up", "Cars"])
    #expect(other.openingNotes.first?.hasSuffix("it has 2 hard links") == true)
  }

  // MARK: Names

  // Covers E13, E14.
  @Test(arguments: [
    "with space.catlog", "-e.catlog", "line\nfeed.catlog", "esc\u{1B}[31m.catlog",
    "$HOME;`id`.catlog",
    "é\u{202E}\u{1F3AC}.catlog", ".hidden", "a", String(repeating: "n", count: 255),
    String(repeating: "ä", count: 127),
  ])
  func everyNameWorks(name: String) throws {
    let path = fixture.folder.file(name)
    try open(path).insertFilm("Up")
    var bytes = try fixture.folder.bytes(name)
    bytes += [1, 2, 3]
    try fixture.folder.put(name, bytes)
    let store = try open(path)
    #expect(try store.titles() == ["Up"])
    try store.insertFilm("Cars")
    let kept = try #require(store.openingReport.keptTailPath)
    #expect(try fixture.folder.bytes(splitPath(kept).name) == [1, 2, 3])
    _ = try store.compact()
    #expect(try open(path).titles() == ["Up", "Cars"])
  }

  @Test func aSecondTailAtTheSamePlaceIsKeptToo() throws {
    try open(fixture.path).insertFilm("Up")
    let bytes = try fixture.bytes()
    for number in UInt8(1)...3 {
      try fixture.put(bytes + [number])
      let store = try open(fixture.path)
      try store.insertFilm("Cars")
      #expect(try open(fixture.path).titles() == ["Up", "Cars"])
    }
    let kept = try fixture.folder.names().filter { $0.contains(".lost-") }
    #expect(try kept.map { try fixture.folder.bytes($0) } == [[1], [2], [3]])
  }

  // Covers E14.
  @Test func aNameOrPathThatIsTooLongIsAClearError() throws {
    let name = String(repeating: "n", count: 256)
    let deep = String(repeating: "d/", count: 2100)
    for path in [fixture.folder.file(name), fixture.folder.file(deep + "x")] {
      let error = #expect(throws: PersistenceError.self) { try open(path).insertFilm("Up") }
      #expect(error?.code == .inaccessible)
      #expect(error?.message.contains("name too long") == true, "\(error?.message ?? "")")
    }
    #expect(try fixture.folder.names() == [])
  }

  // Covers E18.
  @Test func aRelativePathIsMadeAbsoluteWhenTheStoreIsOpened() throws {
    let store = try open("relative.catlog")
    #expect(store.path.hasPrefix("/"))
    #expect(store.path.hasSuffix("/relative.catlog"))
  }

  // MARK: Access

  // Covers E10, E12.
  @Test(arguments: [0o600, 0o640, 0o664] as [UInt32])
  func compactingKeepsTheModeAndTheOwner(mode: UInt32) throws {
    let store = try open(fixture.path)
    try store.insertFilm("Up")
    try #require(chmod(fixture.path, mode) == 0)
    let isRoot = getuid() == 0
    if isRoot { try #require(chown(fixture.path, 1234, 4321) == 0) }
    try store.insertFilm("Cars")
    _ = try store.compact()
    let status = try fixture.files.status(of: fixture.path, in: nil)
    #expect(status.permissions == mode)
    if isRoot { #expect(status.owner == 1234 && status.group == 4321) }
    #expect(try open(fixture.path).titles() == ["Up", "Cars"])
  }

  @Test(.enabled(if: getuid() == 0, "only root may give files away"))
  func theLockFileBelongsToWhomTheLogBelongs() throws {
    try open(fixture.path).insertFilm("Up")
    try #require(chown(fixture.path, 1234, 4321) == 0)
    try #require(chmod(fixture.path, 0o660) == 0)
    let lock = fixture.folder.file(".films.catlog.lock")
    #expect(try fixture.files.statusIfPresent(of: lock, in: nil) == nil)
    // The group may write the log but cannot create files in the folder, so it needs this lock
    // file.
    _ = try open(fixture.path)
    let status = try fixture.files.status(of: lock, in: nil)
    #expect(status.owner == 1234 && status.group == 4321 && status.permissions == 0o660)
  }

  // Covers E10.
  @Test func extendedAttributesSurviveCompacting() throws {
    let store = try open(fixture.path)
    try store.insertFilm("Up")
    guard let attribute = ExtendedAttribute(), attribute.set("user.note", "mine", of: fixture.path)
    else {
      print("SKIPPED: the temporary folder has no extended attributes")
      return
    }
    _ = try store.compact()
    #expect(attribute.value("user.note", of: fixture.path) == "mine")
  }

  @Test func aFileThatEverybodyMayWriteIsNoted() throws {
    try open(fixture.path).insertFilm("Up")
    for (mode, count) in [(0o600, 0), (0o660, 0), (0o664, 0), (0o666, 1)] as [(UInt32, Int)] {
      try #require(chmod(fixture.path, mode) == 0)
      #expect(try open(fixture.path).openingNotes.count == count, "\(mode)")
    }
  }

  // Covers E02, E03.
  @Test(arguments: [SystemErrorCode.accessDenied, .readOnly, .notPermitted])
  func unwritableLogsOpenReadOnlyWithANote(code: SystemErrorCode) throws {
    try open(fixture.path).insertFilm("Up")
    let bytes = try fixture.bytes()
    for place in ["file", "folder"] {
      let path = fixture.path
      try? fixture.files.base.remove(fixture.folder.file(".films.catlog.lock"), in: nil)
      let opened = Counter()
      fixture.files.inject { call in
        switch call.operation {
        // The first call opens the file for writing.
        case .open where place == "file" && call.path == path && opened.next() == 1: .fail(code)
        case .create where place == "folder": .fail(code)
        default: .none
        }
      }
      let store = try open(fixture.path)
      fixture.files.inject()
      #expect(store.isReadOnly)
      #expect(store.openingNotes.count == 1)
      #expect(store.openingNotes.first?.contains("opened read-only") == true)
      #expect(try store.titles() == ["Up"])
      #expect(errorCode { try store.insertFilm("Cars") } == .readOnly)
      #expect(try fixture.bytes() == bytes)
    }
  }

  // MARK: File systems

  // Covers E17.
  @Test func aNetworkFileSystemIsNoted() throws {
    try open(fixture.path).insertFilm("Up")
    #expect(try open(fixture.path).openingNotes == [])
    fixture.files.pretendNetwork()
    let store = try open(fixture.path)
    #expect(store.openingNotes.count == 1)
    #expect(store.openingNotes.first?.contains("one program at a time") == true)
    try store.insertFilm("Cars")
    #expect(store.compactIfWorthwhile() == [])
  }

  // Covers E17.
  @Test(arguments: [SystemErrorCode.invalid, .notSupported])
  func aFolderThatCannotBeSynchronizedIsNotedOnceAndNoFailure(code: SystemErrorCode) throws {
    let folder = try fixture.files.resolve(fixture.folder.path)
    fixture.files.inject {
      $0.operation == .synchronize && folder.hasPrefix($0.path) ? .fail(code) : .none
    }
    let store = try open(fixture.path)
    try store.insertFilm("Up")
    let lines = store.compactIfWorthwhile()
    #expect(lines.count == 1)
    #expect(lines.first?.contains("cannot sync directories") == true)
    _ = try store.compact()
    #expect(store.compactIfWorthwhile() == [], "once")
    try fixture.put(try fixture.bytes() + [1])
    #expect(try open(fixture.path).titles() == ["Up"])
  }

  // Covers E17.
  @Test func renamingAcrossFileSystemsFailsAndLeavesTheOldFile() throws {
    let store = try open(fixture.path)
    try store.insertFilm("Up")
    let bytes = try fixture.bytes()
    fixture.files.inject { $0.operation == .rename ? .fail(.crossDevice) : .none }
    #expect(errorCode { _ = try store.compact() } == .inaccessible)
    fixture.files.inject()
    #expect(try fixture.bytes() == bytes)
    try store.insertFilm("Cars")
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  /// The names of folders that another program created, or whose synchronization failed once.
  @Test func theFoldersOfANewStoreAreSynchronizedWhoeverMadeThem() throws {
    let real = try fixture.files.resolve(fixture.folder.path)
    let path = real + "/a/b/films.catlog"
    let store = try open(path)
    fixture.files.inject {
      $0.operation == .synchronize && $0.path == real + "/a" ? .fail(.inputOutput) : .none
    }
    #expect(errorCode { try store.insertFilm("Up") } == .inaccessible)
    fixture.files.inject()
    #expect(try fixture.files.status(of: real + "/a/b", in: nil).kind == .directory)
    fixture.files.inject()
    try open(path).insertFilm("Up")
    let synchronized = fixture.files.calls.filter { $0.operation == .synchronize }.map(\.path)
    for folder in ["/", real, real + "/a", real + "/a/b"] {
      #expect(synchronized.contains(folder), "\(folder)")
    }
    let created = try #require(fixture.files.calls.firstIndex { $0.operation == .rename })
    let last = try #require(
      fixture.files.calls.lastIndex { $0.operation == .synchronize && $0.path == real + "/a" }
    )
    #expect(last < created, "the folders come before the file")
  }

  @Test func aFolderThatMayNotBeReadIsNoObstacle() throws {
    let real = try fixture.files.resolve(fixture.folder.path)
    fixture.files.inject { $0.operation == .open && $0.path == "/" ? .fail(.accessDenied) : .none }
    try open(real + "/a/films.catlog").insertFilm("Up")
    #expect(try open(real + "/a/films.catlog").titles() == ["Up"])
  }
}

func makeSocket(_ path: String) throws {
  // The path of a socket has at most 108 bytes, unix(7); relative to its own folder any name fits.
  try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
}

/// The calls for extended attributes, which Swift's Glibc module lacks.
private struct ExtendedAttribute {
  private typealias Set =
    @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) ->
    Int32
  private typealias Get =
    @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int) -> Int

  private let set: Set
  private let get: Get

  init?() {
    guard let set = dlsym(nil, "setxattr"), let get = dlsym(nil, "getxattr") else { return nil }
    self.set = unsafeBitCast(set, to: Set.self)
    self.get = unsafeBitCast(get, to: Get.self)
  }

  func set(_ name: String, _ value: String, of path: String) -> Bool {
    set(path, name, value, value.utf8.count, 0) == 0
  }

  func value(_ name: String, of path: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = get(path, name, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
