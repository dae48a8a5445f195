import Foundation
import OpenSwiftData
import Stores
import Synchronization

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
