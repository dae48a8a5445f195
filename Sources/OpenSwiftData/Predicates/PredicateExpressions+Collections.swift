import Foundation

// MARK: Ranges

extension PredicateExpressions.Range: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(
      .range(lower.term(in: scope), upper.term(in: scope), includesUpper: false)
    )
  }
}

extension PredicateExpressions.ClosedRange: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(.range(lower.term(in: scope), upper.term(in: scope), includesUpper: true))
  }
}

extension PredicateExpressions.RangeExpressionContains: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let element = element.term(in: scope)
    let condition = range.term(in: scope).condition { range in
      PredicateRange<Element.Output>.condition(range, contains: element)
    }
    return PredicateTerm(condition)
  }
}

/// Ranges with one type of bound.
enum PredicateRange<Bound: Comparable> {
  static func condition(_ range: PredicateLeaf, contains element: PredicateTerm)
    -> PredicateCondition
  {
    switch range {
    case .range(let lower, let upper, let includesUpper):
      return condition(element, from: lower, to: upper, includesUpper)
    case .constant(let range as ClosedRange<Bound>):
      return condition(
        element,
        from: PredicateTerm(constant: range.lowerBound),
        to: PredicateTerm(constant: range.upperBound),
        true
      )
    case .constant(let range as Range<Bound>):
      return condition(
        element,
        from: PredicateTerm(constant: range.lowerBound),
        to: PredicateTerm(constant: range.upperBound),
        false
      )
    case .constant(let range as PartialRangeFrom<Bound>):
      return compare(element, .greaterOrEqual, PredicateTerm(constant: range.lowerBound))
    case .constant(let range as PartialRangeThrough<Bound>):
      return compare(element, .lessOrEqual, PredicateTerm(constant: range.upperBound))
    case .constant(let range as PartialRangeUpTo<Bound>):
      return compare(element, .less, PredicateTerm(constant: range.upperBound))
    default: return .unknown
    }
  }

  private static func condition(
    _ element: PredicateTerm,
    from lower: PredicateTerm,
    to upper: PredicateTerm,
    _ includesUpper: Bool
  ) -> PredicateCondition {
    let above = compare(element, .greaterOrEqual, lower)
    let below = compare(element, includesUpper ? .lessOrEqual : .less, upper)
    if case .compare(let name, .greaterOrEqual, let low) = above.possible,
      case .compare(name, .lessOrEqual, let high) = below.possible, above.isExact, below.isExact
    {
      return PredicateCondition(.between(name, low, high))
    }
    return above.and(below)
  }

  private static func compare(
    _ left: PredicateTerm,
    _ comparison: Filter.Comparison,
    _ right: PredicateTerm
  ) -> PredicateCondition {
    left.condition(with: right) { PredicateOrder<Bound>.condition($0, comparison, $1) }
  }
}

// MARK: Membership

extension PredicateExpressions.SequenceContains: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let sequence = sequence.term(in: scope)
    let element = element.term(in: scope)
    if sequence.isConstant, element.isConstant { return constantTerm(in: scope) }
    if PredicateConstant.isDoublyOptional(RHS.Output.self) { return .unknown }
    return PredicateTerm(
      sequence.condition(with: element) { sequence, element in
        switch (sequence, element) {
        case (.constant(let values as LHS.Output), _):
          PredicateMembership.condition(element, in: values)
        case (.attribute(let attribute), .constant(let value)): attribute.contains(value)
        default: .unknown
        }
      }
    )
  }
}

/// Membership in a captured collection.
enum PredicateMembership {
  static func condition<S: Sequence>(_ element: PredicateLeaf, in values: S) -> PredicateCondition
  where S.Element: Equatable {
    let areEqual = PredicateEquality.areEqual(S.Element.self)
    var lists: [String: [Value]] = [:]
    var identifiers: Set<PersistentIdentifier> = []
    var others: [PredicateCondition] = []
    for value in values {
      let constant = PredicateConstant.unwrapped(value)
      let equal = PredicateLeaf.areEqual(
        element,
        constant.map { .constant($0) } ?? .missing,
        areEqual
      )
      switch equal.possible {
      case .compare(let name, .equal, let value) where equal.isExact:
        lists[name, default: []].append(value)
      case .isIn(let name, let values) where equal.isExact: lists[name, default: []] += values
      case .isNull(let name) where equal.isExact: lists[name, default: []].append(.null)
      default:
        if let found = equal.identifiers {
          identifiers.formUnion(found)
        } else if !equal.isImpossible {
          others.append(equal)
        }
      }
    }
    if !identifiers.isEmpty { others.append(PredicateCondition(identifiers: identifiers)) }
    for (name, values) in lists.sorted(by: { $0.key < $1.key }) {
      others.append(PredicateCondition(.isIn(name, values)))
    }
    return .any(of: others)
  }
}

