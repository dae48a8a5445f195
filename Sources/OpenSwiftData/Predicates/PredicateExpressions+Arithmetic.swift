import Foundation

// Only constants are evaluated here. Operations that would trap are left to evaluation in memory, which may
// never reach them.

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

/// Detects operations that would trap.
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
    // Dividing the minimum by minus one is the only division that overflows.
    return divisor >= 0 || divisor + 1 != 0
  }

  static func isLeast<N: FixedWidthInteger>(_ value: N) -> Bool { value == .min }
}
