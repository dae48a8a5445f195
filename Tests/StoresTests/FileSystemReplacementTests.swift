import Glibc
import Testing

@testable import Stores

func makeLink(_ path: String, to target: String) throws {
  try #require(symlink(target, path) == 0)
}

func makePipe(_ path: String) throws {
  try #require(mkfifo(path, 0o600) == 0)
}

private struct Refused: Error {}

@Suite struct FileReplacementTests {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func version(_ name: String) throws -> FileVersion {
    let file = try files.open(folder.file(name), in: nil, .read)
    defer { files.closeQuietly(file) }
    let content = try files.readAll(file)
    return FileVersion(
      status: try files.status(of: file),
      digest: ContentDigest(of: content.bytes)
    )
  }

  private func replacement(_ name: String) -> FileReplacement {
    FileReplacement(fileSystem: files, path: folder.file(name), lockTimeoutSeconds: 1)
  }

  /// Large enough for several writes.
  private let newContent = [UInt8](repeating: 7, count: 3_000_000)

  @Test func aFileIsReplacedAsAWhole() throws {
    try folder.put("a", "old content")
    let result = try replacement("a").replace(expecting: version("a")) { sink in
      let source = try files.open(folder.file("a"), in: nil, .read)
      defer { files.closeQuietly(source) }
      try sink.write("new ")
      try sink.copy(from: source, offset: 4, length: 7)
      try sink.write(newContent)
      try sink.write("!")
      #expect(sink.count == 3_000_012)
    }
    #expect(try folder.bytes("a") == Array("new content".utf8) + newContent + Array("!".utf8))
    #expect(try folder.names() == ["a"])
    #expect(try result == version("a"))
    #expect(files.openCount == 0)
  }

  @Test func theFileIsDurableBeforeItsNameAndTheNameBeforeReturning() throws {
    try folder.put("a", "old")
    let version = try version("a")
    files.inject()
    _ = try replacement("a").replace(expecting: version) { try $0.write("new") }
    let order = files.calls.map(\.operation).filter {
      [.write, .synchronize, .rename].contains($0)
    }
    #expect(order == [.write, .synchronize, .rename, .synchronize])
  }

  @Test func replacingAgainNeedsNoSecondReading() throws {
    try folder.put("a", "1")
    var version = try version("a")
    files.inject()
    for text in ["2", "3", "4"] {
      version = try replacement("a").replace(expecting: version) { try $0.write(text) }
    }
    #expect(files.count(of: .read) == 0)
    #expect(try folder.text("a") == "4")
  }

  @Test(arguments: [0o600, 0o640, 0o664, 0o444, 0o4755] as [UInt32])
  func theModeIsKept(mode: UInt32) throws {
    try folder.put("a", "old")
    try #require(chmod(folder.file("a"), mode) == 0)
    let result = try replacement("a").replace(expecting: version("a")) { try $0.write("new") }
    #expect(result.status.permissions == mode)
  }

  @Test func theTemporaryFileIsForTheOwnerOnly() throws {
    try folder.put("a", "old")
    try #require(chmod(folder.file("a"), 0o666) == 0)
    let version = try version("a")
    _ = try replacement("a").replace(expecting: version) { sink in
      let names = try folder.names().filter { $0 != "a" }
      #expect(names.count == 1)
      for name in names {
        let status = try files.status(of: folder.file(name), in: nil)
        #expect(status.permissions == 0o600)
      }
    }
  }

  @Test func accessIsNarrowedWhereTheGroupCannotBeKept() throws {
    try folder.put("a", "old")
    try #require(chmod(folder.file("a"), 0o660) == 0)
    guard getuid() == 0 else {
      print("SKIPPED in part: only root may give files away")
      return
    }
    try #require(chown(folder.file("a"), 1234, 4321) == 0)
    let version = try version("a")
    files.inject { $0.operation == .changeOwner ? .fail(.notPermitted) : .none }
    let result = try replacement("a").replace(expecting: version) { try $0.write("new") }
    #expect(result.status.permissions == 0o600)
    files.inject()
  }

