/// A place in the history of our stores: for each store the number of a transaction.
public struct DefaultHistoryToken: HistoryToken {
  /// Numbers of transactions by the identifiers of their stores.
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction of each store that was seen.
  public var tokenValue: [String: Int64]?

  /// Creates a token.
  public init(_ tokenValue: [String: Int64]?) { self.tokenValue = tokenValue }

  /// A number that is the same for equal tokens.
  public var id: Int { hashValue }

  /// Earlier in the history.
  ///
  /// Stores that both tokens know decide, in the order of their identifiers; where these are at the same
  /// place, the token that knows fewer stores comes first.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    let left = lhs.tokenValue ?? [:]
    let right = rhs.tokenValue ?? [:]
    for store in left.keys.sorted() {
      guard let mine = left[store], let other = right[store], mine != other else { continue }
      return mine < other
    }
    if left.count != right.count { return left.count < right.count }
    return left.keys.sorted().lexicographicallyPrecedes(right.keys.sorted())
  }

  /// The token that also knows a transaction of the store.
  func adding(_ number: Int64, of storeIdentifier: String) -> DefaultHistoryToken {
    var value = tokenValue ?? [:]
    value[storeIdentifier] = number
    return DefaultHistoryToken(value)
  }
}
