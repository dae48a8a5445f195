import Foundation

/// Random numbers that are the same for the same seed (SplitMix64).
///
/// Tests print the seed, so that a failure can be reproduced.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed of the generator.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The seed of the random tests of a run: the number in the environment variable `SEED`, else the
  /// same one in each run, so that a test that fails tells about the change that is tested.
  package static let testSeed =
    ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? 1

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from zero up to the limit.
  package mutating func below(_ limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &self)
  }

  /// A UUID of random bytes.
  mutating func uuid() -> UUID {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) { buffer in
      buffer.storeBytes(of: next(), toByteOffset: 0, as: UInt64.self)
      buffer.storeBytes(of: next(), toByteOffset: 8, as: UInt64.self)
    }
    return UUID(uuid: bytes)
  }

  /// True with a probability in percent.
  package mutating func chance(_ percent: Int) -> Bool {
    below(100) < percent
  }
}
