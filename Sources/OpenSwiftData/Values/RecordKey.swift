import Foundation

/// The key of a new record in the built-in stores: 80 bits that sort by creation.
///
/// The upper 42 bits are the milliseconds since 2020-01-01 UTC (until the year 2159), the lower 38 a sequence
/// that begins at a random number in each millisecond and then counts up, so two programs that insert into
/// copies of one store do not choose the same key.
///
/// The text form has sixteen digits of Crockford's base 32 in lower case, **the fastest-changing digit
/// first**: the first four to six characters usually identify a record, as with Git hashes.
public struct RecordKey: Hashable, Sendable, Codable {
  /// Milliseconds since 2020-01-01 UTC, below 2^42.
  let milliseconds: UInt64
  /// The sequence number within the millisecond, below 2^38.
  let sequence: UInt64

  static let sequenceBits: UInt64 = 38
  static let sequenceLimit: UInt64 = 1 << sequenceBits
  static let millisecondsLimit: UInt64 = 1 << 42
  private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  package init(milliseconds: UInt64, sequence: UInt64) {
    self.milliseconds = milliseconds & (Self.millisecondsLimit - 1)
    self.sequence = sequence & (Self.sequenceLimit - 1)
  }

  /// True when the text form contains a letter and cannot be mistaken for a number.
  var hasLetter: Bool {
    var low = sequence | (milliseconds << Self.sequenceBits)
    var high = milliseconds >> (64 - Self.sequenceBits)
    for _ in 0..<16 {
      if low & 31 >= 10 { return true }
      low = (low >> 5) | (high << 59)
      high >>= 5
    }
    return false
  }

