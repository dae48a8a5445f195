import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import CatalogApp

/// Counting the values of a column in intervals.
@Suite struct DistributionTests {
  /// Whatever the values are, each is in exactly one interval by the comparison that filters use.
  @Test func eachValueIsInOneInterval() {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    for round in 0..<600 {
      let kind = Int.random(in: 0..<5, using: &random)
      let scale = pow(10, Double.random(in: -6...9, using: &random))
      let count = Int.random(in: 2...60, using: &random)
      let values = Set((0..<count).map { _ in Self.value(kind, scale, &random) })
      let counts = values.map {
        ValueCount(value: $0, count: Int.random(in: 1...9, using: &random))
      }
      let first = Distribution(counts, in: nil)
      for choice in first.choices {
        let found = Distribution(counts, in: choice)
        let name = "seed \(seed), round \(round), \(choice)"
        #expect(found.intervals == choice, "\(name)")
        let total = counts.reduce(0) { $0 + $1.count }
        #expect(found.parts.reduce(0) { $0 + $1.count } == total, "\(name)")
        #expect(found.parts.last?.cumulated == total, "\(name)")
        for part in found.parts {
          let expected = counts.filter { Self.contains($0.value, part) }.reduce(0) { $0 + $1.count }
          #expect(
            part.count == expected,
            "\(name): \(part.value) to \(String(describing: part.end))"
          )
        }
      }
    }
  }

  private static func value(_ kind: Int, _ scale: Double, _ random: inout SeededGenerator) -> Value
  {
    if Int.random(in: 0..<20, using: &random) == 0 { return .null }
    let number = Double.random(in: -1...1, using: &random) * scale
    switch kind {
    case 0: return .integer(Int64(number.rounded()))
    case 1: return .number((number * 10).rounded() / 10)
    case 2:
      // Next to a bound, more digits than a binary number has decide.
      let tiny =
        Decimal(Int.random(in: -1...1, using: &random))
        * Decimal(sign: .plus, exponent: -20, significand: 1)
      return .decimal(Decimal(Int((number * 100).rounded())) / 100 + tiny)
    case 3:
      return .date(CalendarDate(daysSince1970: Int32(number.truncatingRemainder(dividingBy: 9000))))
    default: return .datetime(Date(timeIntervalSince1970: number))
    }
  }

  private static func contains(_ value: Value, _ part: Distribution.Part) -> Bool {
    guard let end = part.end else { return value == part.value }
    return !value.isNull && value.compare(part.value) != .orderedAscending
      && value.compare(end) == .orderedAscending
  }

  @Test(
    arguments: [
      ([1.5, 1e300], 1), ([7, 7], 1), ([.nan, 3, 4], 1), ([0, 100], 6),
    ] as [([Double], Int)]
  )
  func valuesWithoutADistanceHaveNoIntervals(numbers: [Double], choiceCount: Int) {
    let counts = Set(numbers.map { Value.number($0) }).map { ValueCount(value: $0, count: 1) }
    #expect(Distribution(counts, in: nil).choices.count == choiceCount)
  }

  @Test func manyNumbersAreCountedInIntervalsAtFirst() throws {
    let screen = try ScreenFixture.numbered(90)
    try screen.press("F")
    #expect(
      screen.text.contains("number: 90 values in 90 records · intervals of 5"),
      "\(screen.text)"
    )
    #expect(screen.text.contains("5 – 9"), "\(screen.text)")
    #expect(screen.text.contains("5   5.6   10"), "\(screen.text)")
    try screen.press("j Enter")
    #expect(screen.chips == "filter number >= 5 and number < 10")
    try screen.press("F")
    #expect(screen.text.contains("number: 5 values in 5 records · 1/5"), "\(screen.text)")
  }

  @Test func aKeyChangesTheIntervals() throws {
    let screen = try ScreenFixture.numbered(90)
    try screen.press("F")
    var seen: Set<String> = []
    for _ in 0..<5 {
      let title = screen.lines.first { $0.contains("90 values") } ?? ""
      seen.insert(
        title.firstRange(of: "intervals of").map { String(title[$0.lowerBound...]) } ?? ""
      )
      try screen.press("b")
    }
    #expect(seen.count == 5, "\(seen)")
    try screen.press("Escape l F b")
    #expect(screen.message == "intervals: only different numbers or days have some")
  }

  @Test func severalIntervalsAreExcludedTogether() throws {
    let screen = try ScreenFixture.numbered(40)
    try screen.press("F Space Space -")
    #expect(screen.status.contains("37 of 40"), "\(screen.text)")
  }
}
