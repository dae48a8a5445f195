import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Many programs that save the same file concurrently, and locks of files that were never created.
@Suite struct ManyWritersTests {
  let folder: TemporaryFolder
  let files = FaultyFileSystem()

  init() throws {
    folder = try TemporaryFolder()
  }

  /// With a key: which of two equal records another program has changed would not be certain.
  private static let records = #"{"id":7,"n":0},{"id":9,"n":0}"#
  static let texts = [
    ("films.json", "[\(records)]"), ("films.jsonl", "{\"id\":7,\"n\":0}\n{\"id\":9,\"n\":0}\n"),
    (
      "catalog.json",
      #"{"catalog":{"format":1,"store":"s","schema":{"entities":[{"name":"films","attributes":["#
        + #"{"name":"n","type":"integer"}]}]}},"films":[{"id":1,"n":0},{"id":2,"n":0}]}"#
    ),
  ]

  private func update(_ store: JSONStore, _ place: Int, to number: Int64) throws {
    try store.refresh()
    let record = try store.snapshots(matching: Query("films"))[place]
    var values = record.orderedValues
    values[values.count - 1] = .integer(number)
    _ = try store.commit(
      ChangeSet(
        updated: [
          RecordUpdate(
            before: record,
            after: DefaultSnapshot(
              persistentIdentifier: record.persistentIdentifier,
              layout: record.layout,
              orderedValues: values
            )
          )
        ]
      ),
      author: nil
    )
  }

  /// A save that finds a changed file locks it before it reads it again.
  ///
  /// Otherwise other writers could always be faster.
  @Test(arguments: texts.indices)
  func aSaveHasItsTurnHoweverManyComeInBetween(index: Int) throws {
    let (name, text) = Self.texts[index]
    try folder.put(name, Array(text.utf8))
    let path = folder.file(name)
    let mine = try JSONStore(
      JSONStoreConfiguration(path: path, lockTimeoutSeconds: 1, fileSystem: files)
    )
    let other = try JSONStore(JSONStoreConfiguration(path: path, lockTimeoutSeconds: 0))
    let saves = Counter()
    let update = update
    files.observe { call in
      guard call.operation == .lock else { return }
      // Each time, another writer saves before this save has the lock.
      try? update(other, 0, Int64(saves.next()))
    }
    try update(mine, 1, -1)
    let read = try JSONStore(JSONStoreConfiguration(path: path))
    let numbers = try read.snapshots(matching: Query("films")).map { $0["n"] }
    #expect(numbers[1] == .integer(-1))
    #expect(numbers[0] != .integer(0))
  }

  /// All names, including those of lock files.
  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// The wait continues while other writers make progress; otherwise it ends with an error after
  /// the timeout.
  @Test func aWriterWaitsLongerWhileOthersSave() throws {
    try folder.put("a", Array("0".utf8))
    let (directory, name) = (try files.openDirectory(folder.path), "a")
    defer { files.closeQuietly(directory) }
    let status = try files.statusIfPresent(of: name, in: directory)
    let first = try FileLock(
      fileSystem: files,
      directory: directory,
      name: name,
      like: status
    )
    let second = try FileLock(
      fileSystem: files,
      directory: directory,
      name: name,
      like: status
    )
    try first.acquire()
    #expect(throws: FileError.busy(path: folder.file("a"), seconds: 1)) {
      try second.acquire(timeoutSeconds: 1)
    }
    let pauses = Counter()
    let folder = folder
    files.observe { call in
      guard call.operation == .lock else { return }
      let count = pauses.next()
      try? folder.put("a", Array("\(count)".utf8))
      if count == 500 { first.release() }
    }
    // 500 pauses of 5 ms are longer than one second.
    try second.acquire(timeoutSeconds: 1)
    second.release()
  }

  @Test(arguments: ["new.json", "new.jsonl", "new.catlog"])
  func aFileThatCouldNotBeMadeLeavesNoLock(name: String) throws {
    let path = folder.file(name)
    let schema = Schema(Schema.Entity("E", attributes: [Schema.Attribute("a", .text)]))
    files.inject { [.write, .synchronize].contains($0.operation) ? .fail(.noSpace) : .none }
    let failed: any Error = try #require(throws: (any Error).self) {
      if name.hasSuffix(".catlog") {
        let store = try LogStore(
          LogStoreConfiguration(path: path, schema: schema, fileSystem: files)
        )
        _ = try store.commit(ChangeSet(), after: [], author: nil)
      } else {
        let store = try JSONStore(
          JSONStoreConfiguration(path: path, schema: schema, fileSystem: files)
        )
        _ = try store.commit(ChangeSet(), after: [], author: nil)
      }
    }
    #expect("\(failed)".contains("no space"), "\(failed)")
    #expect(try names() == [])
    #expect(files.openCount == 0)
  }

  /// A writer that waited for a removed lock file locks the next one, so that two writers never
  /// hold different locks.
  @Test func aLockThatWasRemovedExcludesNobody() throws {
    let directory = try files.openDirectory(folder.path)
    defer { files.closeQuietly(directory) }
    let first = try FileLock(fileSystem: files, directory: directory, name: "a")
    let second = try FileLock(fileSystem: files, directory: directory, name: "a")
    try first.acquire()
    first.discard()
    first.release()
    try second.acquire()
    #expect(try names() == [".a.lock"])
    let third = try FileLock(fileSystem: files, directory: directory, name: "a")
    #expect(throws: FileError.self) { try third.acquire(timeoutSeconds: 0) }
    second.release()
    try third.acquire(timeoutSeconds: 0)
    third.release()
  }
}
