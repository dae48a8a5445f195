import CSystem

extension Array where Element: BitwiseCopyable {
  /// Reserves room for elements, the first of which will soon be there.
  ///
  /// Has the system provide the memory of a large array at once and on several threads, which takes less time than to
  /// do that at the first use of each page.
  ///
  /// - Parameters:
  ///   - capacity: The number of elements to reserve room for.
  ///   - expected: The number of elements, with the present ones, that will be there.
  /// - Complexity: O(n) in the number of elements that are there or expected.
  mutating func reserveCapacity(_ capacity: Int, expecting expected: Int) {
    reserveCapacity(capacity)
    let present = count
    let size = (Swift.min(expected, self.capacity) - present) * MemoryLayout<Element>.stride
    guard size >= Self.leastExpectedBytes else { return }
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      catalog_provide(start + present, size, DividedWork.threadCount)
    }
  }

  /// Less is provided faster without a second thread.
  private static var leastExpectedBytes: Int { 4 << 20 }
}
