package import Foundation

/// The part of a predicate over models that a store can evaluate.
///
/// The filter matches every record for which the predicate is true. If it is exact, it matches no others;
/// otherwise the predicate must be evaluated on the models of the matching records.
///
/// The meaning is that of Swift: nil equals only nil, NaN equals nothing, text is compared by whole
/// characters in any encoding (`TextMatch.Options.characters`; by bytes if the result is the same). Only the
/// order of texts differs from that of stores, which compare bytes: the filter narrows the records, and the
/// order is checked again in memory. A comparison that unwraps nil with `!` is false instead of throwing, as
/// in SQL.
package struct LoweredPredicate: Sendable {
  /// Matches all records for which the predicate can be true.
  package let filter: Filter
  /// True when the filter matches exactly the records for which the predicate is true.
  package let isExact: Bool
  /// The only records that can match; nil if any can.
  package let identifiers: Set<PersistentIdentifier>?
  /// What every record that matches is related to; nil if that is not known.
  package let related: RelatedBound?

  /// The attribute of a key path.
  package struct Property: Sendable {
    /// The name of the attribute.
    package let name: String
    /// The type of the attribute.
    package let type: AttributeType
    /// False when every record has a value.
    package let isOptional: Bool

    /// Creates the description of an attribute.
    package init(_ name: String, _ type: AttributeType, isOptional: Bool) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
    }
  }

  /// Lowers the predicate.
  ///
  /// The closure returns the attribute of a key path of the model; nil for properties that no store has, such
  /// as computed and transient ones, which makes the filter inexact.
  ///
  /// - Complexity: O(n) in the size of the predicate and of the collections that it captures.
  package init<Model>(
    _ predicate: Predicate<Model>,
    property: @escaping (AnyKeyPath) -> Property?
  ) {
    var scope = PredicateScope(property: property)
    scope.terms[predicate.variable.key] = PredicateTerm(.model)
    let condition = predicate.expression.term(in: scope).isTrue
    filter = condition.isImpossible ? .none : condition.possible
    isExact = condition.isExact || condition.isImpossible
    identifiers = condition.isImpossible ? nil : condition.identifiers
    related = condition.isImpossible ? nil : condition.related
  }
}

/// The variables that the expressions of a predicate can refer to.
struct PredicateScope {
  let property: (AnyKeyPath) -> LoweredPredicate.Property?
  /// The terms of the variables.
  var terms: [PredicateExpressions.VariableID: PredicateTerm] = [:]
  /// The values of those variables that are the same for every record.
  var bindings = PredicateBindings()

  init(property: @escaping (AnyKeyPath) -> LoweredPredicate.Property?) {
    self.property = property
  }

  /// The scope with the variable bound to the leaf.
  func binding<V>(_ variable: PredicateExpressions.Variable<V>, to leaf: PredicateLeaf)
    -> PredicateScope
  {
    var scope = self
    scope.terms[variable.key] = PredicateTerm(leaf)
    if case .constant(let constant) = leaf, let value = constant as? V {
      scope.bindings = bindings.binding(variable, to: value)
    }
    return scope
  }
}

/// A predicate expression that can be lowered to filters.
protocol FilterLowerable {
  /// The term of the expression.
  func lowered(in scope: PredicateScope) -> PredicateTerm
}

extension PredicateExpression {
  /// The term of the expression; unknown for unsupported expressions.
  func term(in scope: PredicateScope) -> PredicateTerm {
    (self as? any FilterLowerable)?.lowered(in: scope) ?? .unknown
  }

  /// The value of an expression in which nothing depends on the record.
  func constantTerm(in scope: PredicateScope) -> PredicateTerm {
    do {
      return PredicateTerm(constant: try evaluate(scope.bindings))
    } catch {
      // It throws in memory as well, if evaluation reaches it.
      return .unknown
    }
  }

  /// The value when the operands are the same for every record; unknown otherwise.
  func folded(_ operands: PredicateTerm..., in scope: PredicateScope) -> PredicateTerm {
    operands.allSatisfy(\.isConstant) ? constantTerm(in: scope) : .unknown
  }
}
