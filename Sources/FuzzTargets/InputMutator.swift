import DataStoreTesting

/// Changes inputs at random, as a fuzzer without coverage does.
package struct InputMutator {
  private var random: SeededGenerator
  private static let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, 0x0A, 0x1B, 0x22, 0x27, 0x5C, 0xE2]

  /// Creates a mutator; the same seed gives the same changes.
  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// One of the inputs with one to four changes.
  ///
  /// - Precondition: There is an input.
  package mutating func next(from inputs: [[UInt8]], limitBytes: Int) -> [UInt8] {
    var bytes = Array(inputs[random.below(inputs.count)].prefix(limitBytes))
    for _ in 0...random.below(4) {
      change(&bytes, with: inputs[random.below(inputs.count)])
    }
    return Array(bytes.prefix(limitBytes))
  }

  private mutating func change(_ bytes: inout [UInt8], with other: [UInt8]) {
    guard !bytes.isEmpty else {
      bytes = other
      return
    }
    let place = random.below(bytes.count)
    let end = min(bytes.count, place + 1 + random.below(16))
    switch random.below(7) {
    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
    case 1: bytes[place] = Self.values[random.below(Self.values.count)]
    case 2: bytes[place] &+= UInt8(truncatingIfNeeded: random.next() % 9) &- 4
    case 3: bytes.removeSubrange(place..<end)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
    case 5: bytes.removeLast(bytes.count - place)
    default:
      guard !other.isEmpty else { return }
      let start = random.below(other.count)
      let part = other[start..<min(other.count, start + 1 + random.below(32))]
      bytes.insert(contentsOf: part, at: place)
    }
  }
}
