import DataStoreTesting

/// What a power failure may leave of a write.
struct TornWrite {
  struct Part {
    var offset: Int
    var bytes: [UInt8]
  }

  /// The bytes on the disk in place of the write.
  let parts: [Part]
  let description: String

  /// The unit that a disk writes atomically.
  static let sectorBytes = 512

  /// For a write of more sectors than this, a random choice of them is torn, omitted or garbage.
  private static let sectorLimit = 64
  private static let sectorChoice = 10

  /// Ways to tear a write.
  ///
  /// It is cut after each sector and at random bytes, with the rest absent, zero or garbage; single
  /// sectors are omitted or garbage; random sets of sectors are omitted.
  static func all(
    of bytes: [UInt8],
    at offset: Int,
    samples: Int,
    _ random: inout SeededGenerator
  ) -> [TornWrite] {
    let all = Self.sectors(of: bytes.count, at: offset)
    let sectors =
      all.count <= sectorLimit
      ? all : (0..<sectorChoice).map { _ in all[random.below(all.count)] }.sorted(by: precedes)
    var result: [TornWrite] = []
    var ends = Set(sectors.dropFirst().map(\.lowerBound) + [0])
    if bytes.count > 1 {
      for _ in 0..<samples { ends.insert(1 + random.below(bytes.count - 1)) }
    }
    for end in ends.sorted() { result += cut(bytes, at: offset, after: end, &random) }
    guard sectors.count > 1 else { return result }
    for sector in sectors {
      result.append(without([sector], of: bytes, at: offset))
      var garbled = bytes
      for place in sector { garbled[place] = UInt8(truncatingIfNeeded: random.next()) }
      result.append(
        TornWrite(parts: [Part(offset: offset, bytes: garbled)], description: "garbage \(sector)")
      )
    }
    if sectors.count > 2 {
      for _ in 0..<samples {
        result.append(without(sectors.filter { _ in random.chance(50) }, of: bytes, at: offset))
      }
    }
    return result
  }

  private static func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    left.lowerBound < right.lowerBound
  }

  /// The ranges of the write that lie within one sector of the file each.
  private static func sectors(of count: Int, at offset: Int) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, start + sectorBytes - (offset + start) % sectorBytes)
      result.append(start..<end)
      start = end
    }
    return result
  }

  private static func cut(
    _ bytes: [UInt8],
    at offset: Int,
    after end: Int,
    _ random: inout SeededGenerator
  ) -> [TornWrite] {
    let head = Array(bytes[..<end])
    let rest = bytes.count - end
    let garbage = (0..<rest).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    return [
      TornWrite(parts: [Part(offset: offset, bytes: head)], description: "cut after \(end)"),
      TornWrite(
        parts: [Part(offset: offset, bytes: head + [UInt8](repeating: 0, count: rest))],
        description: "zeros after \(end)"
      ),
      TornWrite(
        parts: [Part(offset: offset, bytes: head + garbage)],
        description: "garbage after \(end)"
      ),
    ]
  }

  /// The write without some sectors, which keep their former bytes, or zeros if the file grew.
  private static func without(_ missing: [Range<Int>], of bytes: [UInt8], at offset: Int)
    -> TornWrite
  {
    var parts: [Part] = []
    var start = 0
    for gap in missing {
      if gap.lowerBound > start {
        parts.append(Part(offset: offset + start, bytes: Array(bytes[start..<gap.lowerBound])))
      }
      start = gap.upperBound
    }
    if start < bytes.count {
      parts.append(Part(offset: offset + start, bytes: Array(bytes[start...])))
    }
    return TornWrite(parts: parts, description: "without \(missing)")
  }
}
