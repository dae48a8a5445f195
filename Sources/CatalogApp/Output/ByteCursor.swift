import OpenSwiftData

/// Writes bytes to memory that is known to be large enough.
struct ByteCursor {
  /// Where the next byte goes.
  private(set) var position: UnsafeMutablePointer<UInt8>

  init(_ position: UnsafeMutablePointer<UInt8>) { self.position = position }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    position.pointee = byte
    position += 1
  }

  @inline(__always)
  mutating func put(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return }
    position.update(from: start, count: text.count)
    position += text.count
  }

  @inline(__always)
  mutating func put(_ text: StaticString) {
    position.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    position += text.utf8CodeUnitCount
  }

  /// Writes text with control and invisible characters escaped as in JSON.
  ///
  /// Unless the text is JSON, also escapes quotes and backslashes.
  ///
  /// - Precondition: The text is valid UTF-8.
  mutating func putEscaped(_ text: UnsafeBufferPointer<UInt8>, inJSON isJSON: Bool) {
    var place = 0
    while place < text.count {
      let byte = text[place]
      guard byte >= 0x7F else {
        if isJSON { put(byte) } else { putEscaped(byte) }
        place += 1
        continue
      }
      let (scalar, length) = Self.scalar(in: text, at: place)
      if JSONText.mustEscape(scalar) {
        for unit in UTF16.width(scalar) == 1
          ? [UInt16(scalar.value)] : [UTF16.leadSurrogate(scalar), UTF16.trailSurrogate(scalar)]
        {
          putUnicodeEscape(unit)
        }
      } else {
        for offset in 0..<length { put(text[place + offset]) }
      }
      place += length
    }
  }

  private mutating func putEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): put("\\\"")
    case UInt8(ascii: "\\"): put("\\\\")
    case 0x0A: put("\\n")
    case 0x0D: put("\\r")
    case 0x09: put("\\t")
    case 0..<0x20: putUnicodeEscape(UInt16(byte))
    default: put(byte)
    }
  }

  private mutating func putUnicodeEscape(_ unit: UInt16) {
    put("\\u")
    for shift in [12, 8, 4, 0] as [UInt16] {
      put(JSONText.hexDigit(UInt8(unit >> shift & 15)))
    }
  }

  /// The character outside ASCII, or the delete character, that begins at a place, and its length.
  private static func scalar(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> (
    Unicode.Scalar, Int
  ) {
    let first = UInt32(text[place])
    let length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard length > 1, place + length <= text.count else {
      return (Unicode.Scalar(UInt8(first)), 1)
    }
    var value = first & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(text[place + offset] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }
}

/// Bytes that a format must quote or escape.
enum SpecialBytes {
  /// Quotes, commas, line ends and zero.
  case commaSeparated
  /// The same with `|` for the comma.
  case barSeparated
  /// Tabs, line ends and backslashes.
  case tabSeparated
  /// Quotes, backslashes, control characters, and everything outside ASCII, which may be invisible.
  case escaped
  /// Everything outside ASCII, and the delete character.
  case invisible

  /// A word whose highest bits are set for the special bytes among eight.
  ///
  /// A byte after a special one may be marked as well, so only zero is exact.
  @inline(__always)
  func marks(in word: UInt64) -> UInt64 {
    let marks =
      switch self {
      case .commaSeparated:
        Self.equal(word, 0x22) | Self.equal(word, 0x2C) | Self.equal(word, 0x0A)
          | Self.equal(word, 0x0D) | Self.equal(word, 0)
      case .barSeparated:
        Self.equal(word, 0x22) | Self.equal(word, 0x7C) | Self.equal(word, 0x0A)
          | Self.equal(word, 0x0D) | Self.equal(word, 0)
      case .tabSeparated:
        Self.equal(word, 0x09) | Self.equal(word, 0x0A) | Self.equal(word, 0x0D)
          | Self.equal(word, 0x5C)
      case .escaped:
        word | Self.equal(word, 0x7F) | Self.equal(word, 0x22) | Self.equal(word, 0x5C)
          | ((word &- Self.ones &* 0x20) & ~word)
      case .invisible: word | Self.equal(word, 0x7F)
      }
    return marks & (Self.ones &* 0x80)
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    switch self {
    case .commaSeparated: byte == 0x22 || byte == 0x2C || byte == 0x0A || byte == 0x0D || byte == 0
    case .barSeparated: byte == 0x22 || byte == 0x7C || byte == 0x0A || byte == 0x0D || byte == 0
    case .tabSeparated: byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0x5C
    case .escaped: byte >= 0x7F || byte < 0x20 || byte == 0x22 || byte == 0x5C
    case .invisible: byte >= 0x7F
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

  @inline(__always)
  private static func equal(_ word: UInt64, _ byte: UInt64) -> UInt64 {
    let difference = word ^ (ones &* byte)
    return (difference &- ones) & ~difference
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if any byte is special.
  @inline(__always)
  func hasByte(in special: SpecialBytes) -> Bool {
    var place = 0
    let bytes = UnsafeRawBufferPointer(self)
    while place + 8 <= count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      if special.marks(in: word) != 0 { return true }
      place += 8
    }
    while place < count {
      if special.contains(self[place]) { return true }
      place += 1
    }
    return false
  }

  /// The number of special bytes.
  func count(of special: SpecialBytes) -> Int {
    reduce(0) { $0 + (special.contains($1) ? 1 : 0) }
  }
}
