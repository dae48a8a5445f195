import Foundation
import OpenSwiftData
import StoreFiles
import StoreTorture
import Stores
import Synchronization
import Testing

/// Files and folders for stores of other packages.
@Suite struct StoreFolderTests {
  private static let url = URL(filePath: "/disk/notes")

  private static func text(_ folder: StoreFolder) throws -> [String: String] {
    var texts: [String: String] = [:]
    for name in try folder.stamps().keys {
      texts[name] = try folder.read(name).map { String(decoding: $0, as: UTF8.self) }
    }
    return texts
  }

  private static func write(
    _ texts: [String: String],
    removing removed: Set<String> = [],
    to folder: StoreFolder
  ) throws {
    _ = try folder.withLock {
      try folder.write(texts.mapValues { Data($0.utf8) }, removing: removed)
    }
  }

  /// Three saves: several files, one file, and files that are removed.
  private static let saves: [(texts: [String: String], removed: Set<String>)] = [
    (["a": "1", "b": "1"], []), (["a": "2"], []), (["a": "3", "c": "3"], ["b"]),
    ([:], ["c"]),
  ]

  private static let states: [[String: String]] = [
    [:], ["a": "1", "b": "1"], ["a": "2", "b": "1"], ["a": "3", "c": "3"], ["a": "3"],
  ]

  /// The contents that a power failure leaves but that are those of no allowed save; of a flaw only the first ones.
  private static func wrongStates(_ flaw: SimulatedFileSystem.Flaw? = nil) throws -> [String] {
    let fileSystem = SimulatedFileSystem(flaw: flaw)
    let folder = StoreFolder(url, fileSystem: fileSystem)
    try folder.withLock {}
    let start = fileSystem.disk
    fileSystem.record()
    for (number, save) in saves.enumerated() {
      fileSystem.mark(.begun(number + 1))
      try write(save.texts, removing: save.removed, to: folder)
      fileSystem.mark(.acknowledged(number + 1))
    }
    var states = CrashStates(of: fileSystem.effects, from: start, seed: 5, samples: 0)
    var wrong: [String] = []
    var count = 0
    try states.forEach { state in
      count += 1
      let after = StoreFolder(url, fileSystem: SimulatedFileSystem(state.disk))
      do {
        let found = try after.withLock { try text(after) }
        if found != Self.states[state.acknowledged], found != Self.states[state.begun] {
          wrong.append("\(state.acknowledged), \(state.begun): \(found)")
        }
      } catch let error as PersistenceError {
        wrong.append("\(state.acknowledged), \(state.begun): \(error)")
      }
      return flaw == nil || wrong.isEmpty
    }
    #expect(flaw != nil || count > 50)
    return wrong
  }

  @Test func aTransactionIsCompleteOrAbsentInEveryCrashState() throws {
    #expect(try Self.wrongStates() == [])
  }

  @Test(arguments: [
    SimulatedFileSystem.Flaw.ignoresFileSync, .ignoresDirectorySync, .renamesBeforeSync,
  ])
  func aFlawOfTheFileSystemIsFound(_ flaw: SimulatedFileSystem.Flaw) throws {
    #expect(try !Self.wrongStates(flaw).isEmpty)
  }

