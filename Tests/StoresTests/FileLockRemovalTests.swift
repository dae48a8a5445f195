import Foundation
import Synchronization
import Testing

@testable import Stores

/// Lock files are created and removed, and still two writers never hold the lock at the same time.
@Suite struct FileLockRemovalTests {
  let folder: TemporaryFolder
  let files = LocalFileSystem()

  init() throws {
    folder = try TemporaryFolder()
    try folder.put("a", Array("0".utf8))
  }

  private func lock(_ files: any FileSystem) throws -> FileLock {
    let directory = try files.openDirectory(folder.path)
    defer { files.closeQuietly(directory) }
    let status = try files.status(of: folder.file("a"), in: nil)
    return try FileLock(fileSystem: files, directory: directory, name: "a", like: status)
  }

  private var hasLockFile: Bool {
    FileManager.default.fileExists(atPath: folder.file(".a.lock"))
  }

  @Test func theLockFileGoesWithWhoeverHasItLast() throws {
    let first = try lock(files)
    let second = try lock(files)
    try first.acquire()
    #expect(throws: FileError.self) { try second.acquire(timeoutSeconds: 0) }
    first.discard()
    first.release()
    #expect(!hasLockFile)
    try second.withLock {
      #expect(hasLockFile)
      // The first one has the removed file open.
      #expect(throws: FileError.self) { try first.acquire(timeoutSeconds: 0) }
    }
    second.discardIfFree()
    #expect(!hasLockFile)
  }

  @Test func whoWritesNoMoreTakesAwayOnlyWhatNobodyHolds() throws {
    let first = try lock(files)
    let second = try lock(files)
    try first.acquire()
    second.discardIfFree()
    #expect(hasLockFile)
    first.release()
    second.discardIfFree()
    #expect(!hasLockFile)
    try first.acquire()
    // Its file has no name, and it does not touch the file of the first one.
    second.discardIfFree()
    #expect(hasLockFile)
    first.release()
  }

  /// One program removes the lock file between every two calls of another program that acquires the
  /// lock.
  @Test func aLockFileThatGoesAtAnyMomentIsMadeAgain() throws {
    for moment in 0..<12 {
      let watched = FaultyFileSystem()
      let rival = try lock(files)
      let calls = Counter()
      let removals = Counter()
      watched.observe { _ in
        guard calls.next() == moment + 1, (try? rival.acquire(timeoutSeconds: 0)) != nil else {
          return
        }
        rival.discard()
        rival.release()
        _ = removals.next()
      }
      let mine = try lock(watched)
      try mine.acquire(timeoutSeconds: 1)
      #expect(hasLockFile, "\(moment)")
      #expect(throws: FileError.self) { try lock(files).acquire(timeoutSeconds: 0) }
      watched.observe { _ in }
      mine.discard()
      mine.release()
      if moment < 3 { #expect(removals.next() == 2, "it was removed once") }
    }
    #expect(!hasLockFile)
  }

  @Test func manyThreadsExcludeEachOtherWhileTheLockFileComesAndGoes() throws {
    let holders = Mutex(0)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { number in
      do {
        var own = try lock(files)
        for round in 0..<60 {
          if round % 7 == number { own = try lock(files) }
          try own.acquire(timeoutSeconds: 30)
          let count = holders.withLock { holders in
            holders += 1
            return holders
          }
          if count != 1 { failures.withLock { $0.append("\(count) hold the lock") } }
          holders.withLock { $0 -= 1 }
          if (round + number) % 3 != 0 { own.discard() }
          own.release()
          if round % 5 == 0 { own.discardIfFree() }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    try lock(files).discardIfFree()
    #expect(!hasLockFile)
  }
}
