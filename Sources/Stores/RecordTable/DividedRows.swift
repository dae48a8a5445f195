import OpenSwiftData
import Synchronization

/// Tests the rows of a table on several threads.
///
/// The rows are divided into parts that take about a millisecond.
enum DividedRows {
  /// The rows of a part; a multiple of 64.
  static let partCount = 1 << 14
  /// With fewer rows, starting another thread takes longer than testing them.
  private static let leastCount = 1 << 15

  /// The rows of the mask for which the test, which gets one part at a time, sets the bit.
  ///
  /// The test runs on several threads at once and must only read.
  ///
  /// - Throws: `Interruption.Stopped`, and what the test throws.
  static func found(
    among mask: Bitmap,
    threads: Int? = nil,
    _ test: (BitmapPart) throws -> Void
  ) throws -> Bitmap {
    let threads = threads ?? (mask.populationCount < leastCount ? 1 : DividedWork.threadCount)
    var words = [UInt64](repeating: 0, count: mask.words.count)
    try mask.words.withUnsafeBufferPointer { mask in
      try words.withUnsafeMutableBufferPointer { found in
        try perform(test, mask, found, threads)
      }
    }
    return Bitmap(words: words, count: mask.count)
  }

  private static func perform(
    _ test: (BitmapPart) throws -> Void,
    _ mask: UnsafeBufferPointer<UInt64>,
    _ found: UnsafeMutableBufferPointer<UInt64>,
    _ threads: Int
  ) throws {
    // Reports for the calling thread, which also reports what the others have done.
    let counter = WorkCounter(of: 64 * mask.count)
    let doneParts = PartCount()
    let parts = (64 * mask.count + partCount - 1) / partCount
    try DividedWork.perform(parts: parts, threads: threads) { part, isCaller in
      if isCaller { try counter.advance(to: doneParts.value.load(ordering: .relaxed) * partCount) }
      let start = part * partCount / 64
      let words = start..<min(mask.count, start + partCount / 64)
      try test(
        BitmapPart(
          start: 64 * start,
          mask: UnsafeBufferPointer(rebasing: mask[words]),
          found: UnsafeMutableBufferPointer(rebasing: found[words])
        )
      )
      doneParts.value.add(1, ordering: .relaxed)
    }
    try counter.advance(to: 64 * mask.count)
  }

  /// How many parts all threads have done.
  private final class PartCount: Sendable {
    let value = Atomic(0)
  }
}

/// Some successive rows of a table: those to test, and those found so far.
struct BitmapPart {
  /// The first row; a multiple of 64.
  let start: Int
  /// The words of a bitmap with the rows to test.
  let mask: UnsafeBufferPointer<UInt64>
  /// The words of a bitmap with the rows that were found.
  let found: UnsafeMutableBufferPointer<UInt64>

  /// The number of rows to test.
  var rowCount: Int { mask.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// True if the row is to be tested.
  @inline(__always)
  func contains(_ row: Int) -> Bool {
    mask[(row - start) >> 6] >> UInt64(row & 63) & 1 != 0
  }

  @inline(__always)
  func insert(_ row: Int) {
    found[(row - start) >> 6] |= 1 << UInt64(row & 63)
  }

  /// Finds the rows that pass the test.
  @inline(__always)
  func filter(_ test: (Int) throws -> Bool) rethrows {
    for (place, word) in mask.enumerated() where word != 0 {
      var rest = word
      var kept: UInt64 = 0
      while rest != 0 {
        let row = start + (place << 6 | rest.trailingZeroBitCount)
        let bit = rest & (0 &- rest)
        if try test(row) { kept |= bit }
        rest ^= bit
      }
      found[place] = kept
    }
  }
}