  @Test func attributesAreCopiedOnce() throws {
    try folder.put("a", "old")
    _ = try replacement("a").replace(expecting: version("a")) { try $0.write("new") }
    #expect(files.count(of: .copyAttributes) == 1)
  }

  @Test func aLinkIsFollowedAndKept() throws {
    try folder.put("target", "old")
    try makeLink(folder.file("link"), to: "target")
    _ = try replacement("link").replace(expecting: version("target")) { try $0.write("new") }
    #expect(try folder.text("target") == "new")
    #expect(try files.status(of: folder.file("link"), in: nil).kind == .link)
  }

  @Test func aFileWithTwoNamesIsRefused() throws {
    try folder.put("a", "old")
    try files.link(folder.file("a"), to: folder.file("b"), in: nil)
    #expect(throws: FileError.hardLinked(path: folder.file("a"), count: 2)) {
      try replacement("a").replace(expecting: version("a")) { try $0.write("new") }
    }
  }

  @Test func aChangedFileIsNoticedAndKept() throws {
    try folder.put("a", "old")
    let version = try version("a")
    try folder.put("a", "theirs")
    #expect(throws: FileError.changedOnDisk(path: folder.file("a"))) {
      try replacement("a").replace(expecting: version) { try $0.write("new") }
    }
    #expect(try folder.text("a") == "theirs")
    #expect(try folder.names() == ["a"])
  }

  @Test func aFileThatChangesWhileItIsReplacedIsKept() throws {
    try folder.put("a", "old")
    let version = try version("a")
    #expect(throws: FileError.changedOnDisk(path: folder.file("a"))) {
      try replacement("a").replace(expecting: version) { sink in
        try sink.write("new")
        try folder.put("a", "theirs")
      }
    }
    #expect(try folder.text("a") == "theirs")
    #expect(try folder.names() == ["a"])
  }

  // Covers D10.
  @Test func aFileThatWasOnlyTouchedIsReplaced() throws {
    try folder.put("a", "old")
    let version = try version("a")
    try #require(utimes(folder.file("a"), nil) == 0)
    _ = try replacement("a").replace(expecting: version) { try $0.write("new") }
    #expect(try folder.text("a") == "new")
  }

  @Test func aRemovedFileIsNoticed() throws {
    try folder.put("a", "old")
    let version = try version("a")
    try files.remove(folder.file("a"), in: nil)
    #expect(throws: FileError.removedOnDisk(path: folder.file("a"))) {
      try replacement("a").replace(expecting: version) { try $0.write("new") }
    }
    #expect(try folder.names() == [])
  }

  @Test func aDirectoryOrPipeIsRefusedWithoutWaiting() throws {
    try folder.put("a", "old")
    let version = try version("a")
    try makePipe(folder.file("pipe"))
    try files.createDirectory(folder.file("directory"), permissions: 0o700)
    for (name, kind) in [("pipe", FileKind.pipe), ("directory", .directory)] {
      let refused = FileError.notARegularFile(path: folder.file(name), kind: kind)
      #expect(throws: refused) {
        try replacement(name).replace(expecting: version) { try $0.write("new") }
      }
      #expect(throws: refused) { try replacement(name).create { try $0.write("new") } }
    }
  }

  @Test func aNewPrivateFileIsForTheOwnerOnlyAndNeverReplacesOne() throws {
    let result = try replacement("a").create(permissions: 0o600) { try $0.write("new") }
    #expect(result.status.permissions == 0o600)
    #expect(try result == version("a"))
    #expect(throws: FileError.alreadyExists(path: folder.file("a"))) {
      try replacement("a").create { try $0.write("newer") }
    }
    #expect(throws: FileError.alreadyExists(path: folder.file("b"))) {
      try replacement("b").create { _ in try folder.put("b", "theirs") }
    }
    #expect(try folder.text("b") == "theirs")
    #expect(try folder.names() == ["a", "b"])
  }

  @Test func litterOfDeadWritersIsRemovedAndNothingElse() throws {
    try folder.put("a", "old")
    try folder.put(".a.tmp-0123456789abcdef", "leftovers")
    try folder.put(".a.tmp-mine", "mine")
    _ = try replacement("a").replace(expecting: version("a")) { try $0.write("new") }
    #expect(try folder.names() == [".a.tmp-mine", "a"])
  }

  @Test func aHeldLockIsWaitedForAndThenReported() throws {
    try folder.put("a", "old")
    let version = try version("a")
    let directory = try files.openDirectory(folder.path)
    defer { files.closeQuietly(directory) }
    let lock = try FileLock(fileSystem: files, directory: directory, name: "a")
    try lock.withLock {
      #expect(throws: FileError.busy(path: folder.file("a"), seconds: 1)) {
        try replacement("a").replace(expecting: version) { try $0.write("new") }
      }
      _ = try replacement("a").replace(expecting: version, holding: lock) { try $0.write("new") }
    }
    #expect(try folder.text("a") == "new")
  }

  @Test func anErrorOfTheWriterOrTheCheckKeepsTheOriginal() throws {
    try folder.put("a", "old")
    let version = try version("a")
    #expect(throws: Refused.self) {
      try replacement("a").replace(expecting: version) { sink in
        try sink.write(newContent)
        throw Refused()
      }
    }
    #expect(throws: Refused.self) {
      try replacement("a").replace(expecting: version, verify: { _ in throw Refused() }) {
        try $0.write("new")
      }
    }
    #expect(throws: Refused.self) {
      try replacement("a").replace(expecting: version, verify: { _ in { throw Refused() } }) {
        try $0.write("new")
      }
    }
    #expect(try folder.text("a") == "old")
    #expect(try folder.names() == ["a"])
  }

  // Covers C05.
  @Test func aFailedSyncOfTheDirectoryIsAnUnknownOutcome() throws {
    try folder.put("a", "old")
    let version = try version("a")
    let directory = try files.resolve(folder.path)
    files.inject {
      $0.operation == .synchronize && $0.path == directory ? .fail(.inputOutput) : .none
    }
    let cause = FileSystemError(.synchronize, directory, .inputOutput)
    #expect(throws: FileError.outcomeUnknown(path: folder.file("a"), cause: cause)) {
      try replacement("a").replace(expecting: version) { try $0.write("new") }
    }
  }

  /// Every call fails in turn, once and from then on: the file is old or new, never in between.
  ///
  /// Covers A02.
  @Test(arguments: [SystemErrorCode.inputOutput, .noSpace, .interrupted, .accessDenied, .notFound])
  func everyFailureLeavesTheOldFileOrTheNew(code: SystemErrorCode) throws {
    for persistently in [false, true] where !(persistently && code == .interrupted) {
      var number = 1
      while true {
        try folder.put("a", "old")
        let version = try version("a")
        let failing = number
        files.inject {
          ($0.number == failing || persistently && $0.number > failing) ? .fail(code) : .none
        }
        var failure: (any Error)?
        do {
          _ = try replacement("a").replace(expecting: version) { try $0.write("new") }
        } catch {
          failure = error
        }
        let callCount = files.calls.count
        files.inject()
        let content = try folder.text("a")
        if let failure {
          if case FileError.outcomeUnknown = failure {
            #expect(content == "new")
          } else {
            #expect(content == "old", "call \(number): \(failure)")
          }
        } else {
          #expect(content == "new", "call \(number)")
        }
        if !persistently { #expect(try folder.names() == ["a"], "call \(number)") }
        #expect(files.openCount == 0, "call \(number)")
        if failure == nil, callCount < number { break }
        number += 1
      }
      #expect(number > 15)
    }
  }
}
