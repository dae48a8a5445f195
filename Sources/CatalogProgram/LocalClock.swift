import CatalogApp
import Foundation
import Glibc

/// The time in the time zone of the process.
enum LocalClock {
  /// The clock; the system knows the zone, since the program has no time zones of its own.
  static let clock = WallClock(
    now: { Date() },
    secondsFromUTC: { moment in
      // A moment too far away for the calendar of the system is shown in UTC.
      var time = time_t(exactly: moment.timeIntervalSince1970.rounded(.down)) ?? 0
      var parts = tm()
      guard localtime_r(&time, &parts) != nil else { return 0 }
      return parts.tm_gmtoff
    }
  )
}
