import Testing

@testable import Stores

@Suite struct FileSystemTests {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  private func create(_ name: String) throws -> OpenFile {
    try files.open(folder.file(name), in: nil, .create(permissions: 0o600))
  }

  @Test func aMessageNamesOperationPathAndCause() {
    let error = FileSystemError(.write, "/x/y", .noSpace)
    #expect(error.description == "cannot write /x/y: no space left on device")
    #expect(SystemErrorCode.inputOutput.description == "input/output error")
  }

  // Covers C09.
  @Test(arguments: [1, 2, 7, 499, 999])
  func shortAndInterruptedWritesAreContinued(length: Int) throws {
    let content = pattern(1000)
    let file = try create("a")
    defer { files.closeQuietly(file) }
    files.inject { call in
      call.number.isMultiple(of: 3) ? .fail(.interrupted) : .shorten(length)
    }
    try content.withUnsafeBytes { try files.writeAll(file, at: 0, $0) }
    #expect(try folder.bytes("a") == content)
  }

  // Covers C10.
  @Test func aWriteOfNothingIsAnErrorAndNoEndlessLoop() throws {
    let file = try create("a")
    defer { files.closeQuietly(file) }
    files.inject { _ in .shorten(0) }
    #expect(throws: FileSystemError(.write, file.path, .nothingWritten)) {
      try pattern(10).withUnsafeBytes { try files.writeAll(file, at: 0, $0) }
    }
    #expect(files.calls.count == 1)
  }

  @Test func shortAndInterruptedReadsAreContinued() throws {
    let content = pattern(5000)
    try folder.put("a", content)
    let file = try files.open(folder.file("a"), in: nil, .read)
    defer { files.closeQuietly(file) }
    files.inject { call in
      if call.operation != .read { return .none }
      return call.number.isMultiple(of: 2) ? .fail(.interrupted) : .shorten(333)
    }
    let read = try files.readAll(file, padding: 16)
    #expect(Array(read.bytes) == content)
    var chunked: [UInt8] = []
    try files.readChunked(file, range: 100..<4900, chunkBytes: 777) { bytes, offset in
      #expect(offset == 100 + chunked.count)
      chunked += bytes
    }
    #expect(chunked == Array(content[100..<4900]))
  }

  // Covers C14.
  @Test func aFileAboveTheLimitIsRefusedUnread() throws {
    try folder.put("a", pattern(100))
    let file = try files.open(folder.file("a"), in: nil, .read)
    defer { files.closeQuietly(file) }
    #expect(throws: FileError.self) { _ = try files.readAll(file, limitBytes: 99).count }
    #expect(files.count(of: .read) == 0)
  }

  @Test func linksAreResolvedToTheirTargetEvenIfThereIsNone() throws {
    let real = try files.resolve(folder.path)
    try files.createDirectory(folder.file("sub"), permissions: 0o700)
    try makeLink(folder.file("dangling"), to: "sub/target")
    try makeLink(folder.file("chain"), to: folder.file("dangling"))
    try makeLink(folder.file("loop"), to: "loop")
    #expect(try files.resolve(folder.file("chain")) == real + "/sub/target")
    #expect(try files.resolve(folder.file("absent")) == real + "/absent")
    #expect(throws: FileSystemError(.resolve, folder.file("loop"), .tooManyLinks)) {
      try files.resolve(folder.file("loop"))
    }
  }

  @Test(arguments: [
    ("a/b", "a", "b"), ("b", ".", "b"), ("/b", "/", "b"), ("/a/b//", "/a", "b"),
    ("/a//b", "/a/", "b"),
  ])
  func pathsAreSplit(path: String, directory: String, name: String) {
    #expect(splitPath(path) == (directory, name))
  }

  @Test func namesBesideALongNameFitTheDirectory() {
    let long = String(repeating: "ä", count: 127)
    let companion = companionName(of: long, suffix: ".lock")
    #expect(companion.utf8.count <= 255)
    #expect(companion != companionName(of: long + "b", suffix: ".lock"))
    #expect(companionName(of: "a", suffix: ".lock") == ".a.lock")
  }

  @Test func aRegularFileIsOpenedAndNothingElse() throws {
    try makePipe(folder.file("pipe"))
    try makeLink(folder.file("link"), to: "file")
    for name in ["pipe", "link", "/dev/null", "/dev/zero", "/"] {
      let path = name.hasPrefix("/") ? name : folder.file(name)
      #expect(throws: FileError.self) { _ = try files.openRegular(path, in: nil, .readWrite) }
    }
    #expect(files.openCount == 0)
  }
}

@Suite struct FileLockTests {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws { folder = try TemporaryFolder() }

  private func lock() throws -> FileLock {
    let directory = try files.openDirectory(folder.path)
    defer { files.closeQuietly(directory) }
    return try FileLock(fileSystem: files, directory: directory, name: "a")
  }

  @Test func aHeldLockExcludesOthersUntilItIsReleased() throws {
    let first = try lock()
    let second = try lock()
    try first.acquire()
    #expect(throws: FileError.busy(path: folder.file("a"), seconds: 5)) {
      try second.acquire(timeoutSeconds: 5)
    }
    #expect(files.pausedNanoseconds == 5_000_000_000)
    first.release()
    try second.acquire(timeoutSeconds: 0)
    second.release()
    second.release()
  }

  @Test func aLockEndsWithItsOwner() throws {
    var first: FileLock? = try lock()
    try first?.acquire()
    first = nil
    try lock().withLock(timeoutSeconds: 0) {}
    #expect(files.openCount == 0)
  }

  @Test func someoneWaitingGetsTheLockAsSoonAsItIsFree() throws {
    let first = try lock()
    let second = try lock()
    try first.acquire()
    let tries = Counter()
    files.observe { [weak first] call in
      if call.operation == .lock, tries.next() == 4 { first?.release() }
    }
    try second.acquire()
    #expect(files.count(of: .lock) == 4)
    second.release()
  }
}
