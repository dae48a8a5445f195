import Foundation

extension PredicateExpressions.CollectionContainsCollection: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let base = base.term(in: scope)
    let other = other.term(in: scope)
    if base.isConstant, other.isConstant { return constantTerm(in: scope) }
    return PredicateTerm(base.matches(.contains, other))
  }
}

extension PredicateExpressions.SequenceStartsWith: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let base = base.term(in: scope)
    let prefix = prefix.term(in: scope)
    if base.isConstant, prefix.isConstant { return constantTerm(in: scope) }
    return PredicateTerm(base.matches(.beginsWith, prefix))
  }
}

extension PredicateTerm {
  /// The condition that a text attribute matches a captured text.
  fileprivate func matches(_ operation: TextMatch.Operation, _ pattern: PredicateTerm)
    -> PredicateCondition
  {
    condition(with: pattern) { subject, pattern in
      switch (subject, pattern) {
      case (.attribute(let attribute), .constant(let text as String)):
        attribute.matches(operation, text)
      case (.attribute(let attribute), .constant(let text as Substring)):
        attribute.matches(operation, String(text))
      default: .unknown
      }
    }
  }
}

extension PredicateExpressions.StringContainsRegex: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(subject.term(in: scope), regex.term(in: scope), in: scope)
  }
}

// MARK: Types

extension PredicateExpressions.ConditionalCast: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(input.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.ForceCast: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(input.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.TypeCheck: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(input.term(in: scope), in: scope)
  }
}
