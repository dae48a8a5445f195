/// Finds rows by a hash: open addressing over row numbers, at most half full.
///
/// It does not hold keys; the caller compares them with those in the table. Rows are never removed:
/// the comparison rejects outdated entries until the index is rebuilt.
struct HashIndex: Sendable {
  private var slots: [Int32]
  private(set) var count = 0

  init(capacity: Int) {
    var size = 16
    while size < 2 * capacity { size *= 2 }
    slots = Array(repeating: -1, count: size)
  }

  /// True if one more entry would make it more than half full.
  var isFull: Bool { 2 * count >= slots.count }

  /// - Precondition: It is not full.
  mutating func insert(_ row: Int, hash: UInt64) {
    assert(!isFull, "an index that is full is built anew with more slots")
    let mask = slots.count - 1
    var place = start(hash)
    while slots[place] >= 0 { place = (place + 1) & mask }
    slots[place] = Int32(row)
    count += 1
  }

  /// The first row with the hash that the closure accepts.
  ///
  /// - Complexity: O(1) expected.
  @inline(__always)
  func row(hash: UInt64, where fits: (Int) -> Bool) -> Int? {
    let mask = slots.count - 1
    var place = start(hash)
    while slots[place] >= 0 {
      if fits(Int(slots[place])) { return Int(slots[place]) }
      place = (place + 1) & mask
    }
    return nil
  }

  private func start(_ hash: UInt64) -> Int {
    var mixed = hash
    mixed = (mixed ^ (mixed >> 32)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 20) & (slots.count - 1)
  }
}
