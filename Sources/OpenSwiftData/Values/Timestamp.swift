package import Foundation

/// The text form of moments: ISO 8601 in UTC with as many fractional digits as the moment needs.
///
/// A moment is a `Date`: a 64-bit float of seconds from 2001-01-01. It holds every microsecond of the years
/// 1865 to 2136, every millisecond of the years 0000 to 9999, and nanoseconds near 2001 only. Conversion is
/// exact: a text that a `Date` can represent is written again with the same digits, and every `Date` is read
/// back bit for bit.
package enum Timestamp {
  /// `2009-05-29T18:30:00Z`, with 3, 6, 9 or more fractional digits when the moment has a fraction.
  ///
  /// Reading the text back gives the same `Date` bit for bit for every moment between the years 0 and
  /// 9999. Moments outside these years get the nearest possible text. A date that is not a number gives
  /// `NaN`.
  package static func text(of date: Date) -> String {
    // Relative to the reference date of `Date`, because the conversion to 1970 would lose bits.
    let seconds = min(max(date.timeIntervalSinceReferenceDate, firstSecond), endSecond)
    if seconds.isNaN { return "NaN" }
    let (whole, fraction) = DecimalSeconds(seconds).parts
    let clamped = min(max(whole + referenceSeconds, -62_167_219_200), 253_402_300_799)
    let days = (clamped >= 0 ? clamped : clamped - 86_399) / 86_400
    let secondOfDay = Int(clamped - days * 86_400)
    let day = CalendarDate(daysSince1970: Int32(days))
    let pad = CalendarDate.padded
    let time =
      "\(pad(secondOfDay / 3600, 2)):\(pad(secondOfDay / 60 % 60, 2)):\(pad(secondOfDay % 60, 2))"
    guard !fraction.isEmpty else { return "\(day)T\(time)Z" }
    let zeros = (3 - fraction.count % 3) % 3
    let digits = fraction + Array(repeating: 48, count: zeros)
    return "\(day)T\(time).\(String(decoding: digits, as: UTF8.self))Z"
  }

  /// Seconds from 1970 to the reference date, 2001-01-01.
  private static let referenceSeconds = Int64(Date.timeIntervalBetween1970AndReferenceDate)

  /// The range of years that can be written: from 0000-01-01 to before 10000-01-01.
  private static let firstSecond = Double(-62_167_219_200 - referenceSeconds)
  private static let endSecond = Double(253_402_300_800 - referenceSeconds)

  /// True for the years 0000 to 9999, which every text form can write; false for a date that is not a number.
  package static func isInRange(_ date: Date) -> Bool {
    (firstSecond..<endSecond).contains(date.timeIntervalSinceReferenceDate)
  }

  /// Reads `YYYY-MM-DD`, then optionally `T` or a space, `HH:MM[:SS[.fraction]]`, then optionally `Z`
  /// or an offset `+HH:MM`; without one it is UTC.
  ///
  /// - Returns: Nil for other texts, and for those with more digits than a moment can represent.
  package static func date(from text: String) -> Date? {
    reading(of: text).flatMap { $0.isExact ? $0.date : nil }
  }

  /// Reads a text as `date(from:)` does, but also with more digits than a moment can represent.
  ///
  /// - Returns: The nearest moment, and whether it equals the text exactly; nil for other texts.
  package static func reading(of text: String) -> (date: Date, isExact: Bool)? {
    var bytes = Array(text.utf8)[...]
    guard let day = CalendarDate(utf8: bytes.prefix(10)) else { return nil }
    bytes = bytes.dropFirst(10)
    var seconds = Int64(day.daysSince1970) * 86_400 - referenceSeconds
    var fraction: ArraySlice<UInt8> = []
    if let separator = bytes.popFirst() {
      guard separator | 0x20 == UInt8(ascii: "t") || separator == UInt8(ascii: " "),
        let hour = twoDigits(&bytes, below: 24), bytes.popFirst() == UInt8(ascii: ":"),
        let minute = twoDigits(&bytes, below: 60)
      else { return nil }
      seconds += Int64(hour * 3600 + minute * 60)
      if bytes.first == UInt8(ascii: ":") {
        bytes.removeFirst()
        guard let second = twoDigits(&bytes, below: 60) else { return nil }
        seconds += Int64(second)
        if bytes.first == UInt8(ascii: ".") {
          fraction = bytes.dropFirst().prefix { (48...57).contains($0) }
          guard !fraction.isEmpty else { return nil }
          bytes = bytes.dropFirst(1 + fraction.count)
        }
      }
      guard let offset = offsetSeconds(&bytes), bytes.isEmpty else { return nil }
      seconds -= Int64(offset)
    }
    let (value, isExact) = DecimalSeconds(whole: seconds, fraction: fraction).nearest
    return (Date(timeIntervalSinceReferenceDate: value), isExact)
  }

  /// Reads the whole seconds in the bytes of `YYYY-MM-DD HH:MM:SS`, whatever is between day and time; nil for others.
  package static func wholeSeconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    guard bytes.count == 19, bytes[4] == 45, bytes[7] == 45, bytes[13] == 58, bytes[16] == 58 else {
      return nil
    }
    var areDigits = true
    func number(_ start: Int) -> Int {
      let (tens, ones) = (bytes[start] &- 48, bytes[start + 1] &- 48)
      if max(tens, ones) >= 10 { areDigits = false }
      return Int(tens) * 10 + Int(ones)
    }
    let (year, month, day) = (number(0) * 100 + number(2), number(5), number(8))
    let (hour, minute, second) = (number(11), number(14), number(17))
    guard areDigits, hour < 24, minute < 60, second < 60,
      let date = CalendarDate(year: year, month: month, day: day)
    else { return nil }
    let days = Int64(date.daysSince1970) * 86_400 - referenceSeconds
    let seconds = days + Int64(hour * 3600 + minute * 60 + second)
    return Date(timeIntervalSinceReferenceDate: Double(seconds))
  }

  /// Appends the bytes of `YYYY-MM-DDTHH:MM:SS`; false for a moment with a fraction, or one of other years.
  package static func append(wholeSeconds date: Date, to bytes: inout [UInt8]) -> Bool {
    let seconds = date.timeIntervalSinceReferenceDate
    guard isInRange(date), seconds.rounded(.down) == seconds else { return false }
    let total = Int(seconds) + Int(referenceSeconds)
    let days = (total >= 0 ? total : total - 86_399) / 86_400
    let second = total - days * 86_400
    let (year, month, day) = CalendarDate(daysSince1970: Int32(days)).components
    func append(_ number: Int, _ end: UInt8? = nil) {
      bytes.append(UInt8(48 + number / 10))
      bytes.append(UInt8(48 + number % 10))
      if let end { bytes.append(end) }
    }
    append(year / 100)
    append(year % 100, UInt8(ascii: "-"))
    append(month, UInt8(ascii: "-"))
    append(day, UInt8(ascii: "T"))
    append(second / 3600, UInt8(ascii: ":"))
    append(second / 60 % 60, UInt8(ascii: ":"))
    append(second % 60)
    return true
  }

  /// True for the text of a moment with a time zone: `Z` or an offset.
  package static func namesZone(_ text: String) -> Bool {
    text.utf8.dropFirst(10).contains { byte in
      byte | 0x20 == UInt8(ascii: "z") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }
  }

  private static func twoDigits(_ bytes: inout ArraySlice<UInt8>, below limit: Int) -> Int? {
    guard let tens = bytes.popFirst(), let ones = bytes.popFirst(),
      (48...57).contains(tens), (48...57).contains(ones)
    else { return nil }
    let number = Int(tens - 48) * 10 + Int(ones - 48)
    return number < limit ? number : nil
  }

  private static func offsetSeconds(_ bytes: inout ArraySlice<UInt8>) -> Int? {
    guard let sign = bytes.popFirst() else { return 0 }
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return 0 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = twoDigits(&bytes, below: 24)
    else { return nil }
    if bytes.first == UInt8(ascii: ":") { bytes.removeFirst() }
    guard let minutes = twoDigits(&bytes, below: 60) else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}