  /// The value of each byte as a digit; 255 for the others.
  private static let digitValues: [UInt8] = {
    var values = [UInt8](repeating: .max, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  private static func value(of byte: UInt8) -> UInt64? {
    let value = digitValues[Int(byte)]
    return value == .max ? nil : UInt64(value)
  }
}

extension RecordKey: Comparable {
  /// True when the left key was created earlier.
  public static func < (lhs: RecordKey, rhs: RecordKey) -> Bool {
    (lhs.milliseconds, lhs.sequence) < (rhs.milliseconds, rhs.sequence)
  }
}

extension RecordKey: CustomStringConvertible, LosslessStringConvertible {
  /// Sixteen digits of base 32, the least significant first.
  public var description: String { withText { String(decoding: $0, as: UTF8.self) } }

  /// Lends the description as UTF-8, or the same with the most significant digit first.
  func withText<Result>(
    isReversed: Bool = false,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { buffer in
      var low = sequence | (milliseconds << Self.sequenceBits)
      var high = milliseconds >> (64 - Self.sequenceBits)
      Self.digits.withUnsafeBufferPointer { digits in
        for position in 0..<16 {
          buffer[isReversed ? 15 - position : position] = digits[Int(low & 31)]
          low = (low >> 5) | (high << 59)
          high >>= 5
        }
      }
      return body(UnsafeBufferPointer(buffer))
    }
  }

  /// The digits with the most significant first: these texts sort as the keys do.
  package var sortableText: String {
    withText(isReversed: true) { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a `sortableText`; nil for anything else.
  package init?(sortableText: String) {
    self.init(sortableText, isReversed: true)
  }

  /// Reads the text form; nil for anything else.
  public init?(_ description: String) {
    self.init(description, isReversed: false)
  }

  /// Reads the bytes of a `sortableText`; nil for anything else.
  package init?(sortableBytes bytes: UnsafeBufferPointer<UInt8>) {
    self.init(digits: bytes, isReversed: true)
  }

  /// Appends the bytes of `sortableText`.
  package func appendSortableBytes(to bytes: inout [UInt8]) {
    withText(isReversed: true) { bytes.append(contentsOf: $0) }
  }

  private init?(_ text: String, isReversed: Bool) {
    var text = text
    guard let key = text.withUTF8({ Self(digits: $0, isReversed: isReversed) }) else { return nil }
    self = key
  }

  private init?(digits: UnsafeBufferPointer<UInt8>, isReversed: Bool) {
    guard digits.count == 16 else { return nil }
    var (low, high): (UInt64, UInt64) = (0, 0)
    var all: UInt8 = 0
    Self.digitValues.withUnsafeBufferPointer { values in
      for position in 0..<16 {
        let value = values[Int(digits[isReversed ? position : 15 - position])]
        all |= value
        high = (high << 5) | (low >> 59)
        low = (low << 5) | UInt64(value)
      }
    }
    guard all < 32 else { return nil }
    self.init(
      milliseconds: (low >> Self.sequenceBits) | (high << (64 - Self.sequenceBits)),
      sequence: low & (Self.sequenceLimit - 1)
    )
  }

  /// The prefix of a text form, prepared for comparison with many keys.
  package struct Prefix: Sendable {
    private let low: UInt64
    private let mask: UInt64
    private let rest: String?

    /// Nil if no key can begin with the text.
    package init?(_ text: String) {
      guard text.utf8.count <= 16 else { return nil }
      var low: UInt64 = 0
      let counted = min(text.utf8.count, 12)
      for (position, byte) in text.utf8.enumerated() {
        guard let digit = RecordKey.value(of: byte) else { return nil }
        if position < counted { low |= digit << UInt64(position * 5) }
      }
      self.low = low
      mask = (1 << UInt64(counted * 5)) - 1
      rest = text.utf8.count > 12 ? text : nil
    }

    package func matches(milliseconds: UInt64, sequence: UInt64) -> Bool {
      let word = sequence | (milliseconds << RecordKey.sequenceBits)
      guard word & mask == low else { return false }
      guard let rest else { return true }
      return RecordKey(milliseconds: milliseconds, sequence: sequence).description.hasPrefix(rest)
    }
  }
}

/// Creates increasing keys for new records.
///
/// ```swift
/// var keys = RecordKeyGenerator()
/// let identifier = try PersistentIdentifier.identifier(
///   for: "notebook", entityName: "Hike", primaryKey: keys.next()
/// )
/// ```
///
/// A store keeps one generator while it is open, and notes the keys that it has read.
public struct RecordKeyGenerator: Sendable {
  /// 2020-01-01 UTC, where keys begin, in milliseconds since 1970.
  package static let epoch: Int64 = 1_577_836_800_000

  private let milliseconds: @Sendable () -> UInt64
  private let random: @Sendable () -> UInt64
  private var last = RecordKey(milliseconds: 0, sequence: RecordKey.sequenceLimit - 1)

  /// Creates a generator that uses the clock and the random numbers of the system.
  public init() {
    self.init(
      milliseconds: {
        UInt64(max(0, Int64(Date().timeIntervalSince1970 * 1000) - RecordKeyGenerator.epoch))
      },
      random: { .random(in: .min ... .max) }
    )
  }

  /// Creates a generator; the clock gives milliseconds since 2020-01-01 UTC.
  public init(
    milliseconds: @escaping @Sendable () -> UInt64,
    random: @escaping @Sendable () -> UInt64
  ) {
    self.milliseconds = milliseconds
    self.random = random
  }

  /// The next key, greater than every key created or noted before, even if the clock goes back.
  ///
  /// Keys that look like a number are skipped.
  public mutating func next() -> RecordKey {
    repeat { advance() } while !last.hasLetter
    return last
  }

  /// Appends the identifiers of new records, and reads the clock only once.
  package mutating func appendKeys(
    _ count: Int,
    in scope: IdentifierScope,
    to identifiers: inout [PersistentIdentifier]
  ) {
    for place in 0..<count {
      identifiers.append(scope.identifier(key: place == 0 ? next() : following()))
    }
  }

  /// The next key at the time of the last one: without a look at the clock, for many keys.
  package mutating func following() -> RecordKey {
    repeat { advance(now: last.milliseconds) } while !last.hasLetter
    return last
  }

  private mutating func advance() { advance(now: milliseconds()) }

  private mutating func advance(now: UInt64) {
    if now > last.milliseconds {
      last = RecordKey(milliseconds: now, sequence: random() & (RecordKey.sequenceLimit / 2 - 1))
    } else if last.sequence + 1 < RecordKey.sequenceLimit {
      last = RecordKey(milliseconds: last.milliseconds, sequence: last.sequence + 1)
    } else {
      last = RecordKey(milliseconds: last.milliseconds + 1, sequence: 0)
    }
  }

  /// Ensures that later keys are greater than this one.
  public mutating func note(_ key: RecordKey) {
    last = max(last, key)
  }
}
