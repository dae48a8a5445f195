import Foundation
import OpenSwiftData

/// Copies what can be read of a damaged log into a new one, `docs/format-log.md` section 5.
///
/// Every frame that verifies by itself is believed, wherever it stands; what it says is applied in order as
/// far as the records are there. The damaged file is only read.
package struct LogSalvage {
  /// What became of a salvage.
  package struct Report: Hashable, Sendable {
    /// How many records the new log has.
    package var recordCount = 0
    /// What is missing, one line each; empty when all could be read.
    package var losses: [String] = []
  }

  private let fileSystem: any FileSystem
  private let file: OpenFile
  private let path: String
  private let sizeBytes: Int
  private let header: LogHeader
  private var content: SalvagedContent
  private var report = Report()

  /// Reads a damaged log and writes what it holds into a new file, without the history.
  ///
  /// - Returns: What was saved, and what is missing.
  /// - Throws: `PersistenceError` when the damaged file cannot be read, when neither its first 64 bytes nor
  ///   its schema can be believed, or when the new file is there already or cannot be written.
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
      try salvage.write(to: path)
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
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LogFormat.headerBytes,
      alignment: 8
    )
    defer { bytes.deallocate() }
    let count = try fileSystem.readFully(file, at: 0, into: bytes)
    header = try LogHeader(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    content = SalvagedContent(storeIdentifier: header.identifier.uuidString.lowercased())
  }

  // MARK: Reading

  private mutating func read() throws {
    var offset = LogFormat.headerBytes
    var chain = LogChain(header)
    while offset < sizeBytes {
      var scanner = LogScanner(fileSystem, file, from: offset, sizeBytes: sizeBytes, chain: chain)
      while let frame = try scanner.next() { report.losses += content.take(frame) }
      offset = scanner.offset
      chain = scanner.chain
      guard scanner.end != .clean else { break }
      report.losses += content.dropOpenTransaction()
      let next = try nextFrame(
        from: scanner.end == .misplaced ? offset : offset + LogFormat.alignment,
        after: chain.sequence
      )
      report.losses.append(loss(offset..<(next?.offset ?? sizeBytes), chain.sequence, next?.header))
      guard let next else { break }
      offset = next.offset
      chain = LogChain(before: next.header, salt: header.salt)
    }
    report.losses += content.dropOpenTransaction()
    if content.table == nil {
      throw PersistenceError(
        .damaged,
        "\(path) has lost its schema, which stands at the beginning; nothing behind it can be read"
      )
    }
  }

  private func loss(_ range: Range<Int>, _ sequence: UInt64, _ next: LogFrameHeader?) -> String {
    let frames = next.map { Int(clamping: $0.sequence) - Int(clamping: sequence) - 1 } ?? 0
    return "bytes \(range.lowerBound) to \(range.upperBound) cannot be read"
      + (content.lastToken.map { ", behind transaction \($0)" } ?? "")
      + (frames > 0 ? "; frames missing: \(frames)" : "")
  }

  /// The next header that verifies and belongs to a later frame.
  private func nextFrame(from start: Int, after sequence: UInt64) throws
    -> (offset: Int, header: LogFrameHeader)?
  {
    let headerBytes = LogFormat.frameHeaderBytes
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { chunk.deallocate() }
    var offset = start
    while offset + headerBytes <= sizeBytes {
      let wanted = min(chunk.count, sizeBytes - offset)
      let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<wanted])
      let count = try fileSystem.readFully(file, at: offset, into: part)
      let bytes = UnsafeRawBufferPointer(rebasing: part[..<count])
      var position = 0
      while position + headerBytes <= bytes.count {
        defer { position += LogFormat.alignment }
        guard bytes.littleEndian(position, as: UInt32.self) == LogFormat.frameMarker else {
          continue
        }
        let candidate = UnsafeRawBufferPointer(rebasing: bytes[position...])
        if let found = LogFrameHeader(candidate, salt: header.salt), found.sequence > sequence {
          return (offset + position, found)
        }
      }
      guard count == wanted, wanted == chunk.count else { return nil }
      // The next piece overlaps, for a header that lies across the border.
      offset += wanted - headerBytes
    }
    return nil
  }

  // MARK: Writing

  private mutating func write(to path: String) throws {
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
    _ = try FileReplacement(fileSystem: fileSystem, path: target, kind: "new").create { sink in
      try sink.write(newHeader.encoded())
      let writer = LogFrameWriter(continuing: LogChain(newHeader)) { try sink.write($0) }
      try writer.writeBase(salvaged, last: salvaged)
    }
  }
}
