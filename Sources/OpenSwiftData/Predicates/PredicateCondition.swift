/// A condition on the record that a link refers to: `$0.customer?.number == 77`.
package struct RelatedCondition: Hashable, Sendable {
  /// The field with the link.
  package let field: String
  /// The entity of the record that it refers to.
  package let destination: String
  /// Matches every such record that meets the condition.
  package let filter: Filter
}

/// What every record that meets a condition matches, where a part of that is about records that links refer to.
package indirect enum RelatedBound: Hashable, Sendable {
  /// A condition on the record itself.
  case filter(Filter)
  /// A condition on a record that it refers to.
  case related(RelatedCondition)
  /// All of these are met.
  case all([RelatedBound])
  /// At least one of these is met.
  case any([RelatedBound])
}

/// A condition approximated by two filters, an upper and a lower bound.
///
/// Every record that meets the condition matches `possible`, and every record that matches `certain` meets
/// the condition. Negation swaps the two, so the rest of a predicate remains usable wherever a part cannot be
/// expressed as a filter.
struct PredicateCondition {
  /// Matches every record that meets the condition, and possibly others.
  let possible: Filter
  /// Matches only records that meet the condition, but possibly not all.
  let certain: Filter
  /// True when both are the same.
  let isExact: Bool
  /// The only records that can meet the condition; nil if any can.
  let identifiers: Set<PersistentIdentifier>?
  /// What every record that meets the condition is related to; nil if that is not known.
  let related: RelatedBound?

  /// Creates a condition that the filter expresses exactly.
  init(_ filter: Filter) {
    possible = filter
    certain = filter
    isExact = true
    identifiers = nil
    related = nil
  }

  /// Creates a condition of which only the two bounds are known.
  init(
    possible: Filter,
    certain: Filter,
    identifiers: Set<PersistentIdentifier>? = nil,
    related: RelatedBound? = nil
  ) {
    self.possible = possible
    self.certain = certain
    isExact = identifiers == nil && related == nil && possible == certain
    self.identifiers = identifiers
    self.related = related
  }

  /// Creates a condition that only these records can meet, but possibly not all of them.
  init(identifiers: Set<PersistentIdentifier>) {
    self.init(possible: .all, certain: .none, identifiers: identifiers)
  }

  static let always = PredicateCondition(.all)
  static let never = PredicateCondition(.none)
  static let unknown = PredicateCondition(possible: .all, certain: .none)

  /// The result if it is the same for every record; otherwise nil.
  var constant: Bool? {
    if case .constant(let value) = possible, isExact { return value }
    return isImpossible ? false : nil
  }

  /// True when no record can meet the condition.
  var isImpossible: Bool { possible == .none || identifiers?.isEmpty == true }

  /// True when every record meets the condition.
  var isCertain: Bool { certain == .all }

  /// The negation of this condition.
  var negated: PredicateCondition {
    isExact
      ? PredicateCondition(possible.negated)
      : PredicateCondition(possible: certain.negated, certain: possible.negated)
  }

  /// The conjunction of both conditions.
  func and(_ other: PredicateCondition) -> PredicateCondition {
    if isExact && other.isExact {
      return PredicateCondition(.conjunction([possible, other.possible]))
    }
    let common =
      switch (identifiers, other.identifiers) {
      case (let left?, let right?): left.intersection(right)
      case (let left, let right): left ?? right
      }
    let bounds = [related, other.related].compactMap { $0 }
    return PredicateCondition(
      possible: .conjunction([possible, other.possible]),
      certain: .conjunction([certain, other.certain]),
      identifiers: common,
      related: bounds.isEmpty ? nil : .all(bounds)
    )
  }

  /// The disjunction of the conditions.
  static func any(of conditions: [PredicateCondition]) -> PredicateCondition {
    let conditions = conditions.filter { !$0.isImpossible }
    if conditions.count == 1 { return conditions[0] }
    let possible = Filter.disjunction(conditions.map(\.possible))
    if conditions.allSatisfy(\.isExact) { return PredicateCondition(possible) }
    var union: Set<PersistentIdentifier>? = []
    for condition in conditions {
      guard let identifiers = condition.identifiers else {
        union = nil
        break
      }
      union?.formUnion(identifiers)
    }
    return PredicateCondition(
      possible: possible,
      certain: .disjunction(conditions.map(\.certain)),
      identifiers: union,
      related: bound(ofAny: conditions)
    )
  }

  /// What every record matches that meets one of the conditions; nil if none of them is about other records, or if any
  /// record may meet one.
  private static func bound(ofAny conditions: [PredicateCondition]) -> RelatedBound? {
    guard conditions.contains(where: { $0.related != nil }) else { return nil }
    var bounds: [RelatedBound] = []
    for condition in conditions {
      let own = RelatedBound.filter(condition.possible)
      if let related = condition.related {
        bounds.append(.all([own, related]))
      } else if condition.possible == .all {
        return nil
      } else {
        bounds.append(own)
      }
    }
    return .any(bounds)
  }
}

extension Filter {
  /// Matches no record.
  static let none = Filter.constant(false)

  /// The negation of this filter, without an unnecessary `not`.
  var negated: Filter {
    switch self {
    case .constant(let value): .constant(!value)
    case .compare(let name, .equal, let value): .compare(name, .notEqual, value)
    case .compare(let name, .notEqual, let value): .compare(name, .equal, value)
    case .compareAttributes(let left, .equal, let right): .compareAttributes(left, .notEqual, right)
    case .compareAttributes(let left, .notEqual, let right): .compareAttributes(left, .equal, right)
    case .not(let part): part
    default: .not(self)
    }
  }

  /// The conjunction of the filters, without constants, nested conjunctions and redundant tests for a value.
  static func conjunction(_ filters: [Filter]) -> Filter {
    var parts: [Filter] = []
    for filter in filters {
      switch filter {
      case .constant(true): break
      case .constant(false): return .none
      case .and(let inner): parts += inner
      default: parts.append(filter)
      }
    }
    let others = parts
    parts.removeAll { part in
      guard case .not(.isNull(let name)) = part else { return false }
      return others.contains { $0.needsValue(of: name) }
    }
    return parts.isEmpty ? .all : parts.count == 1 ? parts[0] : .and(parts)
  }

  /// The disjunction of the filters, without constants and nested disjunctions.
  static func disjunction(_ filters: [Filter]) -> Filter {
    var parts: [Filter] = []
    for filter in filters {
      switch filter {
      case .constant(false): break
      case .constant(true): return .all
      case .or(let inner): parts += inner
      default: parts.append(filter)
      }
    }
    return parts.isEmpty ? .none : parts.count == 1 ? parts[0] : .or(parts)
  }

  /// True when the filter matches only records with a value for the attribute.
  private func needsValue(of name: String) -> Bool {
    switch self {
    case .compare(name, let comparison, let value): comparison != .notEqual && !value.isNull
    case .compareAttributes(let left, let comparison, let right):
      (left == name || right == name) && comparison != .equal && comparison != .notEqual
    case .between(name, _, _), .text(name, _): true
    case .isIn(name, let values): !values.contains(where: \.isNull)
    case .and(let parts): parts.contains { $0.needsValue(of: name) }
    case .or(let parts): !parts.isEmpty && parts.allSatisfy { $0.needsValue(of: name) }
    default: false
    }
  }
}
