extension Range<Int> {
  /// The first number that passes the test, or the upper bound; every number after a passing one passes, too.
  ///
  /// - Complexity: O(log n) tests.
  @inlinable
  package func partitioningIndex(where passes: (Int) throws -> Bool) rethrows -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if try passes(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
