/// The encoding of a file of separated values.
///
/// Files in other encodings than UTF-8 are decoded as a whole when they are read, and encoded while they are written;
/// both lose nothing.
enum DelimitedEncoding: Sendable, Equatable {
  case utf8
  case utf16(isBigEndian: Bool)
  /// Windows-1252, which has the characters of Latin-1; its five unused bytes stand for control characters.
  case windows1252

  /// The name in messages.
  var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16: "UTF-16"
    case .windows1252: "Windows-1252 (Latin-1)"
    }
  }

  /// The encoding that the first bytes of a file show; Windows-1252 is not among them.
  init(startingWith bytes: [UInt8]) {
    let start = Array(bytes.prefix(4))
    let zeros = start.map { $0 == 0 }
    self =
      if start.starts(with: [0xFF, 0xFE]), start != [0xFF, 0xFE, 0, 0] {
        .utf16(isBigEndian: false)
      } else if start.starts(with: [0xFE, 0xFF]) {
        .utf16(isBigEndian: true)
      } else if zeros == [false, true, false, true] {
        .utf16(isBigEndian: false)
      } else if zeros == [true, false, true, false] {
        .utf16(isBigEndian: true)
      } else {
        .utf8
      }
  }

  /// The text as UTF-8; a byte order mark becomes that of UTF-8.
  ///
  /// - Throws: `JSONDamage` with the offset of bytes that are not text.
  func decode(_ bytes: [UInt8]) throws(JSONDamage) -> [UInt8] {
    switch self {
    case .utf8: return bytes
    case .windows1252:
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count + bytes.count / 8)
      for byte in bytes {
        if byte < 0x80 {
          result.append(byte)
        } else {
          Self.put(Self.scalars1252[Int(byte) - 0x80], to: &result)
        }
      }
      return result
    case .utf16(let isBigEndian): return try Self.decodeUTF16(bytes, isBigEndian: isBigEndian)
    }
  }

  private static func decodeUTF16(_ bytes: [UInt8], isBigEndian: Bool) throws(JSONDamage) -> [UInt8]
  {
    guard bytes.count % 2 == 0 else {
      throw JSONDamage(offset: 0, message: "the file is UTF-16 but has an odd number of bytes")
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    func unit(_ place: Int) -> UInt16 {
      isBigEndian
        ? UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
        : UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place])
    }
    var place = 0
    while place < bytes.count {
      let first = unit(place)
      place += 2
      guard UTF16.isSurrogate(first) else {
        put(UInt32(first), to: &result)
        continue
      }
      guard UTF16.isLeadSurrogate(first), place < bytes.count,
        UTF16.isTrailSurrogate(unit(place))
      else {
        throw JSONDamage(
          offset: 0,
          message: "the file is UTF-16 but has half a surrogate pair at byte \(place - 1)"
        )
      }
      let scalar = 0x10000 + (UInt32(first & 0x3FF) << 10) + UInt32(unit(place) & 0x3FF)
      place += 2
      put(scalar, to: &result)
    }
    return result
  }

  /// True if the text can be written.
  func canEncode(_ text: String) -> Bool {
    guard self == .windows1252 else { return true }
    return text.unicodeScalars.allSatisfy { $0.value < 0x80 || Self.bytes1252[$0.value] != nil }
  }

  /// Makes a function that encodes UTF-8 piece by piece, where pieces may end within a character; nil for UTF-8.
  func makeEncoder() -> ((UnsafeRawBufferPointer) -> [UInt8])? {
    guard self != .utf8 else { return nil }
    var rest: [UInt8] = []
    return { piece in
      var bytes = rest + Array(piece)
      let end = Self.endOfWhole(bytes)
      rest = Array(bytes[end...])
      bytes.removeSubrange(end...)
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count * 2)
      for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
        self.put(scalar, to: &result)
      }
      return result
    }
  }

  private func put(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
    switch self {
    case .utf8: result.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    case .windows1252:
      // Values are checked before a save.
      result.append(
        scalar.value < 0x80
          ? UInt8(scalar.value) : Self.bytes1252[scalar.value] ?? UInt8(ascii: "?")
      )
    case .utf16(let isBigEndian):
      for unit in UTF16.encode(scalar).map({ Array($0) }) ?? [] {
        result.append(UInt8(truncatingIfNeeded: isBigEndian ? unit >> 8 : unit))
        result.append(UInt8(truncatingIfNeeded: isBigEndian ? unit : unit >> 8))
      }
    }
  }

  /// The number of bytes before a character that is not complete.
  private static func endOfWhole(_ bytes: [UInt8]) -> Int {
    for back in 1...3 where bytes.count >= back {
      let byte = bytes[bytes.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > back ? bytes.count - back : bytes.count
    }
    return bytes.count
  }

  private static func put(_ scalar: UInt32, to result: inout [UInt8]) {
    // Surrogates were paired before, and bytes stand for scalars.
    guard let scalar = Unicode.Scalar(scalar) else { preconditionFailure("a scalar") }
    result.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
  }

  /// The characters of the bytes from 0x80 on.
  private static let scalars1252: [UInt32] = {
    var table = (0x80...0xFF).map { UInt32($0) }
    let others: [UInt32] = [
      0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
      0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
      0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ]
    table.replaceSubrange(0..<others.count, with: others)
    return table
  }()

  static let bytes1252: [UInt32: UInt8] = Dictionary(
    scalars1252.enumerated().map { ($0.element, UInt8($0.offset + 0x80)) },
    uniquingKeysWith: { first, _ in first }
  )
}
