import Foundation

/// The value of a predicate expression, as far as it is known without a record.
///
/// A list of alternatives, exactly one of which applies to each record: `a ?? b` is a where a has a
/// value and b where it has none.
struct PredicateTerm {
  /// One of the values, and the records that have it.
  struct Alternative {
    var condition: PredicateCondition
    var leaf: PredicateLeaf
  }

  private(set) var alternatives: [Alternative]

  /// The maximum number of alternatives before a term counts as unknown.
  private static let limit = 32

  init(_ alternatives: [Alternative]) {
    self.alternatives = alternatives.filter { !$0.condition.isImpossible }
    if self.alternatives.count > Self.limit { self = .unknown }
  }

  init(_ leaf: PredicateLeaf) {
    alternatives = [Alternative(condition: .always, leaf: leaf)]
  }

  /// A value that is the same for every record, with its optionals unwrapped.
  init(constant: Any) {
    self.init(PredicateConstant.unwrapped(constant).map { .constant($0) } ?? .missing)
  }

  init(_ condition: PredicateCondition) {
    self.init(condition.constant.map { .constant($0) } ?? .condition(condition))
  }

  static var unknown: PredicateTerm { PredicateTerm(PredicateLeaf.unknown) }

  /// True when it is the same for every record.
  var isConstant: Bool {
    guard alternatives.count == 1 else { return false }
    return switch alternatives[0].leaf {
    case .constant, .missing: alternatives[0].condition.isCertain
    default: false
    }
  }

  /// The value that is the same for every record; nil when there is none.
  var constant: Any? {
    guard isConstant, case .constant(let value) = alternatives[0].leaf else { return nil }
    return value
  }

  /// The value of the same expression with each alternative replaced.
  func flatMap(_ transform: (PredicateLeaf) -> PredicateTerm) -> PredicateTerm {
    if alternatives.count == 1, alternatives[0].condition.isCertain {
      return transform(alternatives[0].leaf)
    }
    return PredicateTerm(
      alternatives.flatMap { outer in
        transform(outer.leaf).alternatives.map { inner in
          Alternative(condition: outer.condition.and(inner.condition), leaf: inner.leaf)
        }
      }
    )
  }

  /// The condition that the test is true for the value.
  func condition(_ test: (PredicateLeaf) -> PredicateCondition) -> PredicateCondition {
    .any(of: alternatives.map { $0.condition.and(test($0.leaf)) })
  }

  /// The condition that the test is true for this value and the other.
  func condition(
    with other: PredicateTerm,
    _ test: (PredicateLeaf, PredicateLeaf) -> PredicateCondition
  ) -> PredicateCondition {
    condition { left in other.condition { right in test(left, right) } }
  }

  /// The condition that the value is true.
  var isTrue: PredicateCondition { condition(\.isTrue) }

  /// The value if there is one, otherwise the other term.
  func otherwise(_ other: () -> PredicateTerm) -> PredicateTerm {
    flatMapOptional({ PredicateTerm($0) }, missing: other)
  }

  /// The transformed value if there is one, otherwise the other term.
  func flatMapOptional(
    _ transform: (PredicateLeaf) -> PredicateTerm,
    missing: () -> PredicateTerm = { PredicateTerm(.missing) }
  ) -> PredicateTerm {
    flatMap { leaf in
      let isMissing = leaf.isMissing
      if isMissing.isCertain { return missing() }
      let present = transform(leaf.present)
      if isMissing.isImpossible { return present }
      return .choice(isMissing, missing(), present)
    }
  }

  /// The first term if the test is true, otherwise the second.
  static func choice(
    _ test: PredicateCondition,
    _ yes: PredicateTerm,
    _ no: PredicateTerm
  ) -> PredicateTerm {
    PredicateTerm(
      yes.alternatives.map { Alternative(condition: test.and($0.condition), leaf: $0.leaf) }
        + no.alternatives.map {
          Alternative(condition: test.negated.and($0.condition), leaf: $0.leaf)
        }
    )
  }

  /// The value for records that have one; the result of force-unwrapping nil is undefined.
  var unwrapped: PredicateTerm {
    flatMapOptional({ PredicateTerm($0) }, missing: { PredicateTerm([]) })
  }
}

/// One of the values that an expression can have.
enum PredicateLeaf {
  /// The same value for every record, never an optional.
  case constant(Any)
  /// Nil.
  case missing
  /// The value of an attribute of the record.
  case attribute(PredicateAttribute)
  /// The value of an attribute of the record that a link refers to.
  case related(RelatedAttribute)
  /// True for the records that meet the condition.
  case condition(PredicateCondition)
  /// The values from the first to the second, the second included or not.
  indirect case range(PredicateTerm, PredicateTerm, includesUpper: Bool)
  /// The number of elements of an attribute.
  case count(PredicateAttribute)
  /// `.orderedSame` for the records that meet the condition, another order for the rest.
  case ordering(isSame: PredicateCondition)
  /// The record itself.
  case model
  /// The identifier of the record.
  case identifier
  /// A value that filters cannot express, or none.
  case unknown

  /// The condition that there is no value.
  var isMissing: PredicateCondition {
    switch self {
    case .missing: .always
    case .attribute(let attribute): attribute.isMissing
    // A link may refer to a record that no longer exists.
    case .related, .unknown: .unknown
    default: .never
    }
  }

  /// The value if there is one.
  var present: PredicateLeaf {
    guard case .attribute(var attribute) = self else { return self }
    attribute.isOptional = false
    return .attribute(attribute)
  }

  /// The condition that the value is true.
  var isTrue: PredicateCondition {
    switch self {
    case .constant(let value): (value as? Bool).map { $0 ? .always : .never } ?? .unknown
    case .attribute(let attribute):
      attribute.type == .boolean
        ? PredicateCondition(.compare(attribute.name, .equal, .boolean(true))) : .unknown
    case .condition(let condition): condition
    case .missing: .never
    default: .unknown
    }
  }
}

/// An attribute in a predicate.
struct PredicateAttribute {
  let name: String
  let type: AttributeType
  /// False if the predicate has already tested for a value.
  var isOptional: Bool
  /// The Swift type of the values, not optional.
  let valueType: Any.Type

  var isMissing: PredicateCondition { isOptional ? PredicateCondition(.isNull(name)) : .never }
  var isPresent: Filter { isOptional ? .not(.isNull(name)) : .all }

  /// The condition of which it is only known that nil does not meet it.
  var unknown: PredicateCondition { PredicateCondition(possible: isPresent, certain: .none) }
}

/// An attribute of the record that a link refers to.
struct RelatedAttribute {
  let link: PredicateAttribute
  let attribute: PredicateAttribute
  let destination: String

  /// The condition that a condition of the other record is met.
  func condition(_ other: PredicateCondition) -> PredicateCondition {
    if other.isImpossible { return .never }
    return PredicateCondition(
      possible: link.isPresent,
      certain: .none,
      related: .related(
        RelatedCondition(field: link.name, destination: destination, filter: other.possible)
      )
    )
  }
}
