import DataStoreTesting

/// Texts that a keyboard cannot produce: controls, overrides, combining marks, noncharacters.
package struct RandomText {
  private var random: SeededGenerator
  private static let dangerous: [String] = [
    "\u{1B}[31337m", "\u{1B}]0;title\u{7}", "\u{9B}31337m", "\u{1B}c", "\u{1B}[6n",
    "\u{90}+q\u{9C}", "\u{1B}P1$r0m\u{1B}\\", "\u{9D}52;c;AAAA\u{7}", "\u{1B}[2J", "\u{1B}(0",
    "\u{E}", "\u{F}", "\r\n",
    "\u{202E}", "\u{2066}", "\u{200B}", "\u{FEFF}", "\u{E0041}", "\u{2028}", "\u{85}", "\u{AD}",
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}\u{1F1EA}", "\u{1F1E9}", "\u{1F3FD}",
    "\u{2764}\u{FE0F}", "\u{FE0E}", "\u{200D}", "e\u{301}", "\u{301}\u{302}\u{303}\u{304}\u{305}",
    "\u{1100}\u{1161}\u{11A8}", "\u{915}\u{94D}\u{200D}\u{937}", "\u{634}\u{200C}\u{645}",
    "\u{E000}", "\u{378}", "漢字", "\u{FF21}", "שלום",
  ]
  /// Where scalars are drawn from, some of them often.
  private static let ranges: [ClosedRange<UInt32>] = [
    0x20...0x7E, 0...0x1F, 0x7F...0x9F, 0xA0...0x24F, 0x300...0x36F, 0x590...0x6FF, 0x900...0xDFF,
    0x1100...0x11FF, 0x1800...0x18AF, 0x2000...0x206F, 0x20D0...0x20FF, 0x2500...0x27BF,
    0x3000...0x30FF, 0xAC00...0xAC80, 0xE000...0xE0FF, 0xFB50...0xFDFF, 0xFE00...0xFE0F,
    0xFFF0...0xFFFF, 0x1F1E6...0x1F1FF, 0x1F300...0x1F6FF, 0x1F900...0x1F9FF, 0xE0000...0xE01EF,
    0xF0000...0xF00FF, 0...0x10FFFF,
  ]

  /// Creates a generator; the same seed gives the same texts.
  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The next text, of up to 24 pieces.
  package mutating func next() -> String {
    if random.chance(10) { return repaired() }
    var text = ""
    for _ in 0..<random.below(24) {
      if random.chance(15) {
        text += Self.dangerous[random.below(Self.dangerous.count)]
      } else {
        text.unicodeScalars.append(scalar())
      }
    }
    return text
  }

  private mutating func scalar() -> Unicode.Scalar {
    let range = Self.ranges[random.below(Self.ranges.count)]
    let value = range.lowerBound + UInt32(random.below(range.count))
    // Surrogates are not scalars; the nearest scalar replaces them.
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// Bytes that are not valid UTF-8, including encoded surrogates, as careless decoders produce
  /// them.
  private mutating func repaired() -> String {
    var bytes = (0..<random.below(32)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    bytes += [0xED, 0xA0, UInt8(0x80 + random.below(64)), 0xC0, 0x9B, 0xF8, 0x88]
    return String(decoding: bytes, as: UTF8.self)
  }
}
