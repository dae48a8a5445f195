import Foundation
import OpenSwiftData
import Testing

@Suite struct HistoryPointTests {
  private struct NoTime: Error {}

  /// Otherwise a transaction in the rest of that second would be earlier than the point.
  @Test func aTimeIsTheBeginningOfItsSecond() throws {
    let point = try #require(HistoryPoint("2026-11-26T18:30:00.900Z"))
    let second = try #require(HistoryPoint("2026-11-26T18:30:00Z"))
    #expect(point == second)
    guard case .time(let date) = second else { throw HistoryPointTests.NoTime() }
    let later = date.addingTimeInterval(0.95)
    #expect(point.precedes(token: 1, timestamp: later))
    #expect(point.includes(token: 1, timestamp: later))
    #expect(!point.precedes(token: 1, timestamp: date.addingTimeInterval(-0.05)))
  }
}
