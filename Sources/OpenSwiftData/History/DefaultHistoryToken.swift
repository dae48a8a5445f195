/// A position in the history of the built-in stores: one transaction number per store.
public struct DefaultHistoryToken: HistoryToken {
  /// Transaction numbers by store identifier.
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction read from each store.
  public var tokenValue: [String: Int64]?

  /// Creates a token.
  public init(_ tokenValue: [String: Int64]?) { self.tokenValue = tokenValue }

  /// A number that is the same for equal tokens.
  public var id: Int { hashValue }

  /// True when the left token is earlier in the history.
  ///
  /// The stores in both tokens are compared in the order of their identifiers. If their numbers are equal,
  /// the token with fewer stores comes first.
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

  /// This token with a transaction number of the store added.
  func adding(_ number: Int64, of storeIdentifier: String) -> DefaultHistoryToken {
    var value = tokenValue ?? [:]
    value[storeIdentifier] = number
    return DefaultHistoryToken(value)
  }
}
