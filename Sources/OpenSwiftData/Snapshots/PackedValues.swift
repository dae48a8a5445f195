import Foundation

/// Values as bytes, for many records that are held but rarely read.
///
/// A record of seven values takes about a hundred bytes instead of four hundred. The form is exact: reading returns
/// equal values. It contains numbers that are valid only in this process, so it is never written to a file.
struct PackedValues {
  private(set) var bytes: [UInt8] = []

  fileprivate enum Tag: UInt8 {
    case null, no, yes, integer, number, decimal, text, date, datetime, uuid, json, link, links
  }

  /// Appends the values, one after the other.
  mutating func append(_ values: [Value]) {
    for value in values { append(value) }
  }

  /// Appends a value.
  mutating func append(_ value: Value) {
    switch value {
    case .null: append(Tag.null)
    case .boolean(let flag): append(flag ? .yes : .no)
    case .integer(let number): append(.integer, signed: number)
    case .number(let number): append(.number, raw: number.bitPattern)
    case .decimal(let number): append(number)
    case .text(let text): append(.text, text)
    case .date(let day): append(.date, signed: Int64(day.daysSince1970))
    case .datetime(let date):
      append(.datetime, raw: date.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let uuid): append(.uuid, raw: uuid.uuid)
    case .json(let text): append(.json, text)
    case .link(let link):
      append(.link)
      append(link)
    case .links(let links):
      append(.links)
      append(size: UInt64(links.count))
      for link in links { append(link) }
    }
  }

  private mutating func append(_ tag: Tag) { bytes.append(tag.rawValue) }

  private mutating func append(_ tag: Tag, signed number: Int64) {
    append(tag)
    append(size: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  private mutating func append<T: BitwiseCopyable>(_ tag: Tag, raw value: T) {
    append(tag)
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ tag: Tag, _ text: String) {
    append(tag)
    var text = text
    text.withUTF8 { utf8 in
      append(size: UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  /// Appends a decimal without the zeros at the end of its representation.
  private mutating func append(_ number: Decimal) {
    append(.decimal)
    withUnsafeBytes(of: number) { raw in
      let used = raw.prefix(MemoryLayout<Decimal>.size)
      let count = (used.lastIndex { $0 != 0 } ?? -1) + 1
      bytes.append(UInt8(count))
      bytes.append(contentsOf: used.prefix(count))
    }
  }

  private mutating func append(_ link: PersistentIdentifier) {
    bytes.append(link.kind.rawValue)
    append(size: UInt64(link.scope))
    append(size: link.high)
    append(size: link.low)
  }

  /// Appends a number in as many bytes as it needs, seven bits in each.
  private mutating func append(size number: UInt64) {
    var rest = number
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Reads values that `PackedValues` wrote.
///
/// Reads only what the same process wrote, so unexpected bytes are a programming error and trap.
struct PackedReader {
  private let bytes: UnsafeRawBufferPointer
  private var place: Int

  init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    (self.bytes, self.place) = (bytes, place)
  }

  mutating func values(_ count: Int) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for _ in 0..<count { values.append(value()) }
    return values
  }

  private mutating func value() -> Value {
    guard let tag = PackedValues.Tag(rawValue: byte()) else {
      preconditionFailure("packed values begin with a tag")
    }
    switch tag {
    case .null: return .null
    case .no: return .boolean(false)
    case .yes: return .boolean(true)
    case .integer: return .integer(signed())
    case .number: return .number(Double(bitPattern: raw()))
    case .decimal: return .decimal(decimal())
    case .text: return .text(text())
    case .date: return .date(CalendarDate(daysSince1970: Int32(signed())))
    case .datetime:
      return .datetime(Date(timeIntervalSinceReferenceDate: Double(bitPattern: raw())))
    case .uuid: return .uuid(UUID(uuid: raw()))
    case .json: return .json(text())
    case .link: return .link(link())
    case .links:
      let count = Int(size())
      return .links((0..<count).map { _ in link() })
    }
  }

  private mutating func byte() -> UInt8 {
    defer { place += 1 }
    return bytes[place]
  }

  private mutating func raw<T: BitwiseCopyable>() -> T {
    defer { place += MemoryLayout<T>.size }
    return bytes.loadUnaligned(fromByteOffset: place, as: T.self)
  }

  private mutating func size() -> UInt64 {
    var (result, shift) = (UInt64(0), UInt64(0))
    while true {
      let next = byte()
      result |= UInt64(next & 127) << shift
      if next < 128 { return result }
      shift += 7
    }
  }

  private mutating func signed() -> Int64 {
    let number = size()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func text() -> String {
    let count = Int(size())
    defer { place += count }
    return String(decoding: bytes[place..<place + count], as: UTF8.self)
  }

  private mutating func decimal() -> Decimal {
    let count = Int(byte())
    var number = Decimal()
    withUnsafeMutableBytes(of: &number) { raw in
      for index in 0..<MemoryLayout<Decimal>.size {
        raw[index] = index < count ? bytes[place + index] : 0
      }
    }
    place += count
    return number
  }

  private mutating func link() -> PersistentIdentifier {
    guard let kind = PersistentIdentifier.Kind(rawValue: byte()) else {
      preconditionFailure("a packed identifier begins with its kind")
    }
    let scope = UInt32(size())
    let high = size()
    return PersistentIdentifier(high: high, low: size(), scope: scope, kind: kind)
  }
}
