import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@Suite struct CalendarDateTests {
  @Test(
    arguments: [
      ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11016), ("2000-03-01", 11017),
      ("0000-01-01", -719_528), ("0000-03-01", -719_468), ("0001-01-01", -719_162),
      ("1582-10-15", -141_427), ("1900-03-01", -25508), ("2009-05-29", 14393),
      ("9999-12-31", 2_932_896),
    ] as [(String, Int32)]
  )
  func knownDaysHaveTheirNumbers(_ text: String, _ number: Int32) throws {
    let day = try #require(CalendarDate(text))
    #expect(day.daysSince1970 == number)
    #expect(day.description == text)
    #expect(CalendarDate(daysSince1970: number) == day)
  }

  @Test func everyDayHasTextThatReadsBack() {
    var last = ""
    for number in stride(from: Int32(-719_528), through: 2_932_896, by: 1) where number % 7 == 0 {
      let day = CalendarDate(daysSince1970: number)
      let (year, month, dayOfMonth) = day.components
      if CalendarDate(year: year, month: month, day: dayOfMonth) != day {
        Issue.record("day \(number) reads back as another")
        return
      }
      guard number % 700 == 0 else { continue }
      #expect(CalendarDate(day.description) == day)
      #expect(last < day.description)
      last = day.description
    }
  }

  @Test(arguments: [
    "", "2009-5-29", "2009-02-29", "1900-02-29", "2009-13-01", "2009-00-01", "2009-01-00",
    "2009-04-31", "10000-01-01", "2009/05/29", "2009-05-29 ", "-009-05-29", "２００９-05-29",
  ])
  func daysThatDoNotExistAreNone(_ text: String) {
    #expect(CalendarDate(text) == nil)
  }
}

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
      (1_243_621_800, "2009-05-29T18:30:00Z"), (1_243_621_800.25, "2009-05-29T18:30:00.250Z"),
      (-62_135_596_800, "0001-01-01T00:00:00Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"),
    ] as [(Double, String)]
  )
  func knownMomentsHaveTheirText(_ seconds: Double, _ text: String) {
    let moment = Date(timeIntervalSince1970: seconds)
    #expect(Timestamp.text(of: moment) == text)
    #expect(Timestamp.date(from: text) == moment)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func everyMomentReadsBackAsItself(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let whole = Double.random(in: -62_167_219_200...253_402_300_798, using: &random)
      let scale = [1.0, 1e3, 1e6, 1e9][random.below(4)]
      let second = random.chance(30) ? 978_307_200 + whole / 1e3 : whole
      let text = Timestamp.text(
        of: Date(timeIntervalSince1970: (second * scale).rounded() / scale)
      )
      let moment = Timestamp.date(from: text)
      // A moment that was read once is always read back unchanged.
      #expect(moment.map(Timestamp.text(of:)).flatMap(Timestamp.date(from:)) == moment)
    }
  }

  @Test func momentsOfThisCenturyKeepEveryBit() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<20_000 {
      let moment = Date(
        timeIntervalSinceReferenceDate: Double.random(in: 1e8...2e9, using: &random)
      )
      #expect(Timestamp.date(from: Timestamp.text(of: moment)) == moment, "seed 9")
    }
  }

  @Test(arguments: [
    "2009-05-29T18:30:00z", "2009-05-29T18:30:00+00:00", "2009-05-29T20:30:00+0200",
    "2009-05-29T13:00:00-05:30", "2009-05-29 18:30", "2009-05-29T18:30:00.000000000Z",
  ])
  func theSameMomentMayBeWrittenInManyWays(_ text: String) {
    #expect(Timestamp.date(from: text) == Date(timeIntervalSince1970: 1_243_621_800))
  }

  @Test(arguments: [
    "", "2009", "2009-05-29T", "2009-05-29T18", "2009-05-29T24:00", "2009-05-29T18:60",
    "2009-05-29T18:30:60Z", "2009-05-29T18:30:00.Z", "2009-05-29T18:30:00X",
    "2009-05-29T18:30:00Z ", "2009-05-29X18:30", "2009-05-29T18:30:00+5",
  ])
  func otherTextIsNoMoment(_ text: String) {
    #expect(Timestamp.date(from: text) == nil)
  }
}
