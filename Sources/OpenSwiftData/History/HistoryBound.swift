import Foundation

/// The lower bound that a predicate over transactions sets on the history, if it can be determined.
struct HistoryBound {
  /// The token at or after which all matching transactions are.
  let token: DefaultHistoryToken
  /// True when the transaction at the token matches as well.
  let includesToken: Bool

  /// Nil when the predicate requires no token.
  init?(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    guard let bound = (predicate?.expression as? any BoundingExpression)?.bound else { return nil }
    self = bound
  }

  fileprivate init(token: DefaultHistoryToken, includesToken: Bool) {
    self.token = token
    self.includesToken = includesToken
  }

  /// The number of the last transaction of the store that cannot match; nil if all can match.
  func lastUnwanted(in storeIdentifier: String) -> Int64? {
    guard let number = token.tokenValue?[storeIdentifier] else { return nil }
    return includesToken ? number - 1 : number
  }
}

/// An expression that may require a minimum token.
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
  /// The bound of either side: both sides must be true, so each bound alone is valid.
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
