import CXXHash
import Foundation
import OpenSwiftData

/// The first 64 bytes of a log.
struct LogHeader: Hashable, Sendable {
  /// Identifies the store; unchanged by compaction.
  var identifier: UUID
  /// Increases by one with each compaction.
  var generation: UInt64
  /// Seeds every checksum of the generation, so that frames of other generations do not verify.
  var salt: UInt64
  /// Higher than `LogFormat.minorVersion` if a newer program wrote the log, which can then only be
  /// read.
  var minorVersion = LogFormat.minorVersion
  /// Features that a reader must know.
  var features = LogFormat.columnsFeature
  /// Features that a reader may ignore, but not a writer.
  var readOnlyFeatures: UInt32 = 0

  /// Whether the log may contain records in columns.
  var hasColumns: Bool { features & LogFormat.columnsFeature != 0 }

  /// Whether this program may read the log but not write to it.
  var isReadOnly: Bool { minorVersion > LogFormat.minorVersion || readOnlyFeatures != 0 }

  /// The checksum of the header, which the first frame continues.
  var checksum: UInt64 { encoded().withUnsafeBytes { Self.checksum(of: $0) } }

  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: LogFormat.headerBytes)
    bytes.withUnsafeMutableBytes { buffer in
      let (high, low) = identifier.words
      buffer.copyBytes(from: LogFormat.magic)
      buffer.store(LogFormat.majorVersion, at: LogFormat.Header.majorVersion)
      buffer.store(minorVersion, at: LogFormat.Header.minorVersion)
      buffer.store(features, at: LogFormat.Header.incompatibleFeatures)
      buffer.store(readOnlyFeatures, at: LogFormat.Header.readOnlyFeatures)
      buffer.store(UInt32(LogFormat.headerBytes), at: LogFormat.Header.length)
      buffer.store(high.byteSwapped, at: LogFormat.Header.identifier)
      buffer.store(low.byteSwapped, at: LogFormat.Header.identifier + 8)
      buffer.store(generation, at: LogFormat.Header.generation)
      buffer.store(salt, at: LogFormat.Header.salt)
      let checksum = Self.checksum(of: UnsafeRawBufferPointer(buffer))
      buffer.store(checksum, at: LogFormat.Header.checksum)
    }
    return bytes
  }

  /// No log reaches this generation; a greater one is rejected, so that `nextGeneration` is always
  /// valid.
  private static let greatestGeneration = UInt64.max - 1

  /// The generation of the file that replaces this one.
  var nextGeneration: UInt64 { min(generation + 1, Self.greatestGeneration) }

  init(identifier: UUID, generation: UInt64, salt: UInt64) {
    self.identifier = identifier
    self.generation = generation
    self.salt = salt
  }

  /// Reads the header from the first bytes of a file, which may be too few.
  init(_ bytes: UnsafeRawBufferPointer) throws(LogDamage) {
    try Self.checkMagic(bytes)
    guard bytes.count >= LogFormat.headerBytes,
      Self.checksum(of: bytes) == bytes.littleEndian(LogFormat.Header.checksum, as: UInt64.self)
    else { throw .damagedHeader }
    let version = bytes.littleEndian(LogFormat.Header.majorVersion, as: UInt16.self)
    guard version == LogFormat.majorVersion else { throw .unknownVersion(version) }
    let features = bytes.littleEndian(LogFormat.Header.incompatibleFeatures, as: UInt32.self)
    guard features & ~LogFormat.columnsFeature == 0 else {
      throw .unknownFeatures(features & ~LogFormat.columnsFeature)
    }
    let length = bytes.littleEndian(LogFormat.Header.length, as: UInt32.self)
    guard length == LogFormat.headerBytes else { throw .unknownHeader(sizeBytes: length) }
    let at = LogFormat.Header.identifier
    self.init(
      identifier: UUID(
        high: bytes.littleEndian(at, as: UInt64.self).byteSwapped,
        low: bytes.littleEndian(at + 8, as: UInt64.self).byteSwapped
      ),
      generation: bytes.littleEndian(LogFormat.Header.generation, as: UInt64.self),
      salt: bytes.littleEndian(LogFormat.Header.salt, as: UInt64.self)
    )
    guard (1...Self.greatestGeneration).contains(generation) else { throw .damagedHeader }
    self.features = features
    minorVersion = bytes.littleEndian(LogFormat.Header.minorVersion, as: UInt16.self)
    readOnlyFeatures = bytes.littleEndian(LogFormat.Header.readOnlyFeatures, as: UInt32.self)
  }

  private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    catalog_xxh3(bytes.baseAddress, LogFormat.Header.checksum, 0)
  }

  private static func checkMagic(_ bytes: UnsafeRawBufferPointer) throws(LogDamage) {
    guard !bytes.isEmpty else { throw .empty }
    let start = bytes.prefix(LogFormat.magic.count)
    guard !start.elementsEqual(LogFormat.magic) else { return }
    let isStripped = start.first == LogFormat.magic[0] & 0x7F
    let name = LogFormat.magic[1..<4]
    guard bytes.count >= 8, start.dropFirst().prefix(3).elementsEqual(name),
      isStripped || start.first == LogFormat.magic[0]
    else { throw .notALog }
    throw .copiedAsText
  }
}
