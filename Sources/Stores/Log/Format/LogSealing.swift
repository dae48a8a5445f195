import CXXHash

/// Restores the checksums and the order of a log in modified bytes.
///
/// Random modifications of a log are caught by its checksums; sealed, they reach the code that
/// reads the payloads. For tests only: no store writes this way.
package enum LogSealing {
  /// The bytes as a log whose header and frames verify, as far as there is room for frames.
  ///
  /// Lengths beyond the end are cut to what remains, kinds and flags are kept, padding is zero.
  /// - Complexity: O(n).
  package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= LogFormat.headerBytes else { return bytes }
    var bytes = bytes
    bytes.withUnsafeMutableBytes { buffer in
      buffer.copyBytes(from: LogFormat.magic)
      let covered = UnsafeRawBufferPointer(rebasing: buffer[..<LogFormat.Header.checksum])
      let checksum = catalog_xxh3(covered.baseAddress, covered.count, 0)
      buffer.store(checksum, at: LogFormat.Header.checksum)
    }
    guard let header = bytes.withUnsafeBytes({ try? LogHeader($0) }) else { return bytes }
    var chain = LogChain(header)
    var offset = LogFormat.headerBytes
    while bytes.count - offset >= LogFormat.frameHeaderBytes {
      offset += sealFrame(&bytes, at: offset, &chain)
    }
    return bytes
  }

  /// Seals one frame and returns its length.
  private static func sealFrame(_ bytes: inout [UInt8], at offset: Int, _ chain: inout LogChain)
    -> Int
  {
    let room = bytes.count - offset - LogFormat.frameHeaderBytes
    let start = offset + LogFormat.Frame.payloadLength
    let stated = bytes.withUnsafeBytes { $0.littleEndian(start, as: UInt32.self) }
    let payloadBytes = min(Int(stated), room)
    let total = LogFormat.frameBytes(payload: payloadBytes)
    let missing = offset + total - bytes.count
    if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
    return bytes.withUnsafeMutableBytes { buffer in
      let frame = UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + total])
      let end = LogFormat.frameHeaderBytes + payloadBytes
      for place in end..<total { frame[place] = 0 }
      let payload = UnsafeRawBufferPointer(rebasing: frame[LogFormat.frameHeaderBytes..<end])
      var header = LogFrameHeader(
        payloadBytes: payloadBytes,
        kind: .schema,
        continues: false,
        sequence: chain.sequence + 1,
        previousChecksum: chain.checksum,
        payloadChecksum: chain.payloadChecksum(payload, sequence: chain.sequence + 1)
      )
      header.kind = frame[LogFormat.Frame.kind]
      header.flags = frame[LogFormat.Frame.flags]
      header.encode(to: frame, salt: chain.salt)
      chain.sequence = header.sequence
      chain.checksum = header.payloadChecksum
      return total
    }
  }
}
