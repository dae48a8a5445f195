import Foundation
import OpenSwiftData
import Stores
import Synchronization

/// A save as the history keeps it.
struct HistoryEntry {
  /// Chosen before the transaction, to find out later whether it was written.
  let id: UUID
  let author: String?
  let message: String?
  /// The number of the transaction.
  var token: Int64 = 0
  /// The changes of the save, as they are stored then.
  var saved = ChangeSet()
  /// What the database changed beyond them.
  var further = ChangeSet()
  /// All of these, if they were encoded already.
  var encoded: EncodedChanges?
  /// True if the changes are too many to keep.
  var isBulk = false
  /// The greatest key of the records of such a save.
  var greatestKey: RecordKey?
  /// The change of the tables that came before.
  var change: OwnTableChange?

  /// Describes a save with a random identifier; `UUID()` opens a file for each.
  init(author: String?, message: String?) {
    // Version 4 of RFC 9562.
    id = UUID(
      high: .random(in: 0 ... .max) & ~0xF000 | 0x4000,
      low: .random(in: 0 ... .max) >> 2 | 1 << 63
    )
    (self.author, self.message) = (author, message)
  }

  /// The changes of the save, and what the database changed beyond them; both concern different records.
  var allChanges: ChangeSet {
    if further.isEmpty { return saved }
    return ChangeSet(
      inserted: saved.inserted + further.inserted,
      updated: saved.updated + further.updated,
      deleted: saved.deleted + further.deleted
    )
  }
}

/// Changes as bytes for the history; many are encoded on another thread while their rows are written.
final class EncodedChanges: Sendable {
  /// The number of changes from which on another thread pays.
  private static let leastCount = 1000

  /// The greatest key of new records.
  let greatestKey: RecordKey?
  private let codec: ChangeSetCodec
  private let result = Mutex<Result<[UInt8], any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ changes: ChangeSet, _ codec: ChangeSetCodec) {
    self.codec = codec
    greatestKey = changes.inserted.indices.lazy
      .compactMap { changes.inserted[$0].persistentIdentifier.recordKey }.max()
    if changes.count < Self.leastCount {
      encode(changes)
    } else {
      Thread.detachNewThread { self.encode(changes) }
    }
  }

  private func encode(_ changes: ChangeSet) {
    let encoded = Result { try codec.encode(changes) }
    result.withLock { $0 = encoded }
    isDone.signal()
  }

  /// The bytes, once they are there.
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`.
  func bytes() throws -> [UInt8] {
    isDone.wait()
    defer { isDone.signal() }
    return try result.withLock { try $0?.get() } ?? []
  }
}
