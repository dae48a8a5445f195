/// Sorting many rows on several threads.
extension RowSorter {
  /// With fewer rows, starting another thread takes longer than sorting them.
  static let dividedCount = 1 << 16
  /// The number of bits that divide the codes.
  private static let bitCount = 11

  /// Divides the rows by the first bits in which their codes differ, and sorts each part with all further keys.
  ///
  /// - Returns: False, without having sorted, if all codes are equal.
  mutating func sortDivided(_ entries: [Entry], _ task: SortTask) throws -> Bool {
    let varying = Self.varyingBits(entries)
    guard varying != 0 else { return false }
    let shift = max(0, 64 - varying.leadingZeroBitCount - Self.bitCount)
    let (divided, parts) = Self.divided(entries, UInt64(shift))
    let start = task.range.lowerBound
    // Without the rows, which would be copied when this changes them.
    let sorter = RowSorter([], wantedCount, of: self)
    try rows.withUnsafeMutableBufferPointer { rows in
      try DividedWork.perform(parts: parts.count, threads: threads) { number, _ in
        let part = parts[number]
        let wanted = sorter.wantedCount - start - part.lowerBound
        guard wanted > 0 else { return }
        let entries = Array(divided[part])
        var partSorter = RowSorter(entries.map(\.row), wanted, of: sorter)
        try partSorter.finish(entries, key: task.key, depth: task.depth)
        // Each part has places of its own.
        for (place, row) in partSorter.rows.enumerated() {
          rows[start + part.lowerBound + place] = row
        }
      }
    }
    return true
  }

  /// The entries in the order of some bits of their codes, and the ranges of those that agree in them.
  private static func divided(_ entries: [Entry], _ shift: UInt64) -> ([Entry], [Range<Int>]) {
    var ends = [Int](repeating: 0, count: 1 << bitCount)
    var divided = entries
    entries.withUnsafeBufferPointer { source in
      divided.withUnsafeMutableBufferPointer { target in
        ends.withUnsafeMutableBufferPointer { ends in
          scatter(source, target, ends, shift, 1 << UInt64(bitCount) - 1)
        }
      }
    }
    let starts = [0] + ends.dropLast()
    return (divided, zip(starts, ends).map { $0..<$1 }.filter { !$0.isEmpty })
  }
}
