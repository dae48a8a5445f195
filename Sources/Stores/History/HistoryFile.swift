import CXXHash
import Foundation
import OpenSwiftData

/// A file with the saved transactions of a store that does not keep them itself.
///
/// The file is beside nothing of the user's: the program keeps it in its own folder. Frames are appended after a save
/// and never change; when the file exceeds its limit, it is replaced by one with the last frames. Each frame has a
/// checksum that is seeded with that of the frame before, so that a frame that was written in part, and what follows a
/// damaged one, is ignored. Several programs may use one file: each locks it to append. A value; all calls may come
/// from any thread.
struct HistoryFile: Sendable {
  let fileSystem: any FileSystem
  let path: String
  let limit: HistoryLimit

  /// The first bytes of a file; a later form has another number.
  static let magic = Array("catalog history 1\n".utf8)
  private static let headBytes = 16
  /// How often to try to lock the file, and the time between.
  private static let attempts = 100
  private static let pauseNanoseconds: Int64 = 10_000_000

  /// What was read from a file.
  struct Content {
    var frames: [HistoryFrame] = []
    /// The end of each frame.
    var ends: [Int] = []
    /// The checksum of the last frame.
    var chain: UInt64 = 0
    /// The end of the last frame that is complete.
    var endBytes = HistoryFile.magic.count
    /// True if the file begins as a history file does, or is empty.
    var isHistory = true
    /// True if what follows the last frame is not the beginning of a frame.
    var isDamaged = false

    /// True if frames can be appended.
    var isSound: Bool { isHistory && !isDamaged }
  }

  /// The number of bytes of the file; 0 if it does not exist or cannot be examined.
  var sizeBytes: Int {
    ((try? fileSystem.statusIfPresent(of: path, in: nil)) ?? nil)?.sizeBytes ?? 0
  }

  /// Reads the frames; an absent file has none.
  ///
  /// - Throws: `FileSystemError`, `FileError`.
  /// - Complexity: O(n) in the size of the file.
  func read() throws -> Content {
    guard try fileSystem.statusIfPresent(of: path, in: nil) != nil else { return Content() }
    let (file, _) = try fileSystem.openRegular(path, in: nil, .read)
    defer { fileSystem.closeQuietly(file) }
    return try read(file)
  }

  private func read(_ file: OpenFile) throws -> Content {
    let bytes = try fileSystem.readAll(file, limitBytes: 1 << 30).copy()
    return Self.content(of: bytes)
  }

  /// Divides the bytes of a file into frames.
  static func content(of bytes: [UInt8]) -> Content {
    var content = Content()
    if bytes.isEmpty { return content }
    guard bytes.starts(with: magic) else {
      content.isHistory = false
      return content
    }
    bytes.withUnsafeBytes { bytes in
      var start = magic.count
      while start + headBytes <= bytes.count {
        let sum = bytes.littleEndian(start, as: UInt64.self)
        let size = bytes.littleEndian(start + 8, as: UInt64.self)
        let room = bytes.count - start - headBytes
        // What ends too early was being written, or its size is damaged.
        guard size <= UInt64(room) else { break }
        let end = start + headBytes + Int(size)
        let checked = UnsafeRawBufferPointer(rebasing: bytes[(start + 8)..<end])
        var reader = PayloadReader(
          UnsafeRawBufferPointer(rebasing: bytes[(start + headBytes)..<end])
        )
        guard catalog_xxh3(checked.baseAddress, checked.count, content.chain) == sum,
          let frame = try? HistoryFrame(after: content.frames.last?.schema, from: &reader)
        else {
          content.isDamaged = true
          break
        }
        content.frames.append(frame)
        content.ends.append(end)
        (content.chain, content.endBytes) = (sum, end)
        start = end
      }
    }
    return content
  }

  /// The bytes of a frame that follows those with the checksum, which becomes its own.
  private static func bytes(
    of frame: HistoryFrame,
    after schema: [UInt8]?,
    _ chain: inout UInt64
  ) -> [UInt8] {
    var payload = PayloadWriter()
    payload.append(fixed: UInt64(0))
    payload.append(fixed: UInt64(0))
    frame.encode(after: schema, to: &payload)
    let size = UInt64(payload.count - headBytes)
    payload.withBytes { $0.store(size, at: 8) }
    let sum = payload.withContent { bytes in
      let checked = UnsafeRawBufferPointer(rebasing: bytes[8...])
      return catalog_xxh3(checked.baseAddress, checked.count, chain)
    }
    payload.withBytes { $0.store(sum, at: 0) }
    chain = sum
    return payload.withContent { Array($0) }
  }
}

// MARK: Writing

