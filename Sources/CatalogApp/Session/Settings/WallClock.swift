package import Foundation
package import OpenSwiftData

/// The time, and the time zone of the user.
package struct WallClock: Sendable {
  private let read: @Sendable () -> Date
  private let offset: @Sendable (Date) -> Int

  /// Creates a clock from the time and from the seconds by which local time is ahead of UTC at a moment.
  package init(
    now: @escaping @Sendable () -> Date,
    secondsFromUTC: @escaping @Sendable (Date) -> Int
  ) {
    (read, offset) = (now, secondsFromUTC)
  }

  /// The time in UTC.
  package static let utc = WallClock(now: { Date() }, secondsFromUTC: { _ in 0 })

  /// A moment where the user is, to the minute: `2009-05-29 18:30`.
  package func text(of moment: Date) -> String {
    let local = moment.addingTimeInterval(Double(offset(moment)))
    // The text of the same moment in UTC, without seconds and zone.
    return String(Value.datetime(local).text.prefix(16)).replacing("T", with: " ")
  }

  /// The current moment.
  package var now: Date { read() }

  /// The current day where the user is.
  package var today: CalendarDate {
    let now = read()
    let seconds = now.timeIntervalSince1970 + Double(offset(now))
    return CalendarDate(daysSince1970: Int32((seconds / 86_400).rounded(.down)))
  }
}
