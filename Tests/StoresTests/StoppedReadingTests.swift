import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// Looking through a whole text can be stopped, however long the text is.
@Suite struct StoppedReadingTests {
  private func asks(rows: Int) throws -> (count: Int, sizeBytes: Int) {
    let text = "a,b\n" + String(repeating: "1000,2000\n", count: rows)
    let source = JSONSource(Array(text.utf8))
    let asked = Mutex(0)
    try Interruption.allowed(by: {
      asked.withLock { $0 += 1 }
      return false
    }) {
      let reading = DelimitedReading(source: source, promised: nil, options: ReadingOptions())
      _ = try reading.dialect()
    }
    return (asked.withLock { $0 }, source.sizeBytes)
  }

  @Test func theLongerATextIsTheMoreOftenItsReadingAsksWhetherToStop() throws {
    let (few, small) = try asks(rows: 100_000)
    let (more, large) = try asks(rows: 200_000)
    #expect(more - few >= (large - small) >> 16)
  }
}
