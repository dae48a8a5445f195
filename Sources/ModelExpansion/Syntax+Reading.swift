import SwiftSyntax
import SwiftSyntaxBuilder

extension WithModifiersSyntax {
  /// True when the declaration has the modifier.
  func hasModifier(_ keyword: Keyword) -> Bool { modifier([keyword]) != nil }

  /// The first of the modifiers that the declaration has.
  func modifier(_ keywords: [Keyword]) -> DeclModifierSyntax? {
    // `private(set)` is another one than `private`; `unowned(unsafe)` is not.
    modifiers.first { modifier in
      modifier.detail?.detail.text != "set"
        && keywords.contains { modifier.name.tokenKind == .keyword($0) }
    }
  }
}

extension WithAttributesSyntax {
  /// The last components of the names of the attributes.
  var attributeNames: [String] { attributes.compactMap(\.attributeName) }

  /// True when the declaration has the attribute, with or without the name of a module before it.
  func hasAttribute(_ name: String) -> Bool { attributeNames.contains(name) }

  /// The attribute of that name.
  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.first { $0.attributeName == name }?.as(AttributeSyntax.self)
  }
}

extension AttributeListSyntax.Element {
  /// The last component of the name; nil for `#if`.
  var attributeName: String? {
    guard let type = self.as(AttributeSyntax.self)?.attributeName else { return nil }
    return type.as(MemberTypeSyntax.self)?.name.text
      ?? type.as(IdentifierTypeSyntax.self)?.name.text
  }
}

extension VariableDeclSyntax {
  /// True for members of the type instead of its instances.
  var isStatic: Bool { hasModifier(.static) || hasModifier(.class) }
}

extension PatternBindingSyntax {
  /// True if the property has no storage.
  var isComputed: Bool {
    guard let accessorBlock else { return false }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return true }
    return !accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}

extension TypeSyntax {
  /// True for `T?` and `T!`, which start as nil without an initial value; false for `Optional<T>`.
  var startsAsNil: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }

  /// True for functions, and for optionals of them.
  var isClosure: Bool {
    if self.is(FunctionTypeSyntax.self) { return true }
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isClosure }
    if let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return implicit.wrappedType.isClosure
    }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.isClosure }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.type.isClosure ?? false
    }
    return false
  }

  /// The type in a form that is valid after `as`.
  var castable: TypeSyntax {
    self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self).map { "\($0.wrappedType)?" } ?? self
  }
}

extension WithModifiersSyntax {
  /// The modifier that makes members as visible as their type, followed by a space.
  var accessPrefix: String {
    if hasModifier(.public) || hasModifier(.open) { return "public " }
    return hasModifier(.package) ? "package " : ""
  }
}

extension ModelProperty {
  /// The property of the same class that `@Relationship` names as inverse.
  func inverse(in className: String) -> String? {
    guard case .argumentList(let arguments) = variable.attribute("Relationship")?.arguments,
      let argument = arguments.first(where: { $0.label?.text == "inverse" }),
      let path = argument.expression.as(KeyPathExprSyntax.self), path.components.count == 1,
      path.root?.lastName == className,
      let component = path.components.first?.component.as(KeyPathPropertyComponentSyntax.self)
    else { return nil }
    return component.declName.baseName.text.filter { $0 != "`" }
  }
}