extension HistoryFile {
  /// Appends a frame, which is made from the frames in the file.
  ///
  /// - Parameters:
  ///   - isFresh: True if the transactions in the file belong to a store that no longer exists.
  ///   - make: Makes the frame; nil to append none.
  /// - Returns: True if the file was damaged, and was put aside as `.damaged`.
  /// - Throws: `FileSystemError`, `FileError`; the frames of the file are as they were then.
  /// - Complexity: O(n) in the size of the file.
  func append(isFresh: Bool, _ make: ([HistoryFrame]) throws -> HistoryFrame?) throws -> Bool {
    let file = try openLocked()
    defer { fileSystem.closeQuietly(file) }
    var content = try read(file)
    let isDamaged = !content.isSound
    if isFresh { content.frames = [] }
    guard let frame = try make(content.frames) else { return false }
    if isDamaged { try putAside() }
    var chain = content.chain
    let bytes = Self.bytes(of: frame, after: content.frames.last?.schema, &chain)
    let isOver =
      content.endBytes + bytes.count > limit.sizeBytes
      || content.frames.count >= limit.transactionCount
    if isFresh || isDamaged || isOver {
      try replace(with: shortened(content.frames + [frame]))
      return isDamaged
    }
    if content.frames.isEmpty { try write(Self.magic, to: file, at: 0) }
    try write(bytes, to: file, at: content.endBytes)
    // Remains of a frame that another program has written in part.
    let end = content.endBytes + bytes.count
    if try fileSystem.status(of: file).sizeBytes > end {
      try retrying { () throws(FileSystemError) in try fileSystem.truncate(file, to: end) }
    }
    return isDamaged
  }

  /// Removes frames from the file.
  ///
  /// - Throws: `FileSystemError`, `FileError`; the file is as it was then.
  func remove(_ isUnwanted: (HistoryFrame) -> Bool) throws {
    guard try fileSystem.statusIfPresent(of: path, in: nil) != nil else { return }
    let file = try openLocked()
    defer { fileSystem.closeQuietly(file) }
    let content = try read(file)
    if content.isSound { try replace(with: content.frames.filter { !isUnwanted($0) }) }
  }

  /// The last frames that fit into half of the limit, at least one.
  private func shortened(_ frames: [HistoryFrame]) -> [HistoryFrame] {
    var (count, size) = (0, 0)
    for frame in frames.reversed() {
      size += frame.changes.count + frame.schema.count + frame.patch.count + 128
      if count > 0, size > limit.sizeBytes / 2 || count >= max(1, limit.transactionCount) { break }
      count += 1
    }
    // With room for more, so that not every save replaces the file.
    if limit.transactionCount > 200, count == limit.transactionCount { count -= count / 10 }
    return frames.suffix(count)
  }

  /// Opens the file, creating it if it does not exist, and locks it.
  ///
  /// - Throws: `FileSystemError` with code `wouldBlock` if other programs hold it for too long.
  private func openLocked() throws -> OpenFile {
    for _ in 0..<Self.attempts {
      let file = try openOrCreate()
      do {
        let isLocked = try retrying { () throws(FileSystemError) in
          try fileSystem.lock(file, byte: 0, exclusive: true)
        }
        // Another program may have replaced the file in between.
        if isLocked, try fileSystem.status(of: file).linkCount > 0 { return file }
      } catch {
        fileSystem.closeQuietly(file)
        throw error
      }
      fileSystem.closeQuietly(file)
      fileSystem.pause(nanoseconds: Self.pauseNanoseconds)
    }
    throw FileSystemError(.lock, path, .wouldBlock)
  }

  private func openOrCreate() throws -> OpenFile {
    if try fileSystem.statusIfPresent(of: path, in: nil) != nil {
      return try fileSystem.openRegular(path, in: nil, .readWrite).file
    }
    do {
      return try fileSystem.openRetrying(path, in: nil, .create(permissions: 0o600))
    } catch  where error.code == .notFound {
      // Another program may do the same.
      try fileSystem.createDirectories(splitPath(path).directory)
      return try openOrCreate()
    } catch  where error.code == .exists {
      return try fileSystem.openRegular(path, in: nil, .readWrite).file
    }
  }

  /// Renames a damaged file, in place of one that was put aside earlier.
  private func putAside() throws {
    try retrying { () throws(FileSystemError) in
      try fileSystem.rename(path, to: path + ".damaged", in: nil, replacing: true)
    }
  }

  /// Replaces the file by one with these frames.
  private func replace(with frames: [HistoryFrame]) throws {
    var bytes = Self.magic
    var chain: UInt64 = 0
    var schema: [UInt8]?
    for frame in frames {
      bytes += Self.bytes(of: frame, after: schema, &chain)
      schema = frame.schema
    }
    let new = path + ".new"
    fileSystem.removeQuietly(new, in: nil)
    let file = try fileSystem.openRetrying(new, in: nil, .create(permissions: 0o600))
    defer { fileSystem.closeQuietly(file) }
    do {
      try write(bytes, to: file, at: 0)
      try retrying { () throws(FileSystemError) in try fileSystem.synchronizeData(file) }
      try retrying { () throws(FileSystemError) in
        try fileSystem.rename(new, to: path, in: nil, replacing: true)
      }
    } catch {
      fileSystem.removeQuietly(new, in: nil)
      throw error
    }
  }

  private func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws {
    try bytes.withUnsafeBytes { try fileSystem.writeAll(file, at: offset, $0) }
  }
}
