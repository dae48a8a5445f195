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
  /// Filters use a different, linear-time matcher. Both give the same result for printable ASCII text if
  /// every part of the expression has the same meaning in both; other texts are matched by Swift, in memory.
  fileprivate func contains(expression: String) -> PredicateCondition {
    guard valueType == String.self, type == .text, Self.isCommon(expression) else { return unknown }
    let match = TextMatch(.matches, "(?s:.*)(?:\(expression))(?s:.*)")
    do {
      _ = try TextMatcher(match)
    } catch {
      return unknown
    }
    let isPrintable = Filter.text(name, TextMatch(.matches, "[\\t -~]*"))
    let fits = Filter.text(name, match)
    return PredicateCondition(
      possible: .conjunction([isPresent, .disjunction([isPrintable.negated, fits])]),
      certain: .conjunction([isPrintable, fits])
    )
  }

  /// True for expressions of characters, classes, groups, choices and repetitions, without parts that could
  /// have another meaning in another matcher.
  private static func isCommon(_ expression: String) -> Bool {
    let item = #/\\[dwsDWS]|\\[^A-Za-z0-9]|[^\\\[\](){}*+?]|[*+?]\??|\{\d+(,\d*)?\}\??|\((\?:)?|\)/#
    let brackets = #/\[\^?([A-Za-z0-9_ .,:;!@%]|[A-Za-z0-9]-[A-Za-z0-9]|\\[dws])+\]/#
    var rest = expression[...]
    guard rest.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) else { return false }
    while !rest.isEmpty {
      guard let match = rest.prefixMatch(of: brackets)?.range ?? rest.prefixMatch(of: item)?.range
      else { return false }
      rest = rest[match.upperBound...]
    }
    return true
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
