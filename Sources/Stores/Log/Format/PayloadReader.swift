/// Invalid content of a payload whose checksum is correct.
struct PayloadError: Error, Hashable {
  let reason: String
  /// Whether a newer version may have written it.
  var isNewer = false

  static let endsEarly = PayloadError(reason: "unexpected end")
  static let badNumber = PayloadError(reason: "number too long")
  static let badText = PayloadError(reason: "invalid UTF-8")
}

/// Reads what a `PayloadWriter` wrote, and checks every length against the remaining bytes.
///
/// Valid as long as the memory it reads.
struct PayloadReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var remaining: Int { bytes.count - position }

  @inline(__always)
  mutating func byte() throws(PayloadError) -> UInt8 {
    guard position < bytes.count else { throw .endsEarly }
    defer { position += 1 }
    return bytes[position]
  }

  /// The next byte without advancing; `nil` at the end.
  @inline(__always)
  func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  @inline(__always)
  mutating func fixed64() throws(PayloadError) -> UInt64 {
    guard remaining >= 8 else { throw .endsEarly }
    defer { position += 8 }
    return bytes.littleEndian(position, as: UInt64.self)
  }

  @inline(__always)
  mutating func fixed16() throws(PayloadError) -> UInt16 {
    guard remaining >= 2 else { throw .endsEarly }
    defer { position += 2 }
    return bytes.littleEndian(position, as: UInt16.self)
  }

  @inline(__always)
  mutating func unsigned() throws(PayloadError) -> UInt64 {
    let first = try byte()
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw .badNumber }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  mutating func signed() throws(PayloadError) -> Int64 {
    let value = try unsigned()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A number that counts something of at least one byte each.
  @inline(__always)
  mutating func count() throws(PayloadError) -> Int {
    let value = try unsigned()
    guard value <= UInt64(remaining) else { throw .endsEarly }
    return Int(value)
  }

  @inline(__always)
  mutating func raw(_ size: Int) throws(PayloadError) -> UnsafeRawBufferPointer {
    guard size <= remaining else { throw .endsEarly }
    defer { position += size }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + size])
  }

  mutating func skip(_ size: Int) throws(PayloadError) {
    guard size <= remaining else { throw .endsEarly }
    position += size
  }

  mutating func skipSized() throws(PayloadError) { position += try count() }

  /// The bytes of a text, checked to be UTF-8.
  mutating func utf8() throws(PayloadError) -> UnsafeBufferPointer<UInt8> {
    let text = try raw(try count())
    guard text.isASCII || isUTF8(text) else { throw .badText }
    return text.assumingMemoryBound(to: UInt8.self)
  }

  mutating func text() throws(PayloadError) -> String {
    String(decoding: try utf8(), as: UTF8.self)
  }

  mutating func optionalText() throws(PayloadError) -> String? {
    let sizePlusOne = try unsigned()
    guard sizePlusOne > 0 else { return nil }
    guard sizePlusOne - 1 <= UInt64(remaining) else { throw .endsEarly }
    let text = try raw(Int(sizePlusOne - 1))
    guard text.isASCII || isUTF8(text) else { throw .badText }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  /// True if all bytes are ASCII.
  var isASCII: Bool {
    var upperBits: UInt64 = 0
    var position = 0
    while position + 8 <= count {
      upperBits |= loadUnaligned(fromByteOffset: position, as: UInt64.self)
      position += 8
    }
    while position < count {
      upperBits |= UInt64(self[position])
      position += 1
    }
    return upperBits & 0x8080_8080_8080_8080 == 0
  }
}

private func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
  String(validating: bytes, as: UTF8.self) != nil
}
