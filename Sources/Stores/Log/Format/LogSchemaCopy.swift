import CXXHash
import OpenSwiftData

/// A copy of the file header and of the schema in force.
///
/// With copies, no single place of a log is needed to read the others.
struct LogSchemaCopy {
  /// The first 64 bytes of the file.
  var header: LogHeader
  /// The frame that introduced the schema; for a migration of several frames the last one.
  var sequence: UInt64
  var schema: Schema
  /// The checksum in the heads of transactions.
  var checksum: UInt64

  init(from reader: inout PayloadReader) throws {
    do {
      header = try LogHeader(try reader.raw(LogFormat.headerBytes))
    } catch is LogDamage {
      throw PayloadError(reason: "damaged copy of the file header")
    }
    sequence = try reader.unsigned()
    var rest = reader
    checksum = try rest.raw(rest.remaining).checksum
    schema = try LogSchemaCodec.schema(from: &reader)
  }

  static func encode(
    _ header: LogHeader,
    _ schema: Schema,
    since sequence: UInt64,
    to payload: inout PayloadWriter
  ) {
    header.encoded().withUnsafeBytes { payload.append(raw: $0) }
    payload.append(unsigned: sequence)
    LogSchemaCodec.encode(schema, to: &payload)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var checksum: UInt64 { catalog_xxh3(baseAddress, count, 0) }
}

/// The places of the schema in force in the file.
struct LogSchemaPlaces: Hashable, Sendable {
  /// The frame that introduced it.
  var sequence: UInt64 = 1
  /// The number of frames with it, including that one.
  var count = 1
  /// The end of the last of these places.
  var endOffset = 0

  /// The minimum distance between two copies in bytes; in a large file it is an eighth of the size.
  static let leastDistanceBytes = 32 << 10

  /// Whether another copy should precede the next transaction.
  func isCopyDue(sizeBytes: Int, schemaBytes: Int) -> Bool {
    count < 2
      || sizeBytes - endOffset > max(Self.leastDistanceBytes, 16 * schemaBytes, sizeBytes / 8)
  }
}

/// The schemas that can be read anywhere in a damaged log.
struct SalvagedSchemas {
  /// The frames at the start of the log.
  private(set) var first: LogSchema?
  private var known: [UInt64: LogSchema] = [:]
  private var changes: [(before: UInt64, change: SchemaChange)] = []
  private let storeIdentifier: String

  init(storeIdentifier: String) { self.storeIdentifier = storeIdentifier }

  subscript(checksum: UInt64) -> LogSchema? { known[checksum] }

  /// Adds a verified frame.
  mutating func take(_ frame: LogFrame) {
    var reader = PayloadReader(frame.payload)
    // Damage is reported when the frame itself is read.
    switch LogFormat.FrameKind(rawValue: frame.header.kind) {
    case .schema:
      if let schema = try? LogSchemaCodec.schema(from: &reader) { first = add(schema) }
    case .schemaCopy:
      guard let copy = try? LogSchemaCopy(from: &reader) else { return }
      let schema = add(copy.schema)
      if copy.sequence == 1 { first = schema }
    case .pastSchema:
      if let schema = try? LogSchemaCodec.schema(from: &reader) { add(schema) }
    case .migration:
      guard (try? LogTransactionHead(from: &reader)) != nil else { return }
      if let schema = try? LogSchemaCodec.schema(from: &reader) { add(schema) }
    case .schemaChange:
      guard let head = try? LogTransactionHead(from: &reader),
        let change = try? LogSchemaCodec.change(from: &reader)
      else { return }
      changes.append((head.schemaChecksum, change))
    default: return
    }
  }

  /// Adds the schemas that result from the readable changes.
  mutating func complete() {
    var hasGrown = true
    while hasGrown {
      let count = known.count
      for (before, change) in changes {
        // A change that does not apply to its schema is reported when the frame itself is read.
        if let after = try? known[before]?.applying(change) { add(after.schema) }
      }
      hasGrown = known.count > count
    }
  }

  @discardableResult
  private mutating func add(_ schema: Schema) -> LogSchema {
    let schema = LogSchema(schema, storeIdentifier: storeIdentifier)
    known[schema.checksum] = schema
    return schema
  }
}
