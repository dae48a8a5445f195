import Foundation
import OpenSwiftData

/// Values as bytes, without their kind: the attribute says what stands there.
enum LogValueCodec {
  /// The value if it can be the default of an attribute: no null and no link.
  static func plain(_ value: Value) -> Value? {
    switch value {
    case .null, .link, .links: nil
    default: value
    }
  }

  /// Appends a value that is neither null nor a link.
  static func append(_ value: Value, to payload: inout PayloadWriter) {
    switch value {
    case .text(let text), .json(let text): payload.append(text: text)
    case .integer(let number): payload.append(signed: number)
    case .number(let number): payload.append(fixed: number.bitPattern)
    case .boolean(let flag): payload.append(byte: flag ? 1 : 0)
    case .date(let day): payload.append(signed: Int64(day.daysSince1970))
    case .datetime(let date):
      payload.append(fixed: date.timeIntervalSinceReferenceDate.bitPattern)
    case .decimal(let number): payload.append(text: number.description)
    case .uuid(let uuid): append(uuid, to: &payload)
    case .null, .link, .links: preconditionFailure("Null and links are written elsewhere.")
    }
  }

  /// Reads what `append` wrote.
  static func plainValue(_ kind: LogCellKind, from reader: inout PayloadReader)
    throws(PayloadError) -> Value
  {
    switch kind {
    case .text: .text(try reader.text())
    case .json: .json(try reader.text())
    case .integer: .integer(try reader.signed())
    case .number: .number(Double(bitPattern: try reader.fixed64()))
    case .boolean: .boolean(try reader.byte() != 0)
    case .date: .date(try day(from: &reader))
    case .datetime:
      .datetime(
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.fixed64()))
      )
    case .decimal: .decimal(try decimal(from: &reader))
    case .uuid: .uuid(try uuid(from: &reader))
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
    let text = try reader.text()
    guard let number = Decimal(string: text) else {
      throw PayloadError(reason: "invalid decimal \"\(text)\"")
    }
    return number
  }
}
