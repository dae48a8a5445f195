import Foundation

extension PredicateExpressions.Value: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm { PredicateTerm(constant: value) }
}

extension PredicateExpressions.NilLiteral: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm { PredicateTerm(.missing) }
}

extension PredicateExpressions.Variable: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm { scope.terms[key] ?? .unknown }
}

// The second operand is evaluated only if Swift would evaluate it: division by zero traps, and the first
// operand may be there to prevent it.

extension PredicateExpressions.Conjunction: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let left = lhs.term(in: scope).isTrue
    return left.isImpossible
      ? PredicateTerm(.never) : PredicateTerm(left.and(rhs.term(in: scope).isTrue))
  }
}

extension PredicateExpressions.Disjunction: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let left = lhs.term(in: scope).isTrue
    return left.isCertain
      ? PredicateTerm(.always) : PredicateTerm(.any(of: [left, rhs.term(in: scope).isTrue]))
  }
}

extension PredicateExpressions.Negation: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(wrapped.term(in: scope).isTrue.negated)
  }
}

extension PredicateExpressions.Conditional: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let test = test.term(in: scope).isTrue
    if test.isCertain { return trueBranch.term(in: scope) }
    if test.isImpossible { return falseBranch.term(in: scope) }
    return .choice(test, trueBranch.term(in: scope), falseBranch.term(in: scope))
  }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateConstant.isDoublyOptional(LHS.Output.self)
      ? .unknown : lhs.term(in: scope).otherwise { rhs.term(in: scope) }
  }
}

extension PredicateExpressions.ForcedUnwrap: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateConstant.isDoublyOptional(Inner.Output.self)
      ? .unknown : inner.term(in: scope).unwrapped
  }
}

extension PredicateExpressions.OptionalFlatMap: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    guard !PredicateConstant.isDoublyOptional(Output.self),
      !PredicateConstant.isDoublyOptional(LHS.Output.self)
    else { return .unknown }
    return wrapped.term(in: scope).flatMapOptional { leaf in
      transform.term(in: scope.binding(variable, to: leaf))
    }
  }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(PredicateEquality.condition(lhs, rhs, in: scope))
  }
}

extension PredicateExpressions.NotEqual: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(PredicateEquality.condition(lhs, rhs, in: scope).negated)
  }
}

extension PredicateExpressions.Comparison: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(
      lhs.term(in: scope).condition(with: rhs.term(in: scope)) { left, right in
        PredicateOrder<LHS.Output>.condition(left, PredicateOrder<LHS.Output>.comparison(op), right)
      }
    )
  }
}

/// Equality of the results of two expressions.
enum PredicateEquality {
  static func condition<L: PredicateExpression, R: PredicateExpression>(
    _ left: L,
    _ right: R,
    in scope: PredicateScope
  ) -> PredicateCondition where L.Output: Equatable, L.Output == R.Output {
    if PredicateConstant.isDoublyOptional(L.Output.self) { return .unknown }
    return left.term(in: scope).condition(with: right.term(in: scope)) { left, right in
      PredicateLeaf.areEqual(left, right, areEqual(L.Output.self))
    }
  }

  /// Compares two constants of the type; nil if they are of another type.
  static func areEqual<V: Equatable>(_ type: V.Type) -> (Any, Any) -> Bool? {
    { left, right in
      guard let left = left as? V, let right = right as? V else { return nil }
      return left == right
    }
  }
}

/// Order of the results of two expressions.
enum PredicateOrder<V: Comparable> {
  static func comparison(_ comparison: PredicateExpressions.ComparisonOperator)
    -> Filter.Comparison
  {
    switch comparison {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    }
  }

  static func condition(
    _ left: PredicateLeaf,
    _ comparison: Filter.Comparison,
    _ right: PredicateLeaf
  ) -> PredicateCondition {
    switch (left, right) {
    case (.attribute, .constant(let value as V)) where V.self is any CaseIterable.Type:
      return cases(left) { comparison.holds($0, value) }
    case (.constant(let value as V), .attribute) where V.self is any CaseIterable.Type:
      return cases(right) { comparison.holds(value, $0) }
    default:
      return PredicateLeaf.compare(left, comparison, right) { left, right in
        guard let left = left as? V, let right = right as? V else { return nil }
        return comparison.holds(left, right)
      }
    }
  }

  /// The condition that the value is one of the listed cases that pass the test, or no listed case.
  private static func cases(_ leaf: PredicateLeaf, _ test: (V) -> Bool) -> PredicateCondition {
    let cases = (V.self as? any CaseIterable.Type).map { allCases($0) } ?? []
    let passing = PredicateMembership.condition(leaf, in: cases.filter(test))
    let listed = PredicateMembership.condition(leaf, in: cases)
    return PredicateCondition(
      possible: .disjunction([passing.possible, listed.certain.negated]),
      certain: passing.certain
    )
  }

  private static func allCases<E: CaseIterable>(_ type: E.Type) -> [V] {
    type.allCases.compactMap { $0 as? V }
  }
}
