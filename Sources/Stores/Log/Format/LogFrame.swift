import CXXHash

/// A position in the sequence of frames, which the next frame must continue.
struct LogChain: Hashable, Sendable {
  let salt: UInt64
  /// The sequence of the last frame; 0 before the first.
  var sequence: UInt64
  /// The payload checksum of the last frame; before the first the checksum of the file header.
  var checksum: UInt64

  /// The position before the first frame.
  init(_ header: LogHeader) {
    salt = header.salt
    sequence = 0
    checksum = header.checksum
  }

  /// The position before a frame.
  init(before frame: LogFrameHeader, salt: UInt64) {
    self.salt = salt
    sequence = frame.sequence - 1
    checksum = frame.previousChecksum
  }

  /// The checksum of a payload, which depends on the salt and the sequence number.
  func payloadChecksum(_ payload: UnsafeRawBufferPointer, sequence: UInt64) -> UInt64 {
    catalog_xxh3(payload.baseAddress, payload.count, salt &+ sequence)
  }
}

/// The header of a frame.
struct LogFrameHeader: Hashable, Sendable {
  var payloadBytes: Int
  var kind: UInt8
  var flags: UInt8
  var sequence: UInt64
  var previousChecksum: UInt64
  var payloadChecksum: UInt64

  /// Whether the transaction continues in the next frame.
  var continues: Bool { flags & LogFormat.continuesFlag != 0 }
  /// The size of header, payload and padding.
  var frameBytes: Int { LogFormat.frameBytes(payload: payloadBytes) }

  /// Writes the header to the first 40 bytes.
  func encode(to bytes: UnsafeMutableRawBufferPointer, salt: UInt64) {
    bytes.store(LogFormat.frameMarker, at: LogFormat.Frame.marker)
    bytes.store(UInt32(payloadBytes), at: LogFormat.Frame.payloadLength)
    bytes.store(kind, at: LogFormat.Frame.kind)
    bytes.store(flags, at: LogFormat.Frame.flags)
    bytes.store(UInt16(0), at: LogFormat.Frame.zero)
    bytes.store(sequence, at: LogFormat.Frame.sequence)
    bytes.store(previousChecksum, at: LogFormat.Frame.previousChecksum)
    bytes.store(payloadChecksum, at: LogFormat.Frame.payloadChecksum)
    let checksum = Self.checksum(UnsafeRawBufferPointer(bytes), salt: salt)
    bytes.store(checksum, at: LogFormat.Frame.headerChecksum)
  }

  /// Reads the header from 40 bytes; `nil` unless marker and checksum are right.
  ///
  /// No part of a header is used, least of all the length, before its checksum is verified.
  init?(_ bytes: UnsafeRawBufferPointer, salt: UInt64) {
    assert(bytes.count >= LogFormat.frameHeaderBytes, "A frame header needs 40 bytes.")
    guard bytes.littleEndian(LogFormat.Frame.marker, as: UInt32.self) == LogFormat.frameMarker,
      bytes.littleEndian(LogFormat.Frame.headerChecksum, as: UInt32.self)
        == Self.checksum(bytes, salt: salt)
    else { return nil }
    payloadBytes = Int(bytes.littleEndian(LogFormat.Frame.payloadLength, as: UInt32.self))
    kind = bytes[LogFormat.Frame.kind]
    flags = bytes[LogFormat.Frame.flags]
    sequence = bytes.littleEndian(LogFormat.Frame.sequence, as: UInt64.self)
    previousChecksum = bytes.littleEndian(LogFormat.Frame.previousChecksum, as: UInt64.self)
    payloadChecksum = bytes.littleEndian(LogFormat.Frame.payloadChecksum, as: UInt64.self)
  }

  init(
    payloadBytes: Int,
    kind: LogFormat.FrameKind,
    continues: Bool,
    sequence: UInt64,
    previousChecksum: UInt64,
    payloadChecksum: UInt64
  ) {
    self.payloadBytes = payloadBytes
    self.kind = kind.rawValue
    flags = continues ? LogFormat.continuesFlag : 0
    self.sequence = sequence
    self.previousChecksum = previousChecksum
    self.payloadChecksum = payloadChecksum
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> UInt32 {
    let checked = UnsafeRawBufferPointer(
      rebasing: bytes[LogFormat.Frame.checkedFrom..<LogFormat.frameHeaderBytes]
    )
    return UInt32(truncatingIfNeeded: catalog_xxh3(checked.baseAddress, checked.count, salt))
  }
}
