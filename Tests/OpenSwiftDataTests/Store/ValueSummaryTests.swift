import Foundation
import OpenSwiftData
import Testing

/// Sums and means of a field.
@Suite struct ValueSummaryTests {
  private func summary(_ texts: [String], as type: AttributeType, times: Int = 1) throws
    -> ValueSummary
  {
    var summary = ValueSummary()
    for text in texts { summary.add(try Value(parsing: text, as: type), count: times) }
    return summary
  }

  @Test(arguments: [
    (["0.1", "0.2"], "0.3"), (["1e20", "0.01"], "100000000000000000000.01"),
    (["99999999999999999999999999999999999998", "1"], "99999999999999999999999999999999999999"),
    (["12345678901234567890123456789012345678", "-12345678901234567890123456789012345678"], "0"),
  ])
  func sumsOfDecimalsAreExact(texts: [String], sum: String) throws {
    let summary = try summary(texts, as: .decimal)
    #expect(summary.sum.text == sum && !summary.isSumOutOfRange)
  }

  @Test(arguments: [
    ["12345678901234567890123456789012345678", "0.01"], ["1e100", "1"], ["1", "1e100", "-1e100"],
    ["99999999999999999999999999999999999999", "0.5"],
  ])
  func aSumThatNoDecimalHoldsIsMissing(texts: [String]) throws {
    let summary = try summary(texts, as: .decimal)
    #expect(summary.sum == .null && summary.mean == .null && summary.isSumOutOfRange)
    #expect(summary.count == texts.count && summary.distinct == texts.count)
  }

  @Test func manyGreatIntegersHaveAnExactSum() throws {
    let summary = try summary(["9223372036854775807", "-1"], as: .integer, times: 1_000_000)
    #expect(summary.sum.text == "9223372036854775806000000")
    #expect(summary.mean.text == "4611686018427387903")
    #expect(!ValueSummary().isSumOutOfRange)
    #expect(try !self.summary(["x"], as: .text).isSumOutOfRange)
  }
}
