import CSystem
import Foundation
import OpenSwiftData
import Synchronization

/// Tests the rows of a table on several threads.
///
/// The rows are divided into parts that take about a millisecond. Each thread takes the next part until none is left, so
/// no thread waits long for another. Only the calling thread checks whether to stop; the others stop with it.
enum DividedRows {
  /// The number of threads for large tables.
  static let threadCount = min(8, ProcessInfo.processInfo.activeProcessorCount)
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
    let threads = threads ?? (mask.populationCount < leastCount ? 1 : threadCount)
    var words = [UInt64](repeating: 0, count: mask.words.count)
    try mask.words.withUnsafeBufferPointer { mask in
      try words.withUnsafeMutableBufferPointer { found in
        try withoutActuallyEscaping(test) { test in
          try Division(test: test, mask: mask, found: found).run(threads: threads)
        }
      }
    }
    return Bitmap(words: words, count: mask.count)
  }

  /// A class of its own, because the closure that asks for it must be sendable.
  private final class StopFlag: Sendable {
    let isSet = Atomic(false)
  }

  /// One test of all parts.
  private final class Division {
    private let test: (BitmapPart) throws -> Void
    private let mask: UnsafeBufferPointer<UInt64>
    private let found: UnsafeMutableBufferPointer<UInt64>
    private let failure = Mutex<(any Error)?>(nil)
    private let stop = StopFlag()
    private let doneParts = Atomic(0)
    /// Reports for the calling thread, which also reports what the others have done.
    private let counter: WorkCounter

    init(
      test: @escaping (BitmapPart) throws -> Void,
      mask: UnsafeBufferPointer<UInt64>,
      found: UnsafeMutableBufferPointer<UInt64>
    ) {
      (self.test, self.mask, self.found) = (test, mask, found)
      counter = WorkCounter(of: 64 * mask.count)
    }

    func run(threads: Int) throws {
      let parts = (64 * mask.count + partCount - 1) / partCount
      // The calls have returned when `catalog_divide` returns, so no thread refers to the object afterwards.
      catalog_divide(
        threads,
        parts,
        { context, worker, part in
          guard let context else { return }
          Unmanaged<Division>.fromOpaque(context).takeUnretainedValue()
            .take(part, isCaller: worker == 0)
        },
        Unmanaged.passUnretained(self).toOpaque()
      )
      if let error = failure.withLock({ $0 }) { throw error }
      try counter.advance(to: 64 * mask.count)
    }

    private func take(_ part: Int, isCaller: Bool) {
      let stop = stop
      guard !stop.isSet.load(ordering: .relaxed) else { return }
      let start = part * partCount / 64
      let words = start..<min(mask.count, start + partCount / 64)
      let rows = BitmapPart(
        start: 64 * start,
        mask: UnsafeBufferPointer(rebasing: mask[words]),
        found: UnsafeMutableBufferPointer(rebasing: found[words])
      )
      do {
        if isCaller {
          try counter.advance(to: doneParts.load(ordering: .relaxed) * partCount)
          try Interruption.check()
          try test(rows)
        } else {
          try Interruption.allowed(by: { stop.isSet.load(ordering: .relaxed) }) { try test(rows) }
        }
        doneParts.add(1, ordering: .relaxed)
      } catch {
        stop.isSet.store(true, ordering: .relaxed)
        failure.withLock { if $0 == nil || isCaller { $0 = error } }
      }
    }
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