  /// Every call fails once; the files are as before, or as after, or the outcome is unknown.
  @Test func aFailedTransactionChangesNothing() throws {
    var outcomes: Set<String> = []
    for call in 1...60 {
      let fileSystem = SimulatedFileSystem()
      let folder = StoreFolder(Self.url, fileSystem: fileSystem)
      try Self.write(["a": "1", "b": "1"], to: folder)
      fileSystem.plan(.init(call: call, code: .noSpace, isPersistent: false))
      var failure: PersistenceError?
      do {
        try Self.write(["a": "2", "c": "2"], removing: ["b"], to: folder)
      } catch let error as PersistenceError {
        failure = error
      }
      fileSystem.plan()
      let isUnknown = failure?.code == .outcomeUnknown
      if !isUnknown {
        let expected = failure == nil ? ["a": "2", "c": "2"] : ["a": "1", "b": "1"]
        #expect(try Self.text(folder) == expected, "call \(call)")
      }
      // The next program completes what was certain.
      let after = try folder.withLock { try Self.text(folder) }
      #expect(after == ["a": "1", "b": "1"] || after == ["a": "2", "c": "2"], "call \(call)")
      if failure != nil, !isUnknown { #expect(after == ["a": "1", "b": "1"], "call \(call)") }
      #expect(fileSystem.temporaryNames == [], "call \(call)")
      outcomes.insert(failure?.code.description ?? "saved")
    }
    #expect(outcomes == ["saved", "inaccessible", "outcomeUnknown"])
  }

  @Test func namesThatAreNotPartOfTheStoreAreRejected() throws {
    let folder = StoreFolder(Self.url, fileSystem: SimulatedFileSystem())
    for name in [".hidden", "a/b"] {
      let error = #expect(throws: PersistenceError.self) { try Self.write([name: ""], to: folder) }
      #expect(error?.code == .invalidValue)
    }
    #expect(try Self.text(folder) == [:])
  }

  @Test func aStampTellsWhetherAFileHasChanged() throws {
    let folder = StoreFolder(Self.url, fileSystem: SimulatedFileSystem())
    #expect(try folder.stamps().isEmpty)
    try Self.write(["a": "1", "b": "1"], to: folder)
    let before = try folder.stamps()
    #expect(try folder.stamps() == before)
    try Self.write(["a": "2"], to: folder)
    let after = try folder.stamps()
    #expect(after["a"] != before["a"] && after["b"] == before["b"])
  }

  @Test func filesThatAnotherProgramHasWrittenAreNotReplaced() throws {
    let folder = StoreFolder(Self.url, fileSystem: SimulatedFileSystem())
    try Self.write(["a": "1", "b": "1"], to: folder)
    var known = try folder.stamps()
    let new = ["a": Data("2".utf8), "c": Data("2".utf8)]
    known = try folder.withLock { try folder.write(new, removing: ["b"], over: known) }
    #expect(try folder.stamps() == known)
    known = try folder.withLock { try folder.write(["a": Data("3".utf8)], over: known) }
    #expect(try folder.stamps() == known)
    try Self.write(["a": "theirs"], to: folder)
    try Self.write(["d": "theirs"], to: folder)
    for (contents, removed) in [
      (["a": "4"], []), (["a": "4", "e": "4"], []), (["c": "4"], ["a"]), (["d": "4"], []),
    ] as [([String: String], Set<String>)] {
      let error = #expect(throws: PersistenceError.self) {
        try folder.withLock {
          _ = try folder.write(contents.mapValues { Data($0.utf8) }, removing: removed, over: known)
        }
      }
      #expect(error?.code == .conflict)
      #expect(try Self.text(folder) == ["a": "theirs", "c": "2", "d": "theirs"])
    }
    // What another program wrote meanwhile is not among the stamps.
    known = try folder.withLock { try folder.write(["c": Data("5".utf8)], over: known) }
    #expect(try known["a"] != folder.stamps()["a"] && known["d"] == nil)
    #expect(try known["c"] == folder.stamps()["c"])
  }

  @Test func aFileIsReplacedUnderItsLock() throws {
    let fileSystem = SimulatedFileSystem()
    let file = StoreFile(URL(filePath: "/disk/new/notes.json"), fileSystem: fileSystem)
    #expect(try file.read() == nil)
    #expect(try file.stamp() == nil)
    try file.withLock {
      try file.write(Data("1".utf8))
      let error = #expect(throws: PersistenceError.self) { try file.withLock {} }
      #expect(error?.code == .busy)
    }
    let stamp = try file.stamp()
    #expect(try file.read() == Data("1".utf8))
    let written = try file.write(Data("2".utf8))
    #expect(written != stamp)
    #expect(try file.stamp() == written)
    for former in [stamp, nil] {
      let error = #expect(throws: PersistenceError.self) {
        try file.write(Data("3".utf8), over: former)
      }
      #expect(error?.code == .conflict)
    }
    #expect(try file.read() == Data("2".utf8))
    #expect(try file.write(Data("3".utf8), over: written) == file.stamp())
  }

  @Test func aRealFolderIsWatchedAndKeepsLinksAndRights() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID())")
    // The system cleans up what cannot be removed.
    defer { try? FileManager.default.removeItem(at: url) }
    let folder = StoreFolder(url)
    try Self.write(["a": "1", "b": "1"], to: folder)
    let path = url.appending(path: "a").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = folder.watch { continuation.yield() }
    try Self.write(["a": "2", "b": "2"], to: folder)
    for await _ in changes { break }
    #expect(watch != nil)
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(rights as? Int == 0o640)
    #expect(try Self.text(folder) == ["a": "2", "b": "2"])
  }

  /// Anybody who can write to the folder can leave such a list.
  @Test(arguments: [
    #"{"replacements":{},"removals":["../precious"]}"#,
    #"{"replacements":{"../precious":".store.new-0"},"removals":[]}"#,
    #"{"replacements":{"a":"../precious"},"removals":[]}"#,
    #"{"replacements":{},"removals":[".store.lock"]}"#, "{}", "",
  ])
  func aListOfOthersNeverReachesFilesOutsideTheFolder(_ list: String) throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID())")
    // The system cleans up what cannot be removed.
    defer { try? FileManager.default.removeItem(at: place) }
    let url = place.appending(path: "notes")
    let folder = StoreFolder(url)
    try Self.write(["a": "1"], to: folder)
    let precious = place.appending(path: "precious")
    try Data("precious".utf8).write(to: precious)
    try Data("new".utf8).write(to: url.appending(path: ".store.new-0"))
    try Data(list.utf8).write(to: url.appending(path: ".store.commit"))
    let error = #expect(throws: PersistenceError.self) { try folder.withLock {} }
    #expect(error?.code == .damaged)
    #expect(try Data(contentsOf: precious) == Data("precious".utf8))
    #expect(try Self.text(folder) == ["a": "1"])
  }
}
