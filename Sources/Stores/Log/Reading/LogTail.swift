/// What follows the last complete transaction of a log.
package enum LogTail: Hashable, Sendable {
  case none
  /// An interrupted save, which was never acknowledged.
  case torn(offset: Int, sizeBytes: Int)
  /// Bytes that do not verify: an interrupted save, or an acknowledged one damaged later.
  case damaged(offset: Int, sizeBytes: Int)

  /// The offset and the size of the tail.
  package var range: Range<Int>? {
    switch self {
    case .none: nil
    case .torn(let offset, let size), .damaged(let offset, let size): offset..<offset + size
    }
  }
}

/// Classifies the bytes after the last complete transaction; see `docs/format-log.md`, section 5.
///
/// A crash leaves at most one unacknowledged transaction: some bytes of its frames in their places,
/// zeros or garbage in others, and nothing after its end. Anything else is damage.
struct LogTailVerdict {
  let fileSystem: any FileSystem
  let file: OpenFile
  let sizeBytes: Int
  let salt: UInt64

  /// The unit in which disks write.
  private static let sectorBytes = 512

  /// Classifies the bytes after the last complete transaction.
  ///
  /// - Parameters:
  ///   - end: Why the scan ended.
  ///   - badOffset: Where it ended.
  ///   - lastSequence: The sequence number of the last frame that verified.
  ///   - committedOffset: The end of the last complete transaction, where the tail begins.
  /// - Returns: The kind of tail.
  /// - Throws: `LogDamage.damagedMiddle` if more than one save is affected.
  func tail(
    after end: LogScanEnd,
    at badOffset: Int,
    lastSequence: UInt64,
    committedOffset: Int
  ) throws -> LogTail {
    let tailBytes = sizeBytes - committedOffset
    if end == .clean, tailBytes == 0 { return .none }
    let torn = LogTail.torn(offset: committedOffset, sizeBytes: tailBytes)
    if end == .clean { return torn }
    let evidence =
      try end == .misplaced
      ? badOffset : evidence(behind: badOffset, lastSequence: lastSequence)
    if let evidence {
      throw LogDamage.damagedMiddle(
        offset: badOffset,
        afterSequence: lastSequence,
        laterOffset: evidence
      )
    }
    if end == .incomplete { return torn }
    return try neverReachedTheDisk(badOffset)
      ? torn : .damaged(offset: committedOffset, sizeBytes: tailBytes)
  }

  /// The offset of something that an interrupted save cannot have left.
  private func evidence(behind badOffset: Int, lastSequence: UInt64) throws -> Int? {
    let start = try bytes(badOffset..<min(badOffset + LogFormat.frameHeaderBytes, sizeBytes))
    let end = start.withUnsafeBytes {
      statedEnd(of: $0, at: badOffset, sequence: lastSequence + 1)
    }
    if let end, end < sizeBytes { return end }
    let search = LogHeaderSearch(
      fileSystem: fileSystem,
      file: file,
      sizeBytes: sizeBytes,
      salt: salt
    )
    return try search.first(from: badOffset + 1) { offset, header in
      // Only parts of the same transaction may follow, at the places that frames have.
      guard LogFormat.FrameKind(rawValue: header.kind)?.isPart ?? false,
        offset % LogFormat.alignment == 0, header.sequence > lastSequence + 1
      else { return true }
      return !header.continues && offset + header.frameBytes < sizeBytes
    }?.offset
  }

  /// The end of the transaction that ends with this frame, if its header is readable.
  ///
  /// If the header crosses the border of two sectors and only the first was written, the checksum of
  /// the payload is missing, but not its length. The kind, which comes after the length and is never
  /// zero, shows that the length was written, and the sequence number that the flags were.
  private func statedEnd(
    of bytes: UnsafeRawBufferPointer,
    at offset: Int,
    sequence: UInt64
  ) -> Int? {
    guard bytes.count == LogFormat.frameHeaderBytes else { return nil }
    if let header = LogFrameHeader(bytes, salt: salt) {
      return header.continues ? nil : offset + header.frameBytes
    }
    let visible = Self.sectorBytes - offset % Self.sectorBytes
    guard visible < bytes.count, visible > LogFormat.Frame.flags,
      bytes[visible...].allSatisfy({ $0 == 0 }),
      bytes[LogFormat.Frame.kind] != 0,
      visible < LogFormat.Frame.previousChecksum
        || bytes.littleEndian(LogFormat.Frame.sequence, as: UInt64.self) == sequence,
      bytes.littleEndian(LogFormat.Frame.marker, as: UInt32.self) == LogFormat.frameMarker,
      bytes[LogFormat.Frame.flags] & LogFormat.continuesFlag == 0
    else { return nil }
    let length = bytes.littleEndian(LogFormat.Frame.payloadLength, as: UInt32.self)
    return offset + LogFormat.frameBytes(payload: Int(length))
  }

  /// Whether the file was extended by a save whose data was not all written: whole sectors are
  /// zero.
  ///
  /// If even the header is missing, several saves may be affected, unless the sector in which the
  /// save begins is unchanged.
  private func neverReachedTheDisk(_ badOffset: Int) throws -> Bool {
    let start = try bytes(badOffset..<min(badOffset + LogFormat.frameHeaderBytes, sizeBytes))
    let isSound = start.withUnsafeBytes {
      $0.count == LogFormat.frameHeaderBytes && LogFrameHeader($0, salt: salt) != nil
    }
    if isSound { return try hasZeroSector(behind: badOffset) }
    let border = (badOffset / Self.sectorBytes + 1) * Self.sectorBytes
    guard badOffset % Self.sectorBytes > 0 else { return false }
    return try bytes(badOffset..<min(border, sizeBytes)).allSatisfy { $0 == 0 }
  }

  private func bytes(_ range: Range<Int>) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBytes {
      try fileSystem.readFully(file, at: range.lowerBound, into: $0)
    }
    guard count == range.count else {
      throw LogDamage.shortened(to: range.lowerBound + count, from: sizeBytes)
    }
    return bytes
  }

  private func hasZeroSector(behind start: Int) throws -> Bool {
    let sector = Self.sectorBytes
    var found = false
    let first = (start + sector - 1) / sector * sector
    guard first < sizeBytes else { return false }
    try fileSystem.readChunked(file, range: first..<sizeBytes) { bytes, _ in
      for position in stride(from: 0, to: bytes.count, by: sector) where !found {
        let end = min(position + sector, bytes.count)
        found = end - position == sector && bytes[position..<end].allSatisfy { $0 == 0 }
      }
    }
    return found
  }
}
