/// A text key of up to 15 bytes of UTF-8, in the two words of an identifier.
///
/// The bytes come first, most significant byte first, then zeros; the last byte is their number. The order of the
/// words is therefore the order of the bytes, and a text that begins with another comes after it, even if it
/// continues with NUL.
struct ShortKeyText {
  /// The greatest number of bytes.
  static let capacity = 15

  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Nil for a longer text.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count <= Self.capacity else { return nil }
    var words = (high: UInt64(0), low: UInt64(0))
    withUnsafeMutableBytes(of: &words) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(bytes))
      target[Self.capacity] = UInt8(bytes.count)
    }
    self.init(high: UInt64(bigEndian: words.high), low: UInt64(bigEndian: words.low))
  }

  /// Lends the bytes.
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { words in
      words.withMemoryRebound(to: UInt8.self) {
        body(UnsafeBufferPointer(rebasing: $0.prefix(Int(low & 0xFF))))
      }
    }
  }

  /// The text; it fits into a string without an allocation.
  var text: String { withText { String(decoding: $0, as: UTF8.self) } }
}

/// A text key that is compared byte by byte, because the keys of a database are: the two encodings of `é` are
/// different keys.
struct LongKeyText: Hashable {
  let text: String

  static func == (lhs: LongKeyText, rhs: LongKeyText) -> Bool {
    var (left, right) = (lhs.text, rhs.text)
    return left.withUTF8 { left in
      right.withUTF8 { left.count == $0.count && left.elementsEqual($0) }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
