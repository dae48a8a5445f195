import Foundation
import OpenSwiftData

@testable import Stores

/// Logs that a different program or a bug could have written, with correct checksums.
extension LogFixture {
  /// The contents of the log; its files are closed.
  func content() throws -> LogContent {
    var session = try LogSession(LogStoreConfiguration(path: path, isReadOnly: true))
    session.closeFile()
    return session.content
  }

  /// Appends a frame after the last complete transaction.
  func appendFrame(kind: UInt8, flags: UInt8 = 0, _ payload: [UInt8]) throws {
    let content = try content()
    try put(
      Array(try bytes()[..<content.committedOffset])
        + Self.frame(kind: kind, flags: flags, payload, behind: content.committedChain)
    )
  }

  static func frame(
    kind: UInt8,
    flags: UInt8 = 0,
    _ payload: [UInt8],
    behind chain: LogChain
  ) -> [UInt8] {
    let sequence = chain.sequence + 1
    var header = LogFrameHeader(
      payloadBytes: payload.count,
      kind: .transaction,
      continues: false,
      sequence: sequence,
      previousChecksum: chain.checksum,
      payloadChecksum: payload.withUnsafeBytes { chain.payloadChecksum($0, sequence: sequence) }
    )
    header.kind = kind
    header.flags = flags
    var frame = [UInt8](repeating: 0, count: LogFormat.frameBytes(payload: payload.count))
    frame.withUnsafeMutableBytes { header.encode(to: $0, salt: chain.salt) }
    frame.replaceSubrange(
      LogFormat.frameHeaderBytes..<LogFormat.frameHeaderBytes + payload.count,
      with: payload
    )
    return frame
  }

  /// The payload of a transaction with these items.
  func transaction(
    _ items: [UInt8],
    token: Int64? = nil,
    schemaChecksum: UInt64? = nil
  ) throws -> [UInt8] {
    let content = try content()
    var payload = PayloadWriter()
    LogTransactionHead(
      token: token ?? content.lastToken + 1,
      id: UUID(),
      microsecondsSince1970: 0,
      author: nil,
      schemaChecksum: schemaChecksum ?? content.schema.checksum
    ).encode(to: &payload)
    return payload.withContent { Array($0) } + items
  }

  /// Changes the file header and corrects its checksum.
  func changeHeader(at offset: Int, to value: UInt8) throws {
    var bytes = try bytes()
    bytes[offset] = value
    let unseeded = LogChain(LogHeader(identifier: UUID(), generation: 1, salt: 0))
    let checksum = bytes[..<LogFormat.Header.checksum].withUnsafeBytes {
      unseeded.payloadChecksum($0, sequence: 0)
    }
    bytes.withUnsafeMutableBytes { $0.store(checksum, at: LogFormat.Header.checksum) }
    try put(bytes)
  }
}
