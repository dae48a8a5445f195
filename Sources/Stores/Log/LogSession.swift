import Foundation
package import OpenSwiftData

/// An open log: the file, its content, and the lock for writing.
///
/// Confined to one thread at a time.
package struct LogSession: TableSession {
  let configuration: LogStoreConfiguration
  let fileSystem: any FileSystem
  /// The path with links resolved.
  let path: String
  /// Whether the log is read-only, by request or because the system does not allow writing.
  var isReadOnly: Bool
  /// The reason, if it was not requested.
  var readOnlyReason: String?
  var content: LogContent
  /// `nil` until the first save creates the log.
  var file: OpenFile?
  /// The status of the file when it was opened; shows whether the name refers to another file now.
  var openedStatus: FileStatus?
  var lock: FileLock?
  /// Generates the keys of new records.
  package var generator: RecordKeyGenerator
  /// Why the store can no longer be used; every call throws it.
  var failure: PersistenceError?
  /// What followed the last complete transaction when the log was opened; the next save cuts it
  /// off.
  var tail = LogTail.none
  /// The file that contains the saved bytes of the tail.
  var keptTailPath: String?
  /// Notes for the user about the location of the file, collected since it was opened.
  var openingNotes: [String] = []
  /// Notes for the user since the last save, until they are reported.
  var savingNotes: [String] = []
  private var hasNotedWeakDirectory = false
  /// The moment until which the last look at the file counts as a new one; nil if it does not.
  var lookEnd: ContinuousClock.Instant?
  /// The size up to which the bytes of an incomplete transaction were already examined.
  var seenBytes = 0

  /// Opens the log, or starts one that its first save will create.
  init(_ configuration: LogStoreConfiguration) throws {
    self.configuration = configuration
    fileSystem = configuration.fileSystem
    isReadOnly = configuration.isReadOnly
    generator = Self.keyGenerator(fileSystem)
    path = try fileSystem.resolveForCreation(configuration.path)
    content = LogContent(LogHeader(identifier: UUID(high: 0, low: 0), generation: 1, salt: 0))
    if try fileSystem.statusIfPresent(of: path, in: nil) == nil {
      try begin()
    } else {
      try openFile()
    }
  }

  /// Begins a log in memory.
  private mutating func begin() throws {
    guard !isReadOnly else { throw FileSystemError(.open, path, .notFound) }
    let header = LogHeader(
      identifier: try newUUID(),
      generation: 1,
      salt: try fileSystem.random()
    )
    content = LogContent(header, schema: configuration.schema ?? Schema())
  }

  /// The records.
  package var table: RecordTable { content.table }
  package var lastToken: Int64 { content.lastToken }
  /// The file that was last compacted, and the last transaction in it.
  package var stamp: [Int64] { [Int64(bitPattern: content.header.salt), content.lastToken] }

  package var savesNewRows: Bool { content.header.hasColumns }
  /// The log then begins with the schema and the rows.
  package func savesNewRows(after change: SchemaChange) -> Bool {
    if case .replaceSchema = change { return false }
    return savesNewRows && isWithoutTransactions
  }

  package mutating func takeConstraints(of schema: Schema?) {
    content.takeConstraints(of: schema)
  }

  /// Throws if the store can no longer be used.
  func checkUsable() throws {
    if let failure { throw failure }
  }

  /// Notes, once, that names in the folder of the file may not survive a power failure.
  mutating func noteWeakDirectory() {
    guard !hasNotedWeakDirectory else { return }
    hasNotedWeakDirectory = true
    savingNotes.append(weakDirectoryNote(path: path))
  }

  /// Converts any error to the one that callers of the store get.
  static func reported(_ error: any Error, path: String) -> any Error {
    guard let damage = error as? LogDamage else { return PersistenceError.reporting(error) }
    return Self.damage(damage, path: path)
  }

  static func damage(_ damage: LogDamage, path: String) -> PersistenceError {
    let code: PersistenceError.Code =
      switch damage {
      case .empty, .notALog: .notAStore
      case .unknownVersion, .unknownFeatures, .unknownHeader, .unknownFrame, .unknownContent:
        .unsupported
      case .exchanged, .shortened: .conflict
      default: .damaged
      }
    return PersistenceError(code, "\(path): \(damage)", cause: damage)
  }

  /// The error of a save to a read-only log.
  var readOnlyError: PersistenceError {
    let reason = readOnlyReason.map { ": \($0)" } ?? ""
    return PersistenceError(.readOnly, "\(path): read-only\(reason)")
  }

  func newUUID() throws(FileSystemError) -> UUID {
    UUID(randomHigh: try fileSystem.random(), low: try fileSystem.random())
  }

  func newHead(author: String?) throws(FileSystemError) -> LogTransactionHead {
    LogTransactionHead(
      token: content.lastToken + 1,
      id: try newUUID(),
      microsecondsSince1970: fileSystem.now() / 1000,
      author: author,
      schemaChecksum: content.schema.checksum
    )
  }

  private static func keyGenerator(_ fileSystem: any FileSystem) -> RecordKeyGenerator {
    RecordKeyGenerator(
      millisecondsSince1970: { fileSystem.now() / 1_000_000 },
      // Without random numbers keys are still unique in this store, because they grow.
      random: { (try? fileSystem.random()) ?? 0 }
    )
  }
}
