import Foundation
import OpenSwiftData

/// A length of time: whole months, which have different numbers of days, and exact microseconds.
package struct CalendarDuration: Hashable, Sendable {
  var months: Int64
  var microseconds: Int64

  static let zero = CalendarDuration(months: 0, microseconds: 0)
  static let microsecondsInSecond: Int64 = 1_000_000
  static let microsecondsInDay: Int64 = 86_400_000_000

  /// The units, the longest first: their lengths in months or microseconds.
  static let units: [(name: String, months: Int64, microseconds: Int64)] = [
    ("y", 12, 0), ("mo", 1, 0), ("w", 0, 7 * microsecondsInDay), ("d", 0, microsecondsInDay),
    ("h", 0, 3_600_000_000), ("min", 0, 60_000_000), ("s", 0, microsecondsInSecond),
  ]

  init(months: Int64, microseconds: Int64) {
    (self.months, self.microseconds) = (months, microseconds)
  }

  /// Reads a number and a unit, such as `30d`.
  ///
  /// - Throws: `ValueError` for a fraction of months, and for a length beyond all dates.
  init(_ number: String, unit: String) throws(ValueError) {
    let text = number + unit
    guard let unit = Self.units.first(where: { $0.name == unit }),
      let factor = (try? Value(parsing: number, as: .decimal)).flatMap({ value -> ExactDecimal? in
        if case .decimal(let decimal) = value { ExactDecimal(decimal) } else { nil }
      })
    else { throw ValueError("\(Value.quoted(text)) is not a duration") }
    if unit.months > 0 {
      guard let count = factor.whole else {
        throw ValueError(
          "\(Value.quoted(text)) is not a duration: months and years are whole numbers"
        )
      }
      guard count.magnitude <= 1_000_000 else { throw Self.tooLong(text) }
      self.init(months: count * unit.months, microseconds: 0)
    } else {
      guard let product = try? factor * ExactDecimal(whole: unit.microseconds),
        let count = (try? product.rounded(0, .halfEven))?.whole
      else { throw Self.tooLong(text) }
      self.init(months: 0, microseconds: count)
    }
  }

  private static func tooLong(_ text: String) -> ValueError {
    ValueError("\(Value.quoted(text)) is longer than all dates")
  }

  /// The sum; nil if it is longer than all dates.
  func adding(_ other: CalendarDuration) -> CalendarDuration? {
    let (months, first) = self.months.addingReportingOverflow(other.months)
    let (microseconds, second) = self.microseconds.addingReportingOverflow(other.microseconds)
    return first || second ? nil : CalendarDuration(months: months, microseconds: microseconds)
  }

  /// The multiple; nil if it is longer than all dates.
  func times(_ factor: Int64) -> CalendarDuration? {
    let (months, first) = self.months.multipliedReportingOverflow(by: factor)
    let (microseconds, second) = self.microseconds.multipliedReportingOverflow(by: factor)
    return first || second ? nil : CalendarDuration(months: months, microseconds: microseconds)
  }

  /// The same length in the other direction; nil if it is longer than all dates.
  var reversed: CalendarDuration? { times(-1) }
}

extension CalendarDuration: CustomStringConvertible {
  /// The units that are not zero, such as `1y2mo` or `-1d12h`; `0d` for none.
  package var description: String {
    let parts = Self.parts(months, [("y", 12), ("mo", 1)])
    let rest = Self.parts(
      microseconds,
      [
        ("d", Self.microsecondsInDay), ("h", 3_600_000_000), ("min", 60_000_000),
        ("s", Self.microsecondsInSecond),
      ]
    )
    return parts.isEmpty && rest.isEmpty ? "0d" : parts + rest
  }

  private static func parts(_ amount: Int64, _ units: [(name: String, size: Int64)]) -> String {
    var rest = amount.magnitude
    var text = amount < 0 ? "-" : ""
    for (name, size) in units where rest > 0 {
      let (count, left) = rest.quotientAndRemainder(dividingBy: UInt64(size))
      rest = left
      if name == "s", count > 0 || left > 0 {
        text += "\(count)" + fraction(left) + name
        rest = 0
      } else if count > 0 {
        text += "\(count)\(name)"
      }
    }
    return text
  }

  private static func fraction(_ microseconds: UInt64) -> String {
    guard microseconds > 0 else { return "" }
    let digits = String(microseconds)
    var padded = Array((String(repeating: "0", count: 6 - digits.count) + digits).utf8)
    while padded.last == 0x30 { padded.removeLast() }
    return "." + String(decoding: padded, as: UTF8.self)
  }
}
