import CZlib
import CZstd
import OpenSwiftData

/// Files compressed with gzip or Zstandard, which are decompressed as a whole and never written.
package enum CompressedFile: String, Sendable {
  case gzip
  case zstd

  /// The compression that the first bytes of a file show; nil for none.
  package init?(startingWith bytes: ArraySlice<UInt8>) {
    let start = bytes.prefix(4)
    if start.prefix(2) == [0x1F, 0x8B] {
      self = .gzip
    } else if start == [0x28, 0xB5, 0x2F, 0xFD] {
      self = .zstd
    } else {
      return nil
    }
  }

  /// The name of a file without the extension of its compression.
  package static func innerName(of path: String) -> String {
    let name = splitPath(path).name
    let lowercased = name.lowercased()
    guard let ending = [".gz", ".zst", ".zstd"].first(where: { lowercased.hasSuffix($0) }) else {
      return name
    }
    return String(name.dropLast(ending.count))
  }

  /// Decompresses the content of a file.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - path: The file, for messages.
  ///   - limitBytes: The length at which the text is refused.
  /// - Returns: The text.
  /// - Throws: `PersistenceError` with the path: `.damaged`, or `.inaccessible` for a text that is too long.
  package func decompress(_ bytes: [UInt8], path: String, limitBytes: Int) throws -> [UInt8] {
    var text: [UInt8] = []
    let sink: ([UInt8]) throws -> Void = { piece in
      try Interruption.check()
      text += piece
      guard text.count <= limitBytes else {
        throw PersistenceError(
          .inaccessible,
          "\(path): more than \(limitBytes >> 20) MiB when it is decompressed; decompress it into a file"
        )
      }
    }
    let isWhole = try self == .gzip ? Self.inflate(bytes, sink) : Self.expand(bytes, sink)
    guard isWhole else {
      throw PersistenceError(.damaged, "\(path): damaged or incomplete \(rawValue) file")
    }
    return text
  }

  private static let pieceBytes = 1 << 18

  /// Decompresses one gzip member after the other; false for bytes that are not complete.
  private static func inflate(_ bytes: [UInt8], _ sink: ([UInt8]) throws -> Void) throws -> Bool {
    var stream = z_stream()
    // 16 asks for the header of gzip.
    guard
      inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        == Z_OK
    else { preconditionFailure("Out of memory.") }
    defer { inflateEnd(&stream) }
    return try bytes.withUnsafeBufferPointer { source in
      var place = 0
      var isEnded = false
      while place < source.count || !isEnded {
        let given = min(source.count - place, 1 << 24)
        var status = Z_OK
        let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
          stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress.map { $0 + place })
          stream.avail_in = UInt32(given)
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          status = CZlib.inflate(&stream, Z_NO_FLUSH)
          count = buffer.count - Int(stream.avail_out)
        }
        let taken = given - Int(stream.avail_in)
        place += taken
        try sink(piece)
        isEnded = status == Z_STREAM_END
        if isEnded {
          // Some programs fill the last block with zeros.
          if source[place...].allSatisfy({ $0 == 0 }) { return true }
          guard inflateReset(&stream) == Z_OK else { return false }
        } else if status != Z_OK || (taken == 0 && piece.isEmpty) {
          return false
        }
      }
      return isEnded
    }
  }

  /// Decompresses one frame after the other; false for bytes that are not complete.
  private static func expand(_ bytes: [UInt8], _ sink: ([UInt8]) throws -> Void) throws -> Bool {
    guard let stream = ZSTD_createDStream() else { preconditionFailure("Out of memory.") }
    defer { ZSTD_freeDStream(stream) }
    return try bytes.withUnsafeBytes { source in
      var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
      while true {
        var result = 0
        var isFull = false
        let before = input.pos
        let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
          var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
          result = ZSTD_decompressStream(stream, &output, &input)
          count = output.pos
          isFull = output.pos == output.size
        }
        if ZSTD_isError(result) != 0 { return false }
        try sink(piece)
        if input.pos == input.size, !isFull { return result == 0 }
        if input.pos == before, piece.isEmpty { return false }
      }
    }
  }
}
