import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData

/// Text and moments are converted digit by digit.
@Suite struct TimestampDigitsTests {
  @Test(
    arguments: [
      "2015-09-24T13:56:34.185Z", "1994-02-17T19:32:05.001Z", "0000-01-01T00:00:00Z",
      "0000-01-01T00:00:00.001Z", "0001-02-03T04:05:06.789Z", "1969-12-31T23:59:59.999Z",
      "1969-12-31T23:59:59.999999Z", "2000-12-31T23:59:59.999999Z",
      "2000-12-31T23:59:59.999999999Z", "2001-01-01T00:00:00.000000001Z",
      "2001-01-01T00:00:00.000000000001Z", "1900-03-01T12:00:00.123456Z",
      "2136-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999970Z",
    ]
  )
  func datetimesKeepTheirDigits(_ text: String) throws {
    let value = try Value(parsing: text, as: .datetime)
    #expect(value.text == text)
    #expect(value.brokenRule == nil)
  }

  @Test(
    arguments: [
      "9999-12-31T23:59:59.999999Z", "2015-09-24T13:56:34.123456789Z",
      "1500-01-01T00:00:00.000001Z",
    ]
  )
  func datetimesWithTooManyDigitsAreRejected(_ text: String) throws {
    let error = try #require(throws: ValueError.self) { try Value(parsing: text, as: .datetime) }
    #expect(error.description.contains("has more digits than a datetime keeps there"))
  }

  @Test func everyMillisecondAndMicrosecondKeepsItsDigits() throws {
    var generator = SeededGenerator(seed: 11)
    let bounds = (first: -62_167_219_200_000, last: 253_402_300_799_999)
    for _ in 0..<20_000 {
      let number = Int.random(in: bounds.first...bounds.last, using: &generator)
      let thousandths = Self.text(number, scale: 1000)
      #expect(Timestamp.date(from: thousandths).map(Timestamp.text(of:)) == thousandths, "seed 11")
      let near = Int.random(in: -3_300_000_000_000_000...5_200_000_000_000_000, using: &generator)
      let millionths = Self.text(near, scale: 1_000_000)
      #expect(Timestamp.date(from: millionths).map(Timestamp.text(of:)) == millionths, "seed 11")
    }
  }

  @Test func everyDateComesBackBitForBit() throws {
    var generator = SeededGenerator(seed: 12)
    for round in 0..<20_000 {
      let reach = pow(10, Double(round % 30) - 18)
      let seconds = Double.random(in: -1...1, using: &generator) * reach
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      guard Timestamp.isInRange(date) else { continue }
      let text = Timestamp.text(of: date)
      let back = Timestamp.date(from: text)?.timeIntervalSinceReferenceDate
      #expect(back?.bitPattern == seconds.bitPattern, "seed 12: \(text)")
    }
  }

  @Test(
    arguments: [
      "1994-02-17T19:32:05.000Z", "1994-02-17t19:32:05z", "1994-02-17T21:32:05+02:00",
      "1994-02-17T21:32:05+0200", "1994-02-17 19:32:05Z", "1994-02-17T14:32:05.0-05:00",
    ]
  )
  func otherSpellingsMeanTheSameMoment(_ text: String) throws {
    #expect(try Value(parsing: text, as: .datetime).text == "1994-02-17T19:32:05Z")
  }

  @Test func filesOfEarlierVersionsAreRead() throws {
    // Earlier versions wrote nine digits of the float if fewer did not convert back to it.
    let date = Date(timeIntervalSinceReferenceDate: 464_795_794.123_456_7)
    let floor = date.timeIntervalSinceReferenceDate.rounded(.down)
    let digits = Int(((date.timeIntervalSinceReferenceDate - floor) * 1e9).rounded())
    #expect(Timestamp.date(from: "2015-09-24T13:56:34.\(digits)Z") == date)
  }

  private static func text(_ number: Int, scale: Int) -> String {
    let second = Int((Double(number) / Double(scale)).rounded(.down))
    var whole = second
    while whole * scale > number { whole -= 1 }
    while (whole + 1) * scale <= number { whole += 1 }
    let base = Timestamp.text(of: Date(timeIntervalSince1970: Double(whole)))
    var fraction = String(number - whole * scale)
    while fraction.utf8.count < (scale == 1000 ? 3 : 6) { fraction = "0" + fraction }
    if fraction.allSatisfy({ $0 == "0" }) { return base }
    if scale == 1_000_000, fraction.hasSuffix("000") { fraction.removeLast(3) }
    return base.dropLast() + "." + fraction + "Z"
  }
}
