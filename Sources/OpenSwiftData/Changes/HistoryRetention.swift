/// How much of its history a store keeps when its file is rewritten.
package enum HistoryRetention: Hashable, Sendable {
  /// Every transaction; the file only grows.
  case all
  /// So many of the last transactions.
  case last(Int)
  /// None: only the records as they are.
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
