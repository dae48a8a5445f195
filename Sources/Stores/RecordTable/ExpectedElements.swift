import CSystem

extension Array where Element: BitwiseCopyable {
  /// Reserves room for elements, the first of which will soon be there.
  ///
  /// - Parameters:
  ///   - capacity: The number of elements to reserve room for.
  ///   - expected: The number of elements, with the present ones, that will be there.
  /// - Complexity: O(n) in the number of elements that are there or expected.
  mutating func reserveCapacity(_ capacity: Int, expecting expected: Int) {
    reserveCapacity(capacity)
    provideMemory(upTo: expected)
  }

  /// Has the system provide the memory for the next elements, as far as there is room.
  ///
  /// For much memory it does so on several threads, which takes less time than to do it at the first use of each page.
  ///
  /// - Complexity: O(n) in the number of elements that are not there yet.
  mutating func provideMemory(upTo expected: Int) {
    let present = count
    let size = (Swift.min(expected, capacity) - present) * MemoryLayout<Element>.stride
    guard size >= leastProvidedBytes else { return }
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      catalog_provide(start + present, size, DividedWork.threadCount)
    }
  }
}

/// Less is provided faster without a second thread.
let leastProvidedBytes = 4 << 20
