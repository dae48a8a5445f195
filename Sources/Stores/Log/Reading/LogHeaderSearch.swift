/// Searches for frame headers that verify, at any offset.
///
/// It tries every byte, because insertions or losses before a header may have moved it.
struct LogHeaderSearch {
  let fileSystem: any FileSystem
  let file: OpenFile
  let sizeBytes: Int
  let salt: UInt64

  /// The first intact header at or after an offset that `isWanted` accepts.
  ///
  /// - Throws: `FileSystemError`; `LogDamage.shortened`.
  /// - Complexity: O(n) in the bytes after the offset.
  func first(from start: Int, where isWanted: (Int, LogFrameHeader) -> Bool) throws
    -> (offset: Int, header: LogFrameHeader)?
  {
    let headerBytes = LogFormat.frameHeaderBytes
    guard start + headerBytes <= sizeBytes else { return nil }
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(1 << 20, sizeBytes - start),
      alignment: 16
    )
    defer { chunk.deallocate() }
    var offset = start
    while offset + headerBytes <= sizeBytes {
      let wanted = min(chunk.count, sizeBytes - offset)
      let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
      let count = try fileSystem.readFully(file, at: offset, into: part)
      guard count == wanted else { throw LogDamage.shortened(to: offset + count, from: sizeBytes) }
      if let found = first(in: UnsafeRawBufferPointer(part), at: offset, where: isWanted) {
        return found
      }
      // The next piece overlaps, for a header across the border.
      offset += wanted - headerBytes + 1
    }
    return nil
  }

  private func first(
    in bytes: UnsafeRawBufferPointer,
    at offset: Int,
    where isWanted: (Int, LogFrameHeader) -> Bool
  ) -> (offset: Int, header: LogFrameHeader)? {
    let marker = UInt8(truncatingIfNeeded: LogFormat.frameMarker)
    var position = 0
    while position + LogFormat.frameHeaderBytes <= bytes.count {
      defer { position += 1 }
      guard bytes[position] == marker,
        bytes.littleEndian(position, as: UInt32.self) == LogFormat.frameMarker
      else { continue }
      let candidate = UnsafeRawBufferPointer(rebasing: bytes[position...])
      if let header = LogFrameHeader(candidate, salt: salt), isWanted(offset + position, header) {
        return (offset + position, header)
      }
    }
    return nil
  }
}
