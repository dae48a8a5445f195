import Foundation

// Only constants are calculated with. What would trap is left to be calculated in memory, where it is
// reached for some record or not at all.

extension PredicateExpressions.Arithmetic: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let left = lhs.term(in: scope)
    let right = rhs.term(in: scope)
    guard let leftValue = left.constant as? any FixedWidthInteger,
      let rightValue = right.constant as? LHS.Output,
      PredicateArithmetic.overflows(leftValue, rightValue, op)
    else { return folded(left, right, in: scope) }
    return .unknown
  }
}

extension PredicateExpressions.IntDivision: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let left = lhs.term(in: scope)
    let right = rhs.term(in: scope)
    return PredicateArithmetic.canDivide(left.constant, by: right.constant as? LHS.Output)
      ? folded(left, right, in: scope) : .unknown
  }
}

extension PredicateExpressions.IntRemainder: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let left = lhs.term(in: scope)
    let right = rhs.term(in: scope)
    return PredicateArithmetic.canDivide(left.constant, by: right.constant as? LHS.Output)
      ? folded(left, right, in: scope) : .unknown
  }
}

extension PredicateExpressions.FloatDivision: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(lhs.term(in: scope), rhs.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.UnaryMinus: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let operand = wrapped.term(in: scope)
    if let value = operand.constant as? any FixedWidthInteger, PredicateArithmetic.isLeast(value) {
      return .unknown
    }
    return folded(operand, in: scope)
  }
}

/// Tells beforehand what would trap.
enum PredicateArithmetic {
  static func overflows<N: FixedWidthInteger>(
    _ left: N,
    _ right: Any,
    _ operation: PredicateExpressions.ArithmeticOperator
  ) -> Bool {
    guard let right = right as? N else { return true }
    return switch operation {
    case .add: left.addingReportingOverflow(right).overflow
    case .subtract: left.subtractingReportingOverflow(right).overflow
    case .multiply: left.multipliedReportingOverflow(by: right).overflow
    }
  }

  static func canDivide<N: BinaryInteger>(_ dividend: Any?, by divisor: N?) -> Bool {
    guard let divisor, divisor != 0 else { return false }
    guard let least = dividend as? any FixedWidthInteger & SignedInteger, isLeast(least) else {
      return true
    }
    // Minus one is the only divisor by which the least number is divided beyond the greatest.
    return divisor >= 0 || divisor + 1 != 0
  }

  static func isLeast<N: FixedWidthInteger>(_ value: N) -> Bool { value == .min }
}
