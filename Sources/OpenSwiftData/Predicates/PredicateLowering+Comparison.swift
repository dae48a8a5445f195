import Foundation

/// The relation of a Swift type's equality and order to those of its stored values.
enum PredicateValueKind {
  /// Both are those of the stored values.
  case ordered
  /// Equality is that of the stored values; the type has no order or a different one.
  case equatable
  /// Text, compared as in Swift.
  case text
  /// Enums are equal if their cases are; for other types, different stored values may be equal.
  case custom

  init(_ type: Any.Type) {
    switch type {
    case is String.Type: self = .text
    case is any FixedWidthInteger.Type, is any OrderedAttributeValue.Type: self = .ordered
    case is Bool.Type, is URL.Type, is Data.Type, is PersistentIdentifier.Type,
      is any PersistentModel.Type, is any OptionSet.Type:
      self = .equatable
    default: self = .custom
    }
  }
}

extension PredicateAttribute {
  /// The condition that the value of the attribute is this one.
  func equals(_ constant: Any) -> PredicateCondition {
    guard let value = PredicateConstant.value(of: constant, for: self) else { return unknown }
    let same = PredicateCondition(.compare(name, .equal, value))
    switch PredicateValueKind(valueType) {
    case .ordered:
      return switch PredicateConstant.reach(of: value) {
      case .within: same
      case nil: unknown
      default: .never
      }
    case .equatable:
      // A store saves a relative URL, but not its base.
      return (constant as? URL)?.baseURL == nil ? same : unknown
    case .text: return equals(value)
    case .custom:
      let mirror = Mirror(reflecting: constant)
      return mirror.displayStyle == .enum && mirror.children.isEmpty
        ? equals(value) : PredicateCondition(possible: isPresent, certain: same.certain)
    }
  }

  /// The condition that the attribute holds the value, or text that is equal in Swift.
  private func equals(_ value: Value) -> PredicateCondition {
    guard case .text(let text) = value else {
      return PredicateCondition(.compare(name, .equal, value))
    }
    return equals(text: text)
  }

  /// The condition that the comparison of the attribute with the constant is true.
  func compares(_ comparison: Filter.Comparison, _ constant: Any) -> PredicateCondition {
    guard let value = PredicateConstant.value(of: constant, for: self) else { return unknown }
    switch PredicateValueKind(valueType) {
    case .ordered:
      let isSmaller = comparison == .less || comparison == .lessOrEqual
      return switch PredicateConstant.reach(of: value) {
      case .within: PredicateCondition(.compare(name, comparison, value))
      case .below: isSmaller ? .never : PredicateCondition(isPresent)
      case .above: isSmaller ? PredicateCondition(isPresent) : .never
      case .nowhere: .never
      case nil: unknown
      }
    case .text:
      guard case .text(let text) = value else { return unknown }
      return compares(comparison, text: text)
    case .equatable, .custom: return unknown
    }
  }

  /// The condition that two attributes are equal.
  func equals(_ other: PredicateAttribute) -> PredicateCondition {
    let same = Filter.compareAttributes(name, .equal, other.name)
    switch PredicateValueKind(valueType) {
    case .ordered: return PredicateCondition(same)
    case .equatable where valueType != URL.self: return PredicateCondition(same)
    default:
      // Values that are equal in the store are equal in Swift; different values may be equal in Swift as
      // well.
      let bothMissing = isMissing.and(other.isMissing)
      let possible = Filter.disjunction([
        bothMissing.possible, .conjunction([isPresent, other.isPresent]),
      ])
      return PredicateCondition(possible: possible, certain: same)
    }
  }

  /// The condition that the comparison with the other attribute is true and both have values.
  func compares(_ comparison: Filter.Comparison, _ other: PredicateAttribute) -> PredicateCondition
  {
    guard case .ordered = PredicateValueKind(valueType) else { return .unknown }
    return PredicateCondition(.compareAttributes(name, comparison, other.name))
  }
}

extension PredicateLeaf {
  /// The condition that two values are equal, given the test for two constants.
  static func areEqual(
    _ left: PredicateLeaf,
    _ right: PredicateLeaf,
    _ constants: (Any, Any) -> Bool?
  ) -> PredicateCondition {
    switch (left, right) {
    case (.missing, _): right.isMissing
    case (_, .missing): left.isMissing
    case (.constant(let left), .constant(let right)):
      constants(left, right).map { $0 ? .always : .never } ?? .unknown
    case (.attribute(let left), .attribute(let right)): left.equals(right)
    case (.attribute(let attribute), .constant(let value)),
      (.constant(let value), .attribute(let attribute)):
      attribute.equals(value)
    case (.related(let related), .constant(let value)),
      (.constant(let value), .related(let related)):
      related.condition(related.attribute.equals(value))
    case (.condition(let condition), let other), (let other, .condition(let condition)):
      condition.equals(other)
    case (.count(let attribute), .constant(let value)),
      (.constant(let value), .count(let attribute)):
      attribute.count(.equal, value)
    case (.ordering(let isSame), .constant(let value)),
      (.constant(let value), .ordering(let isSame)):
      value as? ComparisonResult == .orderedSame
        ? isSame : PredicateCondition(possible: isSame.certain.negated, certain: .none)
    case (.model, .constant(let value)), (.constant(let value), .model):
      (value as? any PersistentModel).map {
        PredicateCondition(identifiers: [$0.persistentModelID])
      }
        ?? .unknown
    case (.identifier, .constant(let value)), (.constant(let value), .identifier):
      (value as? PersistentIdentifier).map { PredicateCondition(identifiers: [$0]) } ?? .unknown
    default: .unknown
    }
  }

  /// The condition that the comparison of two values is true, given the test for two constants.
  static func compare(
    _ left: PredicateLeaf,
    _ comparison: Filter.Comparison,
    _ right: PredicateLeaf,
    _ constants: (Any, Any) -> Bool?
  ) -> PredicateCondition {
    switch (left, right) {
    case (.constant(let left), .constant(let right)):
      constants(left, right).map { $0 ? .always : .never } ?? .unknown
    case (.attribute(let left), .attribute(let right)): left.compares(comparison, right)
    case (.attribute(let attribute), .constant(let value)): attribute.compares(comparison, value)
    case (.constant(let value), .attribute(let attribute)):
      attribute.compares(comparison.flipped, value)
    case (.related(let related), .constant(let value)):
      related.condition(related.attribute.compares(comparison, value))
    case (.constant(let value), .related(let related)):
      related.condition(related.attribute.compares(comparison.flipped, value))
    case (.count(let attribute), .constant(let value)): attribute.count(comparison, value)
    case (.constant(let value), .count(let attribute)): attribute.count(comparison.flipped, value)
    default: .unknown
    }
  }
}

extension PredicateCondition {
  /// The condition that this condition has the same truth value as the leaf.
  fileprivate func equals(_ leaf: PredicateLeaf) -> PredicateCondition {
    let other = leaf.isTrue
    return .any(of: [and(other), negated.and(other.negated)]).and(leaf.isMissing.negated)
  }
}
