/// What stands behind the last whole transaction of a log.
package enum LogTail: Hashable, Sendable {
  case none
  /// A save that was interrupted; it was never acknowledged.
  case torn(offset: Int, sizeBytes: Int)
  /// Bytes that do not verify: an interrupted save, or an acknowledged one that rotted.
  case damaged(offset: Int, sizeBytes: Int)

  /// Where the tail begins and how long it is.
  package var range: Range<Int>? {
    switch self {
    case .none: nil
    case .torn(let offset, let size), .damaged(let offset, let size): offset..<offset + size
    }
  }
}

/// Decides what the bytes behind the last whole transaction are, `docs/format-log.md` section 5.
struct LogTailVerdict {
  let fileSystem: any FileSystem
  let file: OpenFile
  let sizeBytes: Int
  let salt: UInt64

  /// Judges the bytes behind the last whole transaction.
  ///
  /// - Parameters:
  ///   - end: Why the scan ended.
  ///   - badOffset: Where it ended.
  ///   - lastSequence: The last frame that verified.
  ///   - committedOffset: The end of the last whole transaction; the tail begins there.
  /// - Returns: What they are.
  /// - Throws: `LogDamage.damagedMiddle` if sound frames of later transactions follow.
  func tail(
    after end: LogScanEnd,
    at badOffset: Int,
    lastSequence: UInt64,
    committedOffset: Int
  ) throws -> LogTail {
    let tailBytes = sizeBytes - committedOffset
    switch end {
    case .clean:
      return tailBytes == 0 ? .none : .torn(offset: committedOffset, sizeBytes: tailBytes)
    case .incomplete:
      return .torn(offset: committedOffset, sizeBytes: tailBytes)
    case .misplaced:
      throw LogDamage.damagedMiddle(
        offset: badOffset,
        afterSequence: lastSequence,
        laterOffset: badOffset
      )
    case .invalid:
      let search = try searchTail(from: badOffset, lastSequence: lastSequence)
      if let later = search.laterOffset {
        throw LogDamage.damagedMiddle(
          offset: badOffset,
          afterSequence: lastSequence,
          laterOffset: later
        )
      }
      return search.hasZeroSector
        ? .torn(offset: committedOffset, sizeBytes: tailBytes)
        : .damaged(offset: committedOffset, sizeBytes: tailBytes)
    }
  }

  private struct Search {
    var laterOffset: Int?
    var hasZeroSector = false
  }

  /// Looks for a sound header of a later transaction, and for sectors that were never written.
  ///
  /// A part does not count as later: it belongs to a transaction that has lost its beginning.
  private func searchTail(from start: Int, lastSequence: UInt64) throws -> Search {
    let header = LogFormat.frameHeaderBytes
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(1 << 20, sizeBytes - start) + header,
      alignment: 16
    )
    defer { chunk.deallocate() }
    var search = Search(hasZeroSector: false)
    var isAllZero = true
    var offset = start
    while offset < sizeBytes {
      let wanted = min(chunk.count, sizeBytes - offset)
      let count = try fileSystem.readFully(
        file,
        at: offset,
        into: UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
      )
      guard count == wanted else { throw LogDamage.shortened(to: offset + count, from: sizeBytes) }
      let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<wanted])
      isAllZero = isAllZero && bytes.allSatisfy { $0 == 0 }
      if hasZeroSector(bytes, at: offset) { search.hasZeroSector = true }
      if let found = laterFrame(in: bytes, isFirst: offset == start, after: lastSequence) {
        search.laterOffset = offset + found
        return search
      }
      // The next piece overlaps, for a header that lies across the border.
      offset += wanted < chunk.count ? wanted : wanted - header
    }
    if isAllZero { search.hasZeroSector = true }
    return search
  }

  private func laterFrame(
    in bytes: UnsafeRawBufferPointer,
    isFirst: Bool,
    after lastSequence: UInt64
  ) -> Int? {
    var position = isFirst ? LogFormat.alignment : 0
    while position + LogFormat.frameHeaderBytes <= bytes.count {
      defer { position += LogFormat.alignment }
      guard bytes.littleEndian(position, as: UInt32.self) == LogFormat.frameMarker else { continue }
      let candidate = UnsafeRawBufferPointer(rebasing: bytes[position...])
      if let header = LogFrameHeader(candidate, salt: salt), header.sequence > lastSequence,
        header.kind != LogFormat.FrameKind.transactionPart.rawValue
      {
        return position
      }
    }
    return nil
  }

  /// Whether a whole sector of the file is zero: its size grew before its content came.
  private func hasZeroSector(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    let sector = 512
    var position = (offset + sector - 1) / sector * sector - offset
    while position + sector <= bytes.count {
      if bytes[position..<position + sector].allSatisfy({ $0 == 0 }) { return true }
      position += sector
    }
    return false
  }
}
