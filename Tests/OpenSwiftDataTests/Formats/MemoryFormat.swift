import Foundation
import OpenSwiftData
import Synchronization

/// A location in memory that several stores can open, with the switches of the tests.
final class MemoryLocation: Hashable, Sendable {
  struct State: Sendable {
    var contents: FormatContents?
    var version = 0
    /// The errors that the next writes throw.
    var failures: [PersistenceError] = []
    /// True while a store holds the lock.
    var isLocked = false
    var loadCount = 0
    /// The changes of each write.
    var writes: [FormatChanges] = []
    /// Removes records at the beginning of the next write.
    var nextEdit: (@Sendable (DefaultSnapshot) -> Bool)?
    /// What a store asked to be called for changes.
    var watcher: (@Sendable () -> Void)?
  }

  let state = Mutex(State())

  static func == (lhs: MemoryLocation, rhs: MemoryLocation) -> Bool { lhs === rhs }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var loadCount: Int { state.withLock(\.loadCount) }
  var writes: [FormatChanges] { state.withLock(\.writes) }
  var contents: FormatContents? { state.withLock(\.contents) }

  /// Makes the next writes fail.
  func fail(_ codes: PersistenceError.Code...) {
    state.withLock { $0.failures += codes.map { PersistenceError($0, "the disk is full") } }
  }

  /// Changes what is stored, as another program does.
  func edit(_ change: (inout FormatContents) throws -> Void) rethrows {
    try state.withLock { state in
      var contents = state.contents ?? FormatContents()
      try change(&contents)
      state.contents = contents
      state.version += 1
    }
  }
}

/// A format that stores everything in memory.
struct MemoryFormat: StoreFormat {
  /// The mistakes that the suite must find.
  enum Flaw: CaseIterable {
    case dropsARecord, forgetsDeletions, reversesTheOrder, roundsMoments, hidesVersions
  }

  let location: MemoryLocation
  var savesSchema = true
  var hasVersions = true
  var choosesKeys = false
  var flaw: Flaw?

  init(_ location: MemoryLocation = MemoryLocation(), flaw: Flaw? = nil) {
    self.location = location
    self.flaw = flaw
  }

  func load(_ store: FormatContext) throws -> FormatContents? {
    location.state.withLock { state in
      precondition(state.isLocked, "a store loads within the lock")
      state.loadCount += 1
      return state.contents
    }
  }

  func write(_ contents: FormatContents, changes: FormatChanges, over version: Int?) throws -> Int?
  {
    try location.state.withLock { state in
      precondition(state.isLocked, "a store writes within the lock")
      // An editor that takes no lock.
      if let edit = state.nextEdit {
        state.nextEdit = nil
        state.contents?.records.removeAll(where: edit)
        state.version += 1
      }
      if let version, flaw == nil, version != state.version {
        throw PersistenceError(.conflict, "changed by another program")
      }
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
      var kept = contents
      if !savesSchema { kept.schema = nil }
      switch flaw {
      case .dropsARecord: if kept.records.count > 2 { kept.records.removeLast() }
      case .forgetsDeletions: kept.records += changes.deleted
      case .reversesTheOrder: kept.records.reverse()
      case .roundsMoments: kept.records = kept.records.map(\.rounded)
      default: break
      }
      state.contents = kept
      state.version += 1
      state.writes.append(changes)
      return hasVersions ? flaw == .hidesVersions ? 0 : state.version : nil
    }
  }

  func version() throws -> Int? {
    if flaw == .hidesVersions { return 0 }
    return hasVersions ? location.state.withLock(\.version) : nil
  }

  func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
      let isMine = location.state.withLock { state in
        defer { state.isLocked = true }
        return !state.isLocked
      }
      if isMine { break }
      Thread.sleep(forTimeInterval: 0.000_1)
    }
    defer { location.state.withLock { $0.isLocked = false } }
    return try body()
  }

  func keyText(for record: DefaultSnapshot, attempt: Int) -> String? {
    guard choosesKeys, case .text(let title) = record["title"] else { return nil }
    return attempt == 1 ? title : "\(title)-\(attempt)"
  }
}

extension DefaultSnapshot {
  fileprivate var rounded: DefaultSnapshot {
    var copy = self
    copy.orderedValues = orderedValues.map { value in
      guard case .datetime(let date) = value else { return value }
      return .datetime(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded()))
    }
    return copy
  }
}

/// A memory format whose location can be watched.
struct WatchedFormat: StoreFormat {
  final class Watch: Sendable {}

  let memory: MemoryFormat
  var savesSchema: Bool { true }

  func load(_ store: FormatContext) throws -> FormatContents? { try memory.load(store) }
  func write(_ contents: FormatContents, changes: FormatChanges, over version: Int?) throws -> Int?
  {
    try memory.write(contents, changes: changes, over: version)
  }
  func withLock<Result>(_ body: () throws -> Result) throws -> Result { try memory.withLock(body) }
  func version() throws -> Int? { try memory.version() }
  func watch(_ changed: @escaping @Sendable () -> Void) -> (any AnyObject & Sendable)? {
    memory.location.state.withLock { $0.watcher = changed }
    return Watch()
  }
}

/// The smallest format that persists: two functions over one file.
struct SmallFormat: StoreFormat {
  var url: URL

  func load(_ store: FormatContext) throws -> FormatContents? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try JSONDecoder().decode(FormatContents.self, from: Data(contentsOf: url))
  }

  func write(_ contents: FormatContents, changes: FormatChanges, over version: Never?) throws
    -> Never?
  {
    try JSONEncoder().encode(contents).write(to: url, options: .atomic)
    return nil
  }
}
