package import Foundation

/// A day in the proleptic Gregorian calendar, without time or time zone.
///
/// Stored as the number of days since 1970-01-01, so comparing two days is comparing two integers.
/// The conversions follow Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
/// (`days_from_civil`, `civil_from_days`), exact for the years 0000 to 9999.
public struct CalendarDate: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01; negative before.
  public let daysSince1970: Int32

  /// Creates the day a number of days after 1970-01-01.
  public init(daysSince1970: Int32) {
    self.daysSince1970 = daysSince1970
  }

  /// Creates a day from its parts; nil if the day does not exist in the years 0000 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day)
    else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    daysSince1970 = Int32(era * 146_097 + dayOfEra - 719_468)
  }

  /// The day in UTC that a moment is in.
  package init(of moment: Date) {
    // A moment outside the range of `Int` is outside every calendar as well.
    let days = Int(exactly: (moment.timeIntervalSince1970 / 86_400).rounded(.down)) ?? .max
    daysSince1970 = Int32(clamping: days)
  }

  /// Year, month (1 to 12) and day of the month (1 to 31).
  public var components: (year: Int, month: Int, day: Int) {
    let shifted = Int(daysSince1970) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// True for the years 0000 to 9999, which every text form can write.
  package var isInRange: Bool { (-719_528...2_932_896).contains(daysSince1970) }

  /// The earlier day is the smaller one.
  public static func < (lhs: CalendarDate, rhs: CalendarDate) -> Bool {
    lhs.daysSince1970 < rhs.daysSince1970
  }

  static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension CalendarDate: CustomStringConvertible, LosslessStringConvertible {
  /// The day in ISO 8601 format: `2009-05-29`.
  public var description: String {
    let (year, month, day) = components
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
  }

  /// Reads `YYYY-MM-DD`; nil for any other text and for days that do not exist.
  public init?(_ description: String) {
    self.init(utf8: description.utf8)
  }

  /// Reads the ten bytes of `YYYY-MM-DD`.
  package init?(utf8 bytes: some Collection<UInt8>) {
    guard bytes.count == 10 else { return nil }
    let date = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { copy in
      _ = copy.initialize(fromContentsOf: bytes)
      return CalendarDate(bytes: UnsafeBufferPointer(copy))
    }
    guard let date else { return nil }
    self = date
  }

  /// Reads the ten bytes of `YYYY-MM-DD`.
  package init?(bytes: UnsafeBufferPointer<UInt8>) {
    func number(_ places: Range<Int>) -> Int? {
      var number = 0
      for place in places {
        let digit = bytes[place] &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        number = number * 10 + Int(digit)
      }
      return number
    }
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// A number with zeros before it up to a width.
  package static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return digits.count < width
      ? String(repeating: "0", count: width - digits.count) + digits : digits
  }
}
