import Foundation
import OpenSwiftData

/// Encodes values without their kind, which the attribute determines.
enum LogValueCodec {
  /// The value if it can be the default of an attribute: not null and not a link.
  static func defaultValue(_ value: Value) -> Value? {
    switch value {
    case .null, .link, .links: nil
    default: value
    }
  }

  /// Appends a value that is not null and not a link.
  static func append(_ value: Value, to payload: inout PayloadWriter) {
    switch value {
    case .text(let text), .json(let text): payload.append(text: text)
    case .boolean(let flag): payload.append(byte: flag ? 1 : 0)
    case .date(let day): payload.append(signed: Int64(day.daysSince1970))
    case .decimal(let number):
      CellText.withText(of: number) { payload.append(sized: UnsafeRawBufferPointer($0)) }
    case .uuid(let uuid): append(uuid, to: &payload)
    case .null, .link, .links: preconditionFailure("Null and links are written elsewhere.")
    default:
      if value.kind?.layout == .whole {
        payload.append(signed: Int64(bitPattern: value.bits))
      } else {
        payload.append(fixed: value.bits)
      }
    }
  }

  /// Reads a value that `append` wrote.
  static func value(_ kind: ValueKind, from reader: inout PayloadReader)
    throws(PayloadError) -> Value
  {
    switch kind.layout {
    case .bytes: Value(text: try reader.text(), as: kind)
    case .whole: Value(bits: UInt64(bitPattern: try reader.signed()), as: kind)
    case .float: Value(bits: try reader.fixed64(), as: kind)
    case .flag: .boolean(try reader.byte() != 0)
    case .days: .date(try day(from: &reader))
    case .decimal: .decimal(try decimal(from: &reader))
    case .pair: .uuid(try uuid(from: &reader))
    case .link, .links: throw PayloadError(reason: "unexpected link")
    }
  }

  static func append(_ uuid: UUID, to payload: inout PayloadWriter) {
    let (high, low) = uuid.words
    payload.append(fixed: high.byteSwapped)
    payload.append(fixed: low.byteSwapped)
  }

  static func uuid(from reader: inout PayloadReader) throws(PayloadError) -> UUID {
    let high = try reader.fixed64().byteSwapped
    return UUID(high: high, low: try reader.fixed64().byteSwapped)
  }

  static func day(from reader: inout PayloadReader) throws(PayloadError) -> CalendarDate {
    guard let days = Int32(exactly: try reader.signed()) else {
      throw PayloadError(reason: "date out of range")
    }
    return CalendarDate(daysSince1970: days)
  }

  static func decimal(from reader: inout PayloadReader) throws(PayloadError) -> Decimal {
    let bytes = try reader.utf8()
    if let short = CompactDecimal(text: bytes) { return short.decimal }
    let text = String(decoding: bytes, as: UTF8.self)
    // `Decimal` takes the number at the beginning of a text; columns keep only whole ones.
    guard bytes.allSatisfy("0123456789+-.eE".utf8.contains),
      let number = Decimal(string: text)
    else {
      throw PayloadError(reason: "invalid decimal \"\(text)\"")
    }
    return number
  }
}
