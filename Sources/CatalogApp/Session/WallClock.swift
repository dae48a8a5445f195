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

  /// The current day where the user is.
  package var today: CalendarDate {
    let now = read()
    let seconds = now.timeIntervalSince1970 + Double(offset(now))
    return CalendarDate(daysSince1970: Int32((seconds / 86_400).rounded(.down)))
  }
}
