/// The part of its history that a store keeps when its file is rewritten.
public enum HistoryRetention: Hashable, Sendable {
  /// Every transaction; the file only grows.
  case all
  /// The given number of most recent transactions.
  case last(Int)
  /// No transactions, only the current records.
  case none

  /// Reads `all`, `none` or a number of transactions; nil for anything else.
  package init?(_ text: String) {
    switch text {
    case "all": self = .all
    case "none": self = .none
    default:
      guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let count = Int(text)
      else { return nil }
      self = count == 0 ? .none : .last(count)
    }
  }
}
