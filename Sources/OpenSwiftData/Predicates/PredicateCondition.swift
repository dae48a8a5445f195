/// What a filter can say of a condition: two filters between which the truth lies.
///
/// Every record that fulfils the condition passes `possible`, and every record that passes `certain`
/// fulfils it. Negation swaps the two, so a part that no filter can express leaves the rest of a
/// predicate usable wherever it stands.
struct PredicateCondition {
  /// Passes every record that fulfils the condition, and perhaps others.
  let possible: Filter
  /// Passes only records that fulfil the condition, perhaps not all.
  let certain: Filter
  /// True when both are the same.
  let isExact: Bool
  /// The only records that can fulfil the condition; nil when any may.
  let identifiers: Set<PersistentIdentifier>?

  /// Creates a condition that the filter expresses exactly.
  init(_ filter: Filter) {
    possible = filter
    certain = filter
    isExact = true
    identifiers = nil
  }

  /// Creates a condition about which only the two bounds are known.
  init(
    possible: Filter,
    certain: Filter,
    identifiers: Set<PersistentIdentifier>? = nil
  ) {
    self.possible = possible
    self.certain = certain
    isExact = identifiers == nil && possible == certain
    self.identifiers = identifiers
  }

  /// Creates a condition that holds for these records only, and not for all of them perhaps.
  init(identifiers: Set<PersistentIdentifier>) {
    self.init(possible: .all, certain: .none, identifiers: identifiers)
  }

  static let always = PredicateCondition(.all)
  static let never = PredicateCondition(.none)
  static let unknown = PredicateCondition(possible: .all, certain: .none)

  /// True or false when it is the same for every record.
  var constant: Bool? {
    if case .constant(let value) = possible, isExact { return value }
    return isImpossible ? false : nil
  }

  /// True when no record can fulfil it.
  var isImpossible: Bool { possible == .none || identifiers?.isEmpty == true }

  /// True when every record fulfils it.
  var isCertain: Bool { certain == .all }

  /// Holds where this one does not.
  var negated: PredicateCondition {
    isExact
      ? PredicateCondition(possible.negated)
      : PredicateCondition(possible: certain.negated, certain: possible.negated)
  }

  /// Holds where both do.
  func and(_ other: PredicateCondition) -> PredicateCondition {
    if isExact && other.isExact {
      return PredicateCondition(.conjunction([possible, other.possible]))
    }
    let common =
      switch (identifiers, other.identifiers) {
      case (let left?, let right?): left.intersection(right)
      case (let left, let right): left ?? right
      }
    return PredicateCondition(
      possible: .conjunction([possible, other.possible]),
      certain: .conjunction([certain, other.certain]),
      identifiers: common
    )
  }

  /// Holds where one of them does.
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
      identifiers: union
    )
  }
}

extension Filter {
  /// Nothing.
  static let none = Filter.constant(false)

  /// The filter that passes what this one does not, without a needless `not`.
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

  /// The filter for all of them, without constants, nested conjunctions and tests for a value that
  /// another part makes anyway.
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

  /// The filter for one of them, without constants and nested disjunctions.
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

  /// True when it passes only records that have a value there.
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
