package import Foundation

/// The text form of moments: ISO 8601 in UTC with as many fractional digits as the moment needs.
package enum Timestamp {
  /// `2009-05-29T18:30:00Z`, with 3, 6 or 9 fractional digits when the moment has a fraction.
  ///
  /// Reading the text back gives the same `Date` for every moment between the years 0 and 9999 whose
  /// fraction of a second is a whole number of nanoseconds, and the nearest one otherwise. Moments
  /// outside these years get the nearest text there is, and what is no moment at all reads `NaN`.
  package static func text(of date: Date) -> String {
    // From the reference date, where `Date` counts from: converted to 1970 it would lose bits.
    let seconds = min(max(date.timeIntervalSinceReferenceDate, firstSecond), endSecond)
    if seconds.isNaN { return "NaN" }
    for digits in [0, 3, 6] {
      let candidate = text(seconds: seconds, fractionDigits: digits)
      if Self.date(from: candidate) == date { return candidate }
    }
    return text(seconds: seconds, fractionDigits: 9)
  }

  /// Seconds from 1970 to the reference date, 2001-01-01.
  private static let referenceSeconds = Date.timeIntervalBetween1970AndReferenceDate

  /// 0000-01-01, where the years that can be written begin, and 10000-01-01, where they end.
  private static let firstSecond: Double = -62_167_219_200 - referenceSeconds
  private static let endSecond: Double = 253_402_300_800 - referenceSeconds

  /// True for the years 0000 to 9999, which every text form can write; false for what is no moment.
  package static func isInRange(_ date: Date) -> Bool {
    (firstSecond..<endSecond).contains(date.timeIntervalSinceReferenceDate)
  }

  private static func text(seconds: Double, fractionDigits: Int) -> String {
    let scale: Double = pow(10, Double(fractionDigits))
    var whole = seconds.rounded(.down)
    var fraction = ((seconds - whole) * scale).rounded()
    if fraction >= scale {
      whole += 1
      fraction = 0
    }
    let clamped = min(max(whole + referenceSeconds, -62_167_219_200), 253_402_300_799)
    let days = (clamped / 86_400).rounded(.down)
    let secondOfDay = Int(clamped - days * 86_400)
    let day = CalendarDate(daysSince1970: Int32(days))
    let pad = CalendarDate.padded
    let time =
      "\(pad(secondOfDay / 3600, 2)):\(pad(secondOfDay / 60 % 60, 2)):\(pad(secondOfDay % 60, 2))"
    let tail = fractionDigits == 0 ? "" : "." + pad(Int(fraction), fractionDigits)
    return "\(day)T\(time)\(tail)Z"
  }

  /// Reads `YYYY-MM-DD`, then optionally `T` or a space, `HH:MM[:SS[.fraction]]`, then optionally `Z`
  /// or an offset `+HH:MM`; without one it is UTC.
  package static func date(from text: String) -> Date? {
    var bytes = Array(text.utf8)[...]
    guard let day = CalendarDate(utf8: bytes.prefix(10)) else { return nil }
    bytes = bytes.dropFirst(10)
    var seconds = Double(day.daysSince1970) * 86_400
    seconds -= referenceSeconds
    guard let separator = bytes.popFirst() else {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    guard separator == UInt8(ascii: "T") || separator == UInt8(ascii: " "),
      let hour = twoDigits(&bytes, below: 24), bytes.popFirst() == UInt8(ascii: ":"),
      let minute = twoDigits(&bytes, below: 60)
    else { return nil }
    seconds += Double(hour * 3600 + minute * 60)
    var fraction = 0.0
    if bytes.first == UInt8(ascii: ":") {
      bytes.removeFirst()
      guard let second = twoDigits(&bytes, below: 60) else { return nil }
      seconds += Double(second)
      if bytes.first == UInt8(ascii: ".") {
        let digits = bytes.dropFirst().prefix { (48...57).contains($0) }
        guard !digits.isEmpty, let value = Double("0." + String(decoding: digits, as: UTF8.self))
        else { return nil }
        fraction = value
        bytes = bytes.dropFirst(1 + digits.count)
      }
    }
    guard let offset = offsetSeconds(&bytes), bytes.isEmpty else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds - Double(offset) + fraction)
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
