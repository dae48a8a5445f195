/// A verified frame; its payload is valid until the scanner advances.
struct LogFrame {
  let header: LogFrameHeader
  let offset: Int
  let payload: UnsafeRawBufferPointer

  var endOffset: Int { offset + header.frameBytes }
}

/// Why a scan ended.
enum LogScanEnd: Hashable {
  /// The scan reached the end of the file.
  case clean
  /// The file ends within a frame: an interrupted save, or a writer in progress.
  case incomplete
  /// The bytes are not a frame that verifies.
  case invalid
  /// A frame that verifies, but is not the expected next one.
  case misplaced
}

/// Reads the frames of a log in order and verifies each one.
struct LogScanner: ~Copyable {
  /// The offset of the next frame.
  private(set) var offset: Int
  /// The chain that the next frame must continue.
  private(set) var chain: LogChain
  /// Why the scan ended; `nil` while there may be more frames.
  private(set) var end: LogScanEnd?

  private let fileSystem: any FileSystem
  private let file: OpenFile
  private let sizeBytes: Int
  private var window: UnsafeMutableRawBufferPointer
  private var windowOffset = 0
  private var windowBytes = 0

  /// The maximum size to read ahead.
  private static let windowLimit = 8 << 20

  /// Starts at `offset` and reads up to `sizeBytes`.
  init(
    _ fileSystem: any FileSystem,
    _ file: OpenFile,
    from offset: Int,
    sizeBytes: Int,
    chain: LogChain
  ) {
    self.fileSystem = fileSystem
    self.file = file
    self.offset = offset
    self.sizeBytes = sizeBytes
    self.chain = chain
    let size = max(LogFormat.frameHeaderBytes, min(Self.windowLimit, sizeBytes - offset))
    window = .allocate(byteCount: size, alignment: 4096)
  }

  deinit { window.deallocate() }

  /// The next frame; `nil` if the scan has ended.
  ///
  /// - Throws: `FileSystemError`: a device error does not count as an interrupted save.
  mutating func next() throws -> LogFrame? {
    guard end == nil else { return nil }
    guard offset < sizeBytes else { return stop(.clean) }
    guard sizeBytes - offset >= LogFormat.frameHeaderBytes else { return stop(.incomplete) }
    let start = try bytes(LogFormat.frameHeaderBytes)
    guard let header = LogFrameHeader(start, salt: chain.salt) else { return stop(.invalid) }
    guard header.payloadBytes <= LogFormat.payloadLimit else { return stop(.invalid) }
    guard header.sequence == chain.sequence + 1, header.previousChecksum == chain.checksum else {
      return stop(.misplaced)
    }
    guard header.frameBytes <= sizeBytes - offset else { return stop(.incomplete) }
    let frame = try bytes(header.frameBytes)
    let from = LogFormat.frameHeaderBytes
    let payload = UnsafeRawBufferPointer(rebasing: frame[from..<from + header.payloadBytes])
    let padding = frame[(from + header.payloadBytes)...]
    guard chain.payloadChecksum(payload, sequence: header.sequence) == header.payloadChecksum,
      padding.allSatisfy({ $0 == 0 })
    else { return stop(.invalid) }
    let found = LogFrame(header: header, offset: offset, payload: payload)
    chain.sequence = header.sequence
    chain.checksum = header.payloadChecksum
    offset = found.endOffset
    return found
  }

  /// Starts at a frame and uses the chain that its own header states.
  ///
  /// - Throws: `LogDamage.damagedMiddle` if there is no valid frame.
  init(_ fileSystem: any FileSystem, _ file: OpenFile, at range: Range<Int>, salt: UInt64) throws {
    let start = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LogFormat.frameHeaderBytes,
      alignment: 8
    )
    defer { start.deallocate() }
    let count = try fileSystem.readFully(file, at: range.lowerBound, into: start)
    guard count == start.count,
      let header = LogFrameHeader(UnsafeRawBufferPointer(start), salt: salt)
    else {
      throw LogDamage.damagedMiddle(
        offset: range.lowerBound,
        afterSequence: 0,
        laterOffset: nil
      )
    }
    self.init(
      fileSystem,
      file,
      from: range.lowerBound,
      sizeBytes: range.upperBound,
      chain: LogChain(before: header, salt: salt)
    )
  }

  private mutating func stop(_ reason: LogScanEnd) -> LogFrame? {
    end = reason
    return nil
  }

  /// The next bytes of the file, from the window if it contains them.
  private mutating func bytes(_ count: Int) throws -> UnsafeRawBufferPointer {
    let isThere = offset >= windowOffset && offset + count <= windowOffset + windowBytes
    if !isThere { try fill(count) }
    let start = offset - windowOffset
    return UnsafeRawBufferPointer(rebasing: window[start..<start + count])
  }

  private mutating func fill(_ count: Int) throws {
    if count > window.count {
      window.deallocate()
      window = .allocate(byteCount: count, alignment: 4096)
    }
    let wanted = min(window.count, sizeBytes - offset)
    windowOffset = offset
    windowBytes = 0
    windowBytes = try fileSystem.readFully(
      file,
      at: offset,
      into: UnsafeMutableRawBufferPointer(rebasing: window[..<wanted])
    )
    guard windowBytes >= count else {
      throw LogDamage.shortened(to: offset + windowBytes, from: sizeBytes)
    }
  }
}
