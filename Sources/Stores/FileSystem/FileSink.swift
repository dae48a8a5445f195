import OpenSwiftData

/// The output for a file's new content; collects small pieces and writes large ones directly.
///
/// It belongs to one `FileReplacement` and one thread, and is used only inside its closure.
package final class FileSink {
  /// Memory of this size is used again; of larger pieces every page would be new with each file.
  private static let bufferBytes = 1 << 16

  private let fileSystem: any FileSystem
  private let file: OpenFile
  /// The file that is replaced, open for reading; nil if a new one is created.
  package let original: OpenFile?
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var written = 0
  /// The bytes in the file, which may be encoded.
  private var stored = 0
  /// The bytes before those that are counted.
  private var skipped = 0
  private var encode: ((UnsafeRawBufferPointer) -> [UInt8])?
  private var digest = ContentDigest.Builder()

  init(fileSystem: any FileSystem, file: OpenFile, original: OpenFile? = nil) {
    self.fileSystem = fileSystem
    self.file = file
    self.original = original
    buffer = .allocate(byteCount: Self.bufferBytes, alignment: 4096)
  }

  deinit { buffer.deallocate() }

  /// Encodes everything that is appended from now on; nil stores it as it is.
  func encode(with function: ((UnsafeRawBufferPointer) -> [UInt8])?) { encode = function }

  /// The number of bytes appended so far, or since `restartCount()`, before they are encoded.
  package var count: Int { written + filled - skipped }

  /// Counts from here on.
  func restartCount() { skipped = written + filled }

  /// Appends bytes.
  ///
  /// - Throws: `FileSystemError`, `Interruption.Stopped`; the replacement has failed then.
  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    if bytes.count > buffer.count - filled { try flush() }
    guard bytes.count < buffer.count else { return try writeThrough(bytes) }
    UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: bytes)
    filled += bytes.count
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  /// Appends text as UTF-8.
  package func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a range of another file unchanged.
  ///
  /// - Throws: `FileError.changedOnDisk` if that file ends before the end of the range,
  ///   `FileSystemError`.
  package func copy(from source: OpenFile, offset: Int, length: Int) throws {
    var offset = offset
    var remaining = length
    while remaining > 0 {
      if filled == buffer.count { try flush() }
      let wanted = min(remaining, buffer.count - filled)
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted])
      guard try fileSystem.readFully(source, at: offset, into: room) == wanted else {
        throw FileError.changedOnDisk(path: source.path)
      }
      filled += wanted
      offset += wanted
      remaining -= wanted
    }
  }

  func flush() throws {
    guard filled > 0 else { return }
    let pending = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
    filled = 0
    try writeThrough(pending)
  }

  func finishedDigest() -> ContentDigest { digest.digest() }

  private func writeThrough(_ bytes: UnsafeRawBufferPointer) throws {
    try Interruption.check()
    written += bytes.count
    guard let encode else { return try store(bytes) }
    try encode(bytes).withUnsafeBytes { try store($0) }
  }

  private func store(_ bytes: UnsafeRawBufferPointer) throws {
    try fileSystem.writeAll(file, at: stored, bytes)
    digest.add(bytes)
    stored += bytes.count
  }
}
