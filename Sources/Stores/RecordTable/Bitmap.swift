/// A bitmap with one bit per row, 64 rows per word; the bits after the last row are zero.
struct Bitmap: Sendable {
  private(set) var words: [UInt64] = []
  private(set) var count = 0

  /// Creates a bitmap without rows.
  init() {}

  /// Creates a bitmap of equal bits.
  init(repeating bit: Bool, count: Int) {
    words = Array(repeating: bit ? .max : 0, count: (count + 63) / 64)
    self.count = count
    clearTail()
  }

  /// Adopts words; clears the bits after the last row.
  init(words: [UInt64], count: Int) {
    assert(words.count == (count + 63) / 64, "there is one word for 64 rows")
    self.words = words
    self.count = count
    clearTail()
  }

  subscript(row: Int) -> Bool {
    get { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }
    set {
      let bit = UInt64(1) << UInt64(row & 63)
      if newValue { words[row >> 6] |= bit } else { words[row >> 6] &= ~bit }
    }
  }

  mutating func append(_ bit: Bool) {
    if count & 63 == 0 { words.append(0) }
    if bit { words[count >> 6] |= UInt64(1) << UInt64(count & 63) }
    count += 1
  }

  /// The number of rows in a word.
  static let wordRows = 64

  /// Appends the low bits of a word; the others must be zero.
  mutating func append(word: UInt64, count added: Int) {
    assert(
      added <= Self.wordRows && (added == 64 || word >> UInt64(added) == 0),
      "the bits of a word"
    )
    let shift = UInt64(count & 63)
    if shift == 0 {
      if added > 0 { words.append(word) }
    } else {
      words[words.count - 1] |= word << shift
      if Int(shift) + added > 64 { words.append(word >> (64 - shift)) }
    }
    count += added
  }

  mutating func removeLast() {
    count -= 1
    if count & 63 == 0 { words.removeLast() } else { self[count] = false }
  }

  /// Appends the bits of whole words; the bits after the last row must be zero.
  ///
  /// - Complexity: O(n / 64).
  mutating func append(words added: UnsafeBufferPointer<UInt64>, count addedCount: Int) {
    assert(added.count == (addedCount + 63) / 64, "there is one word for 64 rows")
    let shift = UInt64(count & 63)
    count += addedCount
    guard shift != 0 else { return words.append(contentsOf: added) }
    for word in added {
      words[words.count - 1] |= word << shift
      words.append(word >> (64 - shift))
    }
    // The bits of the last word may all have found room in the one before.
    if words.count > (count + 63) / 64 { words.removeLast() }
  }

  /// Appends equal bits.
  ///
  /// - Complexity: O(n / 64).
  mutating func append(repeating bit: Bool, count added: Int) {
    let end = count + added
    if bit, count & 63 != 0 { words[words.count - 1] |= UInt64.max << UInt64(count & 63) }
    let missing = (end + 63) / 64 - words.count
    if missing > 0 { words.append(contentsOf: repeatElement(bit ? .max : 0, count: missing)) }
    count = end
    clearTail()
  }

  mutating func reserve(_ capacity: Int) { words.reserveCapacity((capacity + 63) / 64) }

  /// The number of bits that are set.
  ///
  /// - Complexity: O(n / 64).
  var populationCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The 64 bits from a row on; those from the limit on are zero.
  func word(at row: Int, limit: Int) -> UInt64 {
    let (place, shift) = (row >> 6, UInt64(row & 63))
    var word = words[place] >> shift
    if shift > 0, place + 1 < words.count { word |= words[place + 1] << (64 - shift) }
    return limit - row < 64 ? word & (1 << UInt64(limit - row) - 1) : word
  }

  /// The number of bits that are set for the rows.
  ///
  /// - Complexity: O(n / 64).
  func populationCount(in rows: Range<Int>) -> Int {
    stride(from: rows.lowerBound, to: rows.upperBound, by: 64).reduce(0) {
      $0 + word(at: $1, limit: rows.upperBound).nonzeroBitCount
    }
  }

  /// True if a bit is set for one of the rows.
  func hasBits(in rows: Range<Int>) -> Bool {
    stride(from: rows.lowerBound, to: rows.upperBound, by: 64).contains {
      word(at: $0, limit: rows.upperBound) != 0
    }
  }

  /// True if no bit is set.
  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  private mutating func clearTail() {
    if count & 63 != 0 { words[words.count - 1] &= (1 << UInt64(count & 63)) - 1 }
  }
}

extension Bitmap {
  /// Calls the body with each row whose bit is set, in ascending order.
  @inline(__always)
  func forEach(_ body: (Int) throws -> Void) rethrows {
    for (place, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        try body(place << 6 | rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }

  /// The rows of this bitmap that pass the test.
  @inline(__always)
  func filter(_ test: (Int) throws -> Bool) rethrows -> Bitmap {
    var result = self
    for (place, word) in words.enumerated() where word != 0 {
      var rest = word
      var kept = word
      while rest != 0 {
        let row = place << 6 | rest.trailingZeroBitCount
        if try !test(row) { kept &= ~(rest & (0 &- rest)) }
        rest &= rest &- 1
      }
      result.words[place] = kept
    }
    return result
  }

  /// Computes one bit for every row by a test, without branches between rows.
  @inline(__always)
  static func of(count: Int, _ test: (Int) -> Bool) -> Bitmap {
    var words = [UInt64](repeating: 0, count: (count + 63) / 64)
    for place in 0..<(count / 64) {
      var word: UInt64 = 0
      for offset in 0..<64 { word |= (test(place << 6 | offset) ? 1 : 0) << UInt64(offset) }
      words[place] = word
    }
    for row in (count / 64 * 64)..<count where test(row) {
      words[row >> 6] |= 1 << UInt64(row & 63)
    }
    return Bitmap(words: words, count: count)
  }

  static func & (left: Bitmap, right: Bitmap) -> Bitmap { merged(left, right) { $0 & $1 } }

  static func | (left: Bitmap, right: Bitmap) -> Bitmap { merged(left, right) { $0 | $1 } }

  /// The rows of the left bitmap that are not in the right one.
  static func - (left: Bitmap, right: Bitmap) -> Bitmap { merged(left, right) { $0 & ~$1 } }

  @inline(__always)
  private static func merged(
    _ left: Bitmap,
    _ right: Bitmap,
    _ operation: (UInt64, UInt64) -> UInt64
  ) -> Bitmap {
    assert(left.count == right.count, "both have a bit for every row")
    var result = left
    for place in result.words.indices {
      result.words[place] = operation(left.words[place], right.words[place])
    }
    return result
  }
}