extension PredicateAttribute {
  /// The condition that the value of the attribute has the element.
  fileprivate func contains(_ element: Any) -> PredicateCondition {
    switch (type, element) {
    case (.text, let character as Character): return matches(.contains, String(character))
    case (.links, let model as any PersistentModel): return mayContain([model.persistentModelID])
    default: return unknown
    }
  }
}

extension PredicateAttribute {
  /// Narrows the records to those with a link to one of the records.
  func mayContain(_ identifiers: Set<PersistentIdentifier>) -> PredicateCondition {
    guard case .links = type else { return unknown }
    // The text of the links contains every identifier; no other test examines their elements.
    let tests = identifiers.sorted().map {
      OpenSwiftData.Filter.text(name, TextMatch(.contains, $0.description))
    }
    return PredicateCondition(possible: .disjunction(tests), certain: .none)
  }
}

// MARK: Tests of elements

extension PredicateExpressions.SequenceContainsWhere: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(
      sequence.term(in: scope).condition { leaf in
        switch leaf {
        case .constant(let values as LHS.Output):
          PredicateElements.conditions(test, variable, for: values, in: scope)
            .map { .any(of: $0) } ?? .unknown
        case .attribute(let attribute):
          PredicateElements.exists(test, variable, in: attribute, scope)
        default: .unknown
        }
      }
    )
  }
}

extension PredicateExpressions.SequenceAllSatisfy: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(
      sequence.term(in: scope).condition { leaf in
        switch leaf {
        case .constant(let values as LHS.Output):
          PredicateElements.conditions(test, variable, for: values, in: scope)
            .map { $0.reduce(.always) { $0.and($1) } } ?? .unknown
        case .attribute(let attribute):
          PredicateCondition(possible: .all, certain: attribute.isEmpty.certain)
        default: .unknown
        }
      }
    )
  }
}

extension PredicateExpressions.Filter: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let sequence = sequence.term(in: scope)
    guard sequence.isConstant, let values = sequence.constant as? LHS.Output,
      let tests = PredicateElements.conditions(filter, variable, for: values, in: scope),
      tests.allSatisfy({ $0.constant != nil })
    else { return .unknown }
    return constantTerm(in: scope)
  }
}

/// Tests of the elements of a captured collection, one by one.
enum PredicateElements {
  /// The maximum number of elements that are examined.
  private static let limit = 64

  /// The condition on an attribute if one of its elements meets the test.
  static func exists<Test: PredicateExpression, Element>(
    _ test: Test,
    _ variable: PredicateExpressions.Variable<Element>,
    in attribute: PredicateAttribute,
    _ outer: PredicateScope
  ) -> PredicateCondition {
    // The properties of an element are not those of the record.
    var scope = PredicateScope { _ in nil }
    scope.bindings = outer.bindings
    scope.terms = outer.terms.filter(\.value.isConstant)
    scope.terms[variable.key] = PredicateTerm(.model)
    let condition = test.term(in: scope).isTrue
    if condition.isImpossible { return .never }
    if let identifiers = condition.identifiers, identifiers.count <= limit,
      case .links = attribute.type
    {
      return attribute.mayContain(identifiers)
    }
    return PredicateCondition(possible: attribute.isEmpty.negated.possible, certain: .none)
  }

  /// The conditions that the test is true, one for each element; nil if there are too many.
  static func conditions<Test: PredicateExpression, S: Sequence>(
    _ test: Test,
    _ variable: PredicateExpressions.Variable<S.Element>,
    for values: S,
    in scope: PredicateScope
  ) -> [PredicateCondition]? {
    var conditions: [PredicateCondition] = []
    for value in values {
      guard conditions.count < limit else { return nil }
      let leaf = PredicateConstant.unwrapped(value).map { PredicateLeaf.constant($0) } ?? .missing
      conditions.append(test.term(in: scope.binding(variable, to: leaf)).isTrue)
    }
    return conditions
  }
}

// MARK: Only with constants

extension PredicateExpressions.SequenceMaximum: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(elements.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.SequenceMinimum: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(elements.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.CollectionIndexSubscript: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(wrapped.term(in: scope), index.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(wrapped.term(in: scope), key.term(in: scope), in: scope)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    folded(
      wrapped.term(in: scope),
      key.term(in: scope),
      self.default.term(in: scope),
      in: scope
    )
  }
}
