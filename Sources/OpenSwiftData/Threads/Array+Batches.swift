extension Array {
  /// Calls the body with some elements at a time, in order, and checks between them whether to stop.
  ///
  /// - Throws: What the body throws, and `Interruption.Stopped`.
  package func forEachBatch(of size: Int = 4096, _ body: (ArraySlice<Element>) throws -> Void)
    throws
  {
    for start in stride(from: 0, to: count, by: size) {
      try Interruption.check()
      try body(self[start..<Swift.min(start + size, count)])
    }
  }
}
