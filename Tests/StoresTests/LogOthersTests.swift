import Foundation
import Glibc
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// An open log with other programs, threads, a changing clock and exhausted resources.
@Suite struct LogOthersTests {
  let fixture: LogFixture

  init() throws { fixture = try LogFixture() }

  // MARK: Holders of the lock

  /// A process in another language that holds the lock.
  private func startHolder() throws -> (process: Process, output: Pipe)? {
    let perl = "/usr/bin/perl"
    guard FileManager.default.isExecutableFile(atPath: perl) else {
      print("SKIPPED: \(perl) not found to hold a lock")
      return nil
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: perl)
    process.arguments = [
      "-MFcntl", "-e",
      """
      open(my $file, "+<", $ARGV[0]) or die; $| = 1;
      my $lock = pack("s s x4 q q l x4", F_WRLCK, 0, 0, 1, 0);
      fcntl($file, F_SETLK, $lock) or die;
      print "held\\n"; sleep 60;
      """, fixture.folder.file(".films.catlog.lock"),
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = output.fileHandleForReading.availableData
    #expect(String(decoding: line, as: UTF8.self) == "held\n")
    return (process, output)
  }

  // Covers C18, D03.
  @Test func aHolderThatIsStoppedIsWaitedForNoLongerThanAllowed() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    guard let (holder, _) = try startHolder() else { return }
    defer { kill(holder.processIdentifier, SIGKILL) }
    kill(holder.processIdentifier, SIGSTOP)
    let bytes = try fixture.bytes()
    #expect(errorCode { try store.insertFilm("Cars") } == .busy)
    #expect(try fixture.open().titles() == ["Up"], "opening waits, and then reads without the lock")
    #expect(fixture.files.pausedNanoseconds == 2_000_000_000)
    #expect(try fixture.bytes() == bytes)
    #expect(try store.titles() == ["Up"], "reading needs no lock")
    #expect(try fixture.open(isReadOnly: true).titles() == ["Up"])
  }

