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
    let subject = subject.term(in: scope)
    let regex = regex.term(in: scope)
    if subject.isConstant, regex.isConstant { return constantTerm(in: scope) }
    return PredicateTerm(
      subject.condition(with: regex) { subject, regex in
        guard case .attribute(let attribute) = subject,
          case .constant(let regex as PredicateExpressions.PredicateRegex) = regex
        else { return .unknown }
        return attribute.contains(expression: regex.stringRepresentation)
      }
    )
  }
}

extension PredicateAttribute {
  /// The condition that the regular expression matches a part of the text.
  ///
  /// Filters match whole texts, so any text may stand around the expression. Characters are the steps
  /// there, so expressions that go by scalars are left to memory, as are those that ask where the search
  /// began.
  fileprivate func contains(expression: String) -> PredicateCondition {
    guard valueType == String.self, type == .text, !expression.contains("\\G"),
      !expression.contains(/\(\?[a-zA-Z\-]*[uX]/)
    else { return unknown }
    let match = TextMatch(.matches, "(?s:.*?)(?:\(expression))(?s:.*)")
    do {
      _ = try TextMatcher(match)
    } catch {
      return unknown
    }
    return PredicateCondition(.text(name, match))
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
