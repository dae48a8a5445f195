public import Foundation

// Foundation takes only values that can be archived into predicates, which models cannot. What these
// expressions keep of a model is its identifier, so `$0.trip == trip` compiles.

extension PredicateExpressions {
  /// A model that a predicate captured: the identifier that it had then.
  public struct ModelReference<Model: PersistentModel>: StandardPredicateExpression {
    /// What it is worth: an identifier, or nil.
    public typealias Output = PersistentIdentifier?
    /// The identifier of the model; nil for no model.
    public let identifier: PersistentIdentifier?

    /// Keeps the identifier of a model.
    public init(_ model: Model?) { identifier = model?.persistentModelID }

    /// The identifier.
    public func evaluate(_ bindings: PredicateBindings) -> PersistentIdentifier? { identifier }
  }

  /// Tells whether an expression is worth a captured model.
  public struct ModelEqual<LHS: PredicateExpression, Model: PersistentModel>: PredicateExpression {
    /// What it is worth: true or false.
    public typealias Output = Bool
    /// The expression that is worth a model, or nil.
    public let lhs: LHS
    /// The captured model.
    public let rhs: ModelReference<Model>

    /// Compares the expression with the model.
    public init(lhs: LHS, rhs: ModelReference<Model>) {
      self.lhs = lhs
      self.rhs = rhs
    }

    /// True when both are the same record, or nil.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let model = PredicateConstant.unwrapped(try lhs.evaluate(bindings)) as? any PersistentModel
      return model?.persistentModelID == rhs.identifier
    }
  }

  /// Tells whether a captured model is among those of an expression.
  public struct ModelContains<LHS: PredicateExpression, Model: PersistentModel>: PredicateExpression
  where LHS.Output: Sequence, LHS.Output.Element == Model {
    /// What it is worth: true or false.
    public typealias Output = Bool
    /// The expression that is worth models.
    public let sequence: LHS
    /// The captured model.
    public let element: ModelReference<Model>

    /// Looks for the model.
    public init(sequence: LHS, element: ModelReference<Model>) {
      self.sequence = sequence
      self.element = element
    }

    /// True when one of the models is the same record.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try sequence.evaluate(bindings).contains { $0.persistentModelID == element.identifier }
    }
  }

  /// Captures a model.
  public static func build_Arg<Model: PersistentModel>(_ arg: Model) -> ModelReference<Model> {
    ModelReference(arg)
  }

  /// Captures a model or nil.
  public static func build_Arg<Model: PersistentModel>(_ arg: Model?) -> ModelReference<Model> {
    ModelReference(arg)
  }

  /// Compares a model with a captured one.
  public static func build_Equal<LHS, Model>(lhs: LHS, rhs: ModelReference<Model>)
    -> ModelEqual<LHS, Model> where LHS.Output == Model
  { ModelEqual(lhs: lhs, rhs: rhs) }

  /// Compares a model or nil with a captured one.
  public static func build_Equal<LHS, Model>(lhs: LHS, rhs: ModelReference<Model>)
    -> ModelEqual<LHS, Model> where LHS.Output == Model?
  { ModelEqual(lhs: lhs, rhs: rhs) }

  /// Compares a model with a captured one.
  public static func build_NotEqual<LHS, Model>(lhs: LHS, rhs: ModelReference<Model>)
    -> Negation<ModelEqual<LHS, Model>> where LHS.Output == Model
  { Negation(ModelEqual(lhs: lhs, rhs: rhs)) }

  /// Compares a model or nil with a captured one.
  public static func build_NotEqual<LHS, Model>(lhs: LHS, rhs: ModelReference<Model>)
    -> Negation<ModelEqual<LHS, Model>> where LHS.Output == Model?
  { Negation(ModelEqual(lhs: lhs, rhs: rhs)) }

  /// Looks for a captured model among models.
  public static func build_contains<LHS, Model>(_ lhs: LHS, _ rhs: ModelReference<Model>)
    -> ModelContains<LHS, Model>
  { ModelContains(sequence: lhs, element: rhs) }
}

extension PredicateExpressions.ModelEqual: Sendable where LHS: Sendable {}
extension PredicateExpressions.ModelEqual: Codable where LHS: Codable {}
extension PredicateExpressions.ModelEqual: StandardPredicateExpression
where LHS: StandardPredicateExpression {}

extension PredicateExpressions.ModelContains: Sendable where LHS: Sendable {}
extension PredicateExpressions.ModelContains: Codable where LHS: Codable {}
extension PredicateExpressions.ModelContains: StandardPredicateExpression
where LHS: StandardPredicateExpression {}

// MARK: Lowering

extension PredicateExpressions.ModelReference: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(identifier.map { .constant($0) } ?? .missing)
  }
}

extension PredicateExpressions.ModelEqual: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(
      lhs.term(in: scope).condition(with: rhs.lowered(in: scope)) { left, right in
        PredicateLeaf.areEqual(left, right) { _, _ in nil }
      }
    )
  }
}

extension PredicateExpressions.ModelContains: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    PredicateTerm(
      sequence.term(in: scope).condition { leaf in
        guard case .attribute(let attribute) = leaf, let identifier = element.identifier else {
          return .unknown
        }
        return attribute.mayContain([identifier])
      }
    )
  }
}