  // Covers D12.
  @Test(arguments: [1, 2, 30])
  func aLogThatWasCopiedOverThisOneIsLeftAlone(saves: Int) throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try store.insertFilm("Cars")
    let stranger = try LogFixture()
    let other = try stranger.open()
    for number in 0..<saves { try other.insertFilm("film \(number)") }
    let bytes = try stranger.bytes()
    // Writes into the same file, as cp does.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(bytes))
    try file.close()
    #expect(errorCode { try store.insertFilm("Heat") } == .conflict)
    #expect(try fixture.bytes() == bytes)
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  // Covers A17, D04.
  @Test func aHolderThatIsKilledLeavesNoLock() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    guard let (holder, _) = try startHolder() else { return }
    #expect(errorCode { try store.insertFilm("Cars") } == .busy)
    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    let waited = fixture.files.pausedNanoseconds
    try store.insertFilm("Cars")
    #expect(fixture.files.pausedNanoseconds == waited)
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  /// POSIX process locks would be released whenever this process closes the file.
  ///
  /// Covers D06.
  @Test func openingAndClosingTheFileKeepsTheLock() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    let directory = try fixture.files.openDirectory(fixture.folder.path)
    defer { fixture.files.closeQuietly(directory) }
    let lock = try FileLock(fileSystem: fixture.files, directory: directory, name: "films.catlog")
    try lock.withLock {
      for name in ["films.catlog", ".films.catlog.lock"] {
        _ = try fixture.folder.bytes(name)
        fixture.files.closeQuietly(
          try fixture.files.open(fixture.folder.file(name), in: nil, .readWrite)
        )
      }
      #expect(errorCode { try store.insertFilm("Cars") } == .busy)
    }
  }

  // Covers D05.
  @Test func threadsWithStoresOfTheirOwnExcludeEachOther() throws {
    try fixture.open().insertFilm("first")
    let path = fixture.path
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        let store = try LogStore(LogStoreConfiguration(path: path, lockTimeoutSeconds: 60))
        for number in 0..<25 { try store.insertFilm("\(thread).\(number)") }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let store = try fixture.open()
    let titles = try store.titles()
    #expect(titles.count == 101 && Set(titles).count == 101)
    for thread in 0..<4 {
      let own = try store.transactions(after: nil, touching: nil).compactMap {
        $0.changes.inserted.first?["title"]
      }
      .compactMap { title in
        if case .text(let text) = title, text.hasPrefix("\(thread).") { text } else { nil }
      }
      #expect(own == (0..<25).map { "\(thread).\($0)" })
    }
  }

  // MARK: Readers

  // Covers D07.
  @Test func aReaderBesideAWriterSeesWholeSavesAndRepairsNothing() throws {
    let writer = try fixture.open()
    try writer.insertFilm("Up")
    let reader = try fixture.open(isReadOnly: true)
    let whole = try fixture.bytes()
    try writer.insertFilm("Cars")
    let next = try fixture.bytes()
    for length in whole.count...next.count {
      try fixture.files.base.cut(fixture.path, to: whole.count)
      try fixture.files.base.append(Array(next[whole.count..<length]), to: fixture.path)
      fixture.files.inject()
      let late = try fixture.open(isReadOnly: true)
      let expected = length == next.count ? ["Up", "Cars"] : ["Up"]
      #expect(try late.titles() == expected, "\(length) of \(next.count) bytes")
      if length < next.count { #expect(try reader.titles() == ["Up"]) }
      #expect(!fixture.files.calls.contains { $0.changesFiles })
    }
    #expect(try reader.titles() == ["Up", "Cars"])
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  // Covers D08, D09.
  @Test func aReaderGoesOverToTheCompactedFile() throws {
    let writer = try fixture.open()
    let up = try writer.insertFilm("Up")
    let reader = try fixture.open(isReadOnly: true)
    for number in 0..<5 {
      try writer.update(up, "title", to: .text("Up \(number)"))
      #expect(try reader.titles() == ["Up \(number)"])
      _ = try writer.compact(keeping: number.isMultiple(of: 2) ? .none : .last(1))
      #expect(try reader.titles() == ["Up \(number)"])
      #expect(try reader.check() == [])
    }
    #expect(reader.isReadOnly)
  }

  // MARK: Changes of the file

  // Covers D12.
  @Test func bytesOverwrittenUnderARunningStoreAreFoundByChecking() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try store.insertFilm("Cars")
    let offset = try fixture.content().transactions[0].offset + LogFormat.frameHeaderBytes + 30
    try fixture.files.base.overwrite(fixture.path, at: offset, 0xEE)
    #expect(try store.check().count == 1)
    let bytes = try fixture.bytes()
    #expect(errorCode { _ = try fixture.open() } == .damaged)
    #expect(errorCode { _ = try store.compact(keeping: .last(2)) } != nil)
    #expect(try fixture.bytes() == bytes)
    #expect(try fixture.folder.names() == ["films.catlog"])
  }

  // Covers D13.
  @Test func removedFilesAreReadFromMemoryAndNotRecreated() throws {
    let store = try fixture.open(history: .none)
    try store.insertFilm("Up")
    try store.insertFilm("Cars")
    try fixture.files.remove(fixture.path, in: nil)
    #expect(try store.titles() == ["Up", "Cars"])
    let error = #expect(throws: PersistenceError.self) { try store.insertFilm("Coco") }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("removed") == true)
    #expect(errorCode { _ = try store.compact() } == .conflict)
    #expect(try fixture.folder.names() == [])
    #expect(try store.titles() == ["Up", "Cars"], "so that it can be saved elsewhere")
  }

  @Test func aFolderUnderTheNameIsAnotherFile() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    try fixture.files.remove(fixture.path, in: nil)
    try fixture.files.createDirectory(fixture.path, permissions: 0o700)
    #expect(errorCode { try store.insertFilm("Cars") } == .conflict)
    #expect(try store.titles() == ["Up"], "so that it can be saved elsewhere")
  }

  // Covers D17.
  @Test func theOrderIsThatOfTheSavesWhateverTheClockSays() throws {
    var keys: [RecordKey] = []
    for round in 0..<4 {
      let store = try fixture.open()
      for number in 0..<3 {
        keys.append(try #require(try store.insertFilm("\(round).\(number)").recordKey))
        fixture.files.moveClock(bySeconds: -1_000_000)
      }
    }
    #expect(keys == keys.sorted() && Set(keys).count == 12)
    let history = try fixture.open().transactions(after: nil, touching: nil)
    #expect(history.map(\.token) == Array(1...12))
    #expect(history.map(\.timestamp) == history.map(\.timestamp).sorted().reversed())
  }

  // MARK: What is used up

  /// Persistent failures: the store reports them, and continues once they end.
  ///
  /// Covers C19.
  @Test(arguments: [
    SystemErrorCode.tooManyOpenFiles, .noSpace, .readOnly, .fileTooBig, .overQuota, .inputOutput,
  ])
  func persistentErrorsAreReportedUntilTheyEnd(code: SystemErrorCode) throws {
    let store = try fixture.open(history: .none)
    try store.insertFilm("Up")
    let bytes = try fixture.bytes()
    let count = fixture.files.openCount
    fixture.files.inject { call in
      [.open, .create, .write].contains(call.operation) ? .fail(code) : .none
    }
    for _ in 0..<3 {
      #expect(errorCode { try store.insertFilm("Cars") } == .inaccessible)
      #expect(errorCode { _ = try store.compact() } == .inaccessible)
      #expect(try store.titles() == ["Up"])
    }
    #expect(errorCode { _ = try fixture.open() } == .inaccessible)
    #expect(fixture.files.openCount == count)
    fixture.files.inject()
    #expect(try fixture.bytes() == bytes)
    try store.insertFilm("Cars")
    _ = try store.compact()
    #expect(try fixture.open().titles() == ["Up", "Cars"])
  }

  @Test func aWriteOfNothingIsAnErrorAndNoEndlessLoop() throws {
    let store = try fixture.open()
    try store.insertFilm("Up")
    fixture.files.inject { $0.operation == .write ? .shorten(0) : .none }
    let error = #expect(throws: PersistenceError.self) { try store.insertFilm("Cars") }
    #expect(error?.message.contains("nothing was written") == true)
    #expect(fixture.files.count(of: .write) == 1)
    fixture.files.inject()
    try store.insertFilm("Coco")
    #expect(try fixture.open().titles() == ["Up", "Coco"])
  }

  // Covers C17.
  @Test func aTailThatCannotBeKeptIsNotCut() throws {
    try fixture.open().insertFilm("Up")
    let bytes = try fixture.bytes() + [UInt8](repeating: 7, count: 100)
    try fixture.put(bytes)
    for operation in [FileSystemError.Operation.create, .write, .synchronize, .truncate] {
      do {
        let store = try fixture.open()
        fixture.files.inject { $0.operation == operation ? .fail(.noSpace) : .none }
        #expect(errorCode { try store.insertFilm("Cars") } == .inaccessible, "\(operation)")
        fixture.files.inject()
      }
      #expect(fixture.files.openCount == 0)
      #expect(try fixture.bytes() == bytes, "\(operation)")
      try fixture.removeKept()
    }
    let store = try fixture.open()
    #expect(try store.titles() == ["Up"])
    #expect(store.openingReport.tail.range?.count == 100)
  }

  // Covers C15.
  @Test func aRecordAboveTheLimitIsRefusedBeforeAByteOfItIsWritten() throws {
    #expect(LogFormat.payloadLimit == 1 << 30)
    let written = Counter()
    let writer = LogFrameWriter(
      continuing: LogChain(LogHeader(identifier: UUID(), generation: 1, salt: 1)),
      payloadLimit: 100
    ) { _ in _ = written.next() }
    writer.append { $0.appendZeros(100) }
    try writer.finish(.transaction)
    #expect(written.next() == 2)
    writer.append { $0.appendZeros(101) }
    let error = #expect(throws: PersistenceError.self) { try writer.finish(.transaction) }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("101 bytes") == true)
    #expect(written.next() == 3)
  }
}
