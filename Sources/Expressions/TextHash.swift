/// XXH64 of bytes, as the specification of xxHash describes it.
struct TextHash {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
    0x27D4_EB2F_1656_67C5
  )

  /// The hash.
  ///
  /// - Complexity: O(n) in the number of bytes.
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let (p1, p2, p3, p4, p5) = primes
    var place = 0
    func word() -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
    var hash = seed &+ p5
    if bytes.count >= 32 {
      var lanes = [seed &+ p1 &+ p2, seed &+ p2, seed, seed &- p1]
      while place + 32 <= bytes.count {
        for lane in 0..<4 {
          lanes[lane] = round(lanes[lane], word())
          place += 8
        }
      }
      hash =
        rotated(lanes[0], 1) &+ rotated(lanes[1], 7) &+ rotated(lanes[2], 12)
        &+ rotated(lanes[3], 18)
      for lane in lanes { hash = (hash ^ round(0, lane)) &* p1 &+ p4 }
    }
    hash &+= UInt64(bytes.count)
    while place + 8 <= bytes.count {
      hash = rotated(hash ^ round(0, word()), 27) &* p1 &+ p4
      place += 8
    }
    if place + 4 <= bytes.count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
      hash = rotated(hash ^ UInt64(half) &* p1, 23) &* p2 &+ p3
      place += 4
    }
    for byte in bytes[place...] { hash = rotated(hash ^ UInt64(byte) &* p5, 11) &* p1 }
    hash = (hash ^ hash >> 33) &* p2
    hash = (hash ^ hash >> 29) &* p3
    return hash ^ hash >> 32
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* primes.1, 31) &* primes.0
  }

  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}
