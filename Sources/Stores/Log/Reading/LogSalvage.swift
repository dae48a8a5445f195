import Foundation
import OpenSwiftData

/// Copies the readable part of a damaged log to a new one; see `docs/format-log.md`, section 5.
///
/// Every frame that verifies on its own is used, wherever it is. Its changes are applied in order,
/// as far as their records exist. The damaged file is only read.
package struct LogSalvage {
  /// The result of a salvage.
  package struct Report: Hashable, Sendable {
    /// The number of records in the new log.
    package var recordCount = 0
    /// The missing parts, one line each; empty if everything was readable.
    package var losses: [String] = []
  }

  private let fileSystem: any FileSystem
  private let file: OpenFile
  private let path: String
  private let sizeBytes: Int
  private let header: LogHeader
  private var content: SalvagedContent
  private var report = Report()

  /// Reads a damaged log and writes its content to a new file, without the history.
  ///
  /// - Returns: What was saved, and what is missing.
  /// - Throws: `PersistenceError` if the damaged file cannot be read, if its first 64 bytes or its
  ///   schema cannot be recovered, or if the new file already exists or cannot be written.
  /// - Complexity: O(size of the log).
  package static func run(
    from damaged: String,
    to path: String,
    fileSystem: any FileSystem = LocalFileSystem()
  ) throws -> Report {
    do {
      let (file, status) = try fileSystem.openRegular(damaged, in: nil, .read)
      defer { fileSystem.closeQuietly(file) }
      var salvage = try LogSalvage(fileSystem, file, path: damaged, status.sizeBytes)
      try salvage.read()
      // Users who cannot read the damaged log must not be able to read the new one.
      try salvage.write(to: path, permissions: 0o600 | status.permissions & 0o066)
      return salvage.report
    } catch {
      throw LogSession.reported(error, path: damaged)
    }
  }

  private init(
    _ fileSystem: any FileSystem,
    _ file: OpenFile,
    path: String,
    _ sizeBytes: Int
  ) throws {
    self.path = path
    self.fileSystem = fileSystem
    self.file = file
    self.sizeBytes = sizeBytes
    let found = try Self.header(fileSystem, file, sizeBytes)
    header = found.header
    let identifier = header.identifier.uuidString.lowercased()
    let none = SalvagedSchemas(storeIdentifier: identifier)
    content = SalvagedContent(storeIdentifier: identifier, schemas: none)
    if found.isCopy {
      report.losses.append("first 64 bytes unreadable; used a copy")
    }
  }

  /// True for a file that contains the header of a log, even if not at its beginning.
  ///
  /// - Complexity: O(n) in the size of a file that is not a log.
  static func canRead(_ file: OpenFile, _ fileSystem: any FileSystem) throws -> Bool {
    do {
      _ = try header(fileSystem, file, fileSystem.status(of: file).sizeBytes)
      return true
    } catch is LogDamage {
      return false
    }
  }

  /// The file header, or a copy of it that verifies on its own.
  ///
  /// - Throws: `LogDamage` for the damage of the header if no copy is found; `FileSystemError`.
  private static func header(_ fileSystem: any FileSystem, _ file: OpenFile, _ sizeBytes: Int)
    throws
    -> (header: LogHeader, isCopy: Bool)
  {
    var first: LogDamage?
    let pieceBytes = 1 << 20
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 8)
    defer { piece.deallocate() }
    var offset = 0
    repeat {
      let count = try fileSystem.readFully(file, at: offset, into: piece)
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
      for position in 0..<max(1, count - LogFormat.headerBytes + 1) {
        let place = offset + position
        guard place == 0 || bytes[position] == LogFormat.magic[0] else { continue }
        let candidate = UnsafeRawBufferPointer(rebasing: bytes[position...])
        do throws(LogDamage) {
          return (try LogHeader(candidate), place > 0)
        } catch {
          first = first ?? error
          // Written by a newer version, and not damaged.
          if place == 0, LogSession.damage(error, path: "").code == .unsupported { throw error }
        }
      }
      // The next piece overlaps, for a header across the border.
      offset += pieceBytes - LogFormat.headerBytes + 1
    } while offset + LogFormat.headerBytes <= sizeBytes
    throw first ?? .empty
  }

  // MARK: Reading

  private mutating func read() throws {
    var schemas = SalvagedSchemas(storeIdentifier: content.storeIdentifier)
    try forEachFrame {
      schemas.take($0)
    } gap: { _, _, _ in
    }
    schemas.complete()
    var content = SalvagedContent(storeIdentifier: content.storeIdentifier, schemas: schemas)
    var losses: [String] = []
    try forEachFrame {
      losses += content.take($0)
    } gap: { range, sequence, next in
      losses += content.dropOpenTransaction()
      losses.append(loss(range, sequence, next, behind: content.lastToken))
    }
    losses += content.finish()
    report.losses += losses
    self.content = content
    if content.table == nil {
      throw PersistenceError(
        .damaged,
        "\(path): the schema and every copy of it are lost; nothing can be salvaged"
      )
    }
  }

  /// Passes on every frame that verifies on its own, and reports the gaps between them.
  private func forEachFrame(
    _ take: (LogFrame) -> Void,
    gap: (Range<Int>, UInt64, LogFrameHeader?) -> Void
  ) throws {
    var offset = LogFormat.headerBytes
    var chain = LogChain(header)
    while offset < sizeBytes {
      var scanner = LogScanner(fileSystem, file, from: offset, sizeBytes: sizeBytes, chain: chain)
      while let frame = try scanner.next() { take(frame) }
      offset = scanner.offset
      chain = scanner.chain
      guard scanner.end != .clean else { break }
      let next = try nextFrame(
        from: scanner.end == .misplaced ? offset : offset + 1,
        after: chain.sequence
      )
      gap(offset..<(next?.offset ?? sizeBytes), chain.sequence, next?.header)
      guard let next else { break }
      offset = next.offset
      chain = LogChain(before: next.header, salt: header.salt)
    }
  }

  private func loss(
    _ range: Range<Int>,
    _ sequence: UInt64,
    _ next: LogFrameHeader?,
    behind token: Int64?
  ) -> String {
    let frames = next.map { Int(clamping: $0.sequence) - Int(clamping: sequence) - 1 } ?? 0
    return "offsets \(range.lowerBound)–\(range.upperBound - 1) unreadable"
      + (token.map { ", after transaction \($0)" } ?? "")
      + (frames > 0 ? "; \(frames) \(frames == 1 ? "frame" : "frames") lost" : "")
  }

  /// The next header that verifies and belongs to a later frame, at any byte.
  private func nextFrame(from start: Int, after sequence: UInt64) throws
    -> (offset: Int, header: LogFrameHeader)?
  {
    let search = LogHeaderSearch(
      fileSystem: fileSystem,
      file: file,
      sizeBytes: sizeBytes,
      salt: header.salt
    )
    return try search.first(from: start) { $1.sequence > sequence }
  }

  // MARK: Writing

  private mutating func write(to path: String, permissions: UInt32) throws {
    guard let table = content.table, let schema = content.schema else { return }
    let newHeader = LogHeader(
      identifier: header.identifier,
      generation: header.nextGeneration,
      salt: try fileSystem.random()
    )
    let salvaged = LogContent(
      newHeader,
      salvaged: table,
      schema: schema,
      token: content.lastToken ?? 0,
      highestKey: content.highestKey
    )
    report.losses += try content.contradictions()
    for entity in schema.entities { report.recordCount += table.count(of: entity.name) }
    let target = try fileSystem.resolveForCreation(path)
    let replacement = FileReplacement(fileSystem: fileSystem, path: target, kind: "new")
    defer { replacement.removeLockFile() }
    _ = try replacement.create(permissions: permissions) { sink in
      try sink.write(newHeader.encoded())
      let writer = LogFrameWriter(continuing: LogChain(newHeader)) { try sink.write($0) }
      try writer.writeBase(salvaged, last: salvaged, header: newHeader)
    }
  }
}
