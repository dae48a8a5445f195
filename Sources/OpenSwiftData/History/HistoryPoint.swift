package import Foundation

/// A point in the history of a store: after a transaction, or at a time.
package enum HistoryPoint: Hashable, Sendable {
  /// After the transaction with this token.
  case token(Int64)
  /// At this moment.
  case time(Date)

  /// Reads a token, or a date or time in ISO 8601, which is UTC without a zone as everywhere else.
  ///
  /// A date alone is the beginning of the day, or its last second if the point is the end of a range.
  ///
  /// - Returns: Nil for any other text.
  package init?(_ text: String, isEnd: Bool = false) {
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      guard let token = Int64(text) else { return nil }
      self = .token(token)
    } else if let moment = Timestamp.reading(of: text) {
      let isDay = text.utf8.count == 10
      let second = moment.date.wholeSeconds
      self = .time(isEnd && isDay ? second.addingTimeInterval(86_399) : second)
    } else {
      return nil
    }
  }

  /// The point as it is written.
  package var text: String {
    switch self {
    case .token(let token): String(token)
    case .time(let date): Timestamp.text(of: date)
    }
  }

  /// True for a transaction that was committed at the point or earlier.
  ///
  /// The history shows the times of transactions in whole seconds, so these are compared.
  package func includes(token: Int64, timestamp: Date) -> Bool {
    switch self {
    case .token(let last): token <= last
    case .time(let date): timestamp.wholeSeconds <= date
    }
  }

  /// True for a transaction that was committed after the token, or at the time or later.
  package func precedes(token: Int64, timestamp: Date) -> Bool {
    switch self {
    case .token(let known): token > known
    case .time(let date): timestamp.wholeSeconds >= date
    }
  }
}

extension Date {
  /// The time without fractions of a second.
  package var wholeSeconds: Date {
    Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
  }
}
