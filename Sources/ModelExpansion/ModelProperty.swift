import SwiftSyntax

/// One variable of a model class, as written in the source.
struct ModelProperty {
  /// How `@Model` treats the property.
  enum Role: Equatable {
    /// A slot of the model's values.
    case persisted
    /// A separate stored property whose changes are observed.
    case observedTransient
    /// Left as it is written.
    case untouched
    /// Left as it is written, and reported.
    case refused(Misuse)
  }

  /// The declaration.
  let variable: VariableDeclSyntax
  /// Its only binding.
  let binding: PatternBindingSyntax
  /// The name as it is spelled, with backticks if it has any.
  let spelling: String
  /// How the property is expanded.
  let role: Role

  /// The name without backticks.
  var name: String { spelling.filter { $0 != "`" } }

  /// The type annotation of the property.
  var type: TypeSyntax? { binding.typeAnnotation?.type.trimmed }

  /// The initial value of the property.
  var initialValue: ExprSyntax? { binding.initializer?.value.trimmed }

  /// True if an initializer does not need to set the property.
  var hasValue: Bool { initialValue != nil || type?.startsAsNil == true }

  /// A declaration that does not have the effect it appears to have.
  var notice: Misuse? {
    if role == .persisted, isConstant { return .constant }
    if role == .persisted, binding.accessorBlock != nil { return .observers }
    guard role == .untouched, !variable.isStatic, !binding.isComputed,
      !variable.hasAttribute("Transient")
    else { return nil }
    return isConstant ? .unkeptConstant : nil
  }

  private var isConstant: Bool { variable.bindingSpecifier.tokenKind == .keyword(.let) }

  /// Reads a declaration; nil when it binds no name, such as a tuple pattern.
  init?(_ variable: VariableDeclSyntax) {
    guard let binding = variable.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    self.variable = variable
    self.binding = binding
    spelling = pattern.identifier.trimmed.text
    role = Self.role(of: variable, binding: binding)
  }

  private static func role(
    of variable: VariableDeclSyntax,
    binding: PatternBindingSyntax
  ) -> Role {
    if variable.isStatic || binding.isComputed { return .untouched }
    if variable.hasAttribute("Transient") {
      return transientRole(of: variable, binding: binding)
    }
    if variable.bindings.count > 1 { return .refused(.severalNames) }
    // The compiler warns of the accessors of a constant in Swift 5 mode, and refuses them in Swift 6 mode.
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    if isConstant, binding.initializer != nil { return .untouched }
    if variable.hasModifier(.lazy) { return .refused(.lazy) }
    if variable.hasModifier(.weak) || variable.hasModifier(.unowned) {
      return .refused(.weakReference)
    }
    return binding.typeAnnotation?.type.isClosure == true ? .refused(.closure) : .persisted
  }

  private static func transientRole(
    of variable: VariableDeclSyntax,
    binding: PatternBindingSyntax
  ) -> Role {
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    let isStoredVariable =
      !isConstant && binding.accessorBlock == nil && variable.bindings.count == 1
      && ![Keyword.lazy, .weak, .unowned].contains(where: variable.hasModifier)
    let hasValue =
      variable.bindings.allSatisfy { $0.initializer != nil }
      || variable.hasModifier(.weak)
      || (!isConstant && variable.bindings.last?.typeAnnotation?.type.startsAsNil == true)
    if !hasValue { return .refused(.transientWithoutValue) }
    let isWrapped = variable.attributeNames.contains { $0 != "Transient" }
    return isStoredVariable && !isWrapped ? .observedTransient : .untouched
  }
}

extension DeclGroupSyntax {
  /// The variables of the body in order, without those that bind a pattern.
  var modelProperties: [ModelProperty] {
    memberBlock.members.compactMap { member in
      member.decl.as(VariableDeclSyntax.self).flatMap(ModelProperty.init)
    }
  }

  /// The variables that have a slot, in the order of their slots.
  var persistedProperties: [ModelProperty] {
    modelProperties.filter { $0.role == .persisted }
  }
}
