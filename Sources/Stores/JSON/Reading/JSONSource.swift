/// The bytes to read: a file, or the initial text of a new file.
struct JSONSource: Sendable {
  private enum Place: Sendable {
    case file(any FileSystem, OpenFile)
    case memory([UInt8])
  }

  private let place: Place
  /// Where the bytes begin, if they are a part of the file.
  private var start = 0
  private(set) var sizeBytes: Int

  init(_ fileSystem: any FileSystem, _ file: OpenFile, sizeBytes: Int) {
    place = .file(fileSystem, file)
    self.sizeBytes = sizeBytes
  }

  init(_ bytes: [UInt8]) {
    place = .memory(bytes)
    sizeBytes = bytes.count
  }

  /// The text as UTF-8, in memory if the file has another encoding.
  ///
  /// - Throws: `JSONDamage` if the bytes are not text in the encoding.
  func decoded(from encoding: DelimitedEncoding) throws -> JSONSource {
    if encoding == .utf8 { return self }
    return JSONSource(try encoding.decode(bytes(in: 0..<sizeBytes)))
  }

  /// A part of the bytes, whose offsets count from its beginning.
  func part(_ range: Range<Int>?) -> JSONSource {
    guard let range else { return self }
    var part = self
    part.start += range.lowerBound
    part.sizeBytes = range.count
    return part
  }

  /// Reads as many bytes as fit or remain.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let room = UnsafeMutableRawBufferPointer(
      rebasing: buffer[..<max(0, min(buffer.count, sizeBytes - offset))]
    )
    return try readWhole(at: start + offset, into: room)
  }

  /// The same, without regard to the part.
  private func readWhole(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    switch place {
    case .file(let fileSystem, let file):
      return try fileSystem.readFully(file, at: offset, into: buffer)
    case .memory(let bytes):
      let count = max(0, min(buffer.count, bytes.count - offset))
      if count > 0 { buffer.copyBytes(from: bytes[offset..<offset + count]) }
      return count
    }
  }

  /// Runs work that reads the source on another thread; returns false if that is not possible.
  func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    switch place {
    case .file(let fileSystem, _): fileSystem.startThread(work)
    case .memory: DetachedThread.start(work)
    }
  }

  /// The memory that the process can still get; nil if it is unknown.
  var availableMemoryBytes: Int? {
    guard case .file(let fileSystem, _) = place else { return nil }
    return fileSystem.availableMemoryBytes()
  }

  /// The bytes of a range.
  ///
  /// - Throws: `FileError.changedOnDisk` if the file ends before the end of the range.
  func bytes(in range: Range<Int>) throws -> [UInt8] {
    var count = 0
    let result = try [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      count = try read(at: range.lowerBound, into: UnsafeMutableRawBufferPointer(buffer))
      initialized = count
    }
    guard count == range.count else { throw ended }
    return result
  }

  /// Copies a range to the sink.
  func copy(_ range: Range<Int>, to sink: FileSink) throws {
    if range.isEmpty { return }
    switch place {
    case .file(_, let file):
      try sink.copy(from: file, offset: start + range.lowerBound, length: range.count)
    case .memory(let bytes):
      try sink.write(Array(bytes[(start + range.lowerBound)..<(start + range.upperBound)]))
    }
  }

  private var ended: FileError {
    guard case .file(_, let file) = place else { preconditionFailure("memory does not end") }
    return .changedOnDisk(path: file.path)
  }

  /// The line and column of an offset in the file, both from 1; columns count Unicode characters.
  ///
  /// - Complexity: O(offset).
  func position(of offset: Int, lineEnd: UInt8 = 0x0A) throws -> (line: Int, column: Int) {
    let offset = start + offset
    var line = 1
    var column = 1
    var place = 0
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while place < offset {
      let wanted = min(buffer.count, offset - place)
      let count = try readWhole(at: place, into: .init(rebasing: buffer[..<wanted]))
      if count == 0 { break }
      for byte in buffer[..<count] {
        if byte == lineEnd {
          line += 1
          column = 1
        } else if byte & 0xC0 != 0x80 {
          column += 1
        }
      }
      place += count
    }
    return (line, column)
  }
}

/// Reads ascending ranges of a source, most of them small, with few system calls.
struct JSONRangeReader {
  private static let bufferBytes = 1 << 18

  private let source: JSONSource
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ source: JSONSource) { self.source = source }

  /// Lends the bytes of a range.
  mutating func withBytes<Result>(
    in range: Range<Int>,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result {
    if range.lowerBound < start || range.upperBound > start + buffer.count {
      let end = min(max(range.upperBound, range.lowerBound + Self.bufferBytes), source.sizeBytes)
      start = range.lowerBound
      buffer = try source.bytes(in: start..<max(end, range.upperBound))
    }
    let local = (range.lowerBound - start)..<(range.upperBound - start)
    return try buffer.withUnsafeBufferPointer { bytes in
      try body(UnsafeBufferPointer(rebasing: bytes[local]))
    }
  }

  /// Copies a range to the sink, through the buffer where it is small.
  mutating func copy(_ range: Range<Int>, to sink: FileSink) throws {
    let isBuffered = range.lowerBound >= start && range.upperBound <= start + buffer.count
    guard isBuffered || range.count < Self.bufferBytes / 4 else {
      return try source.copy(range, to: sink)
    }
    try withBytes(in: range) { bytes in try sink.write(UnsafeRawBufferPointer(bytes)) }
  }
}
