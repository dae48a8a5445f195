import Foundation
import OpenSwiftData

/// The kind of a key, in the upper half of the byte before it.
enum LogKeyKind {
  static let number: UInt8 = 1
  static let record: UInt8 = 2
  static let uuid: UInt8 = 3
  static let text: UInt8 = 4
}

/// Keys of records as bytes.
enum LogKeyCodec {
  /// The kind of a permanent key.
  static func kind(of identifier: PersistentIdentifier) -> UInt8 {
    precondition(!identifier.isTemporary, "Only permanent identifiers are written.")
    if identifier.recordKey != nil { return LogKeyKind.record }
    if identifier.numberKey != nil { return LogKeyKind.number }
    return identifier.uuidKey != nil ? LogKeyKind.uuid : LogKeyKind.text
  }

  static func append(
    _ identifier: PersistentIdentifier,
    kind: UInt8,
    to payload: inout PayloadWriter
  ) {
    let (high, low) = identifier.words
    switch kind {
    case LogKeyKind.record:
      // 80 bits: 38 of the sequence, then 42 of the milliseconds.
      payload.append(fixed: low | high << 38)
      payload.append(fixed: UInt16(truncatingIfNeeded: high >> 26))
    case LogKeyKind.number:
      payload.append(signed: Int64(bitPattern: low))
    case LogKeyKind.uuid:
      payload.append(fixed: high.byteSwapped)
      payload.append(fixed: low.byteSwapped)
    default:
      payload.append(text: identifier.description)
    }
  }

  static func identifier(kind: UInt8, scope: IdentifierScope, from reader: inout PayloadReader)
    throws(PayloadError) -> PersistentIdentifier
  {
    switch kind {
    case LogKeyKind.record:
      let low = try reader.fixed64()
      let high = UInt64(try reader.fixed16())
      let key = RecordKey(milliseconds: low >> 38 | high << 26, sequence: low & (1 << 38 - 1))
      return scope.identifier(key: key)
    case LogKeyKind.number:
      return scope.identifier(number: Int(try reader.signed()))
    case LogKeyKind.uuid:
      return scope.identifier(uuid: try LogValueCodec.uuid(from: &reader))
    case LogKeyKind.text:
      let text = try reader.text()
      guard !text.isEmpty else { throw PayloadError(reason: "empty key") }
      return scope.identifier(text: text)
    default:
      throw PayloadError(reason: "unknown key kind \(kind)")
    }
  }
}
