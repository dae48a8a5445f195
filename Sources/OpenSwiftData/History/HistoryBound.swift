import Foundation

/// Where a predicate over transactions lets the history begin, as far as that can be seen.
struct HistoryBound {
  /// The token that all wanted transactions come after, or are at.
  let token: DefaultHistoryToken
  /// True when the transaction at the token is wanted as well.
  let includesToken: Bool

  /// Nil when the predicate demands no token.
  init?(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    guard let bound = (predicate?.expression as? any BoundingExpression)?.bound else { return nil }
    self = bound
  }

  fileprivate init(token: DefaultHistoryToken, includesToken: Bool) {
    self.token = token
    self.includesToken = includesToken
  }

  /// The number of the last transaction of the store that nobody wants; nil when all may be wanted.
  func lastUnwanted(in storeIdentifier: String) -> Int64? {
    guard let number = token.tokenValue?[storeIdentifier] else { return nil }
    return includesToken ? number - 1 : number
  }
}

/// An expression that may demand a least token.
private protocol BoundingExpression {
  var bound: HistoryBound? { get }
}

/// An expression that is a property.
private protocol PropertyExpression {
  var property: AnyKeyPath { get }
}

extension PredicateExpressions.KeyPath: PropertyExpression {
  fileprivate var property: AnyKeyPath { keyPath }
}

extension PredicateExpressions.Conjunction: BoundingExpression {
  /// Either side's: what both demand follows the later of the two, and the earlier one is true as well.
  fileprivate var bound: HistoryBound? {
    (lhs as? any BoundingExpression)?.bound ?? (rhs as? any BoundingExpression)?.bound
  }
}

extension PredicateExpressions.Comparison: BoundingExpression {
  fileprivate var bound: HistoryBound? {
    switch op {
    case .greaterThan: Self.bound(lhs, rhs, includesToken: false)
    case .greaterThanOrEqual: Self.bound(lhs, rhs, includesToken: true)
    case .lessThan: Self.bound(rhs, lhs, includesToken: false)
    case .lessThanOrEqual: Self.bound(rhs, lhs, includesToken: true)
    @unknown default: nil
    }
  }

  private static func bound(_ greater: Any, _ smaller: Any, includesToken: Bool) -> HistoryBound? {
    guard let property = greater as? any PropertyExpression,
      property.property == \DefaultHistoryTransaction.token,
      let constant = smaller as? PredicateExpressions.Value<DefaultHistoryToken>
    else { return nil }
    return HistoryBound(token: constant.value, includesToken: includesToken)
  }
}
