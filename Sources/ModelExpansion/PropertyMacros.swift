import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: read by `@Model`; checks only its own position.
enum AttributePropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = context.storedVariable(declaration, attribute: node, "Attribute") else {
      return []
    }
    if variable.hasAttribute("Relationship") {
      context.report(.twoMeanings(first: "Attribute", second: "Relationship"), at: node)
    } else if variable.hasAttribute("Transient") {
      context.report(.twoMeanings(first: "Attribute", second: "Transient"), at: node)
    }
    return []
  }
}

/// `@Relationship`: read by `@Model`; checks its own position and rejects types that are clearly
/// values.
enum RelationshipPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = context.storedVariable(declaration, attribute: node, "Relationship") else {
      return []
    }
    if variable.hasAttribute("Transient") {
      context.report(.twoMeanings(first: "Relationship", second: "Transient"), at: node)
    }
    if let type = variable.bindings.first?.typeAnnotation?.type, type.isPlainValue {
      context.report(.relationshipToValue(type: type.trimmedDescription), at: type)
    }
    if let minimum = node.count("minimumModelCount"), let maximum = node.count("maximumModelCount"),
      maximum > 0, minimum > maximum
    {
      context.report(.countsOutOfOrder(minimum: minimum, maximum: maximum), at: node)
    }
    return []
  }
}

/// `@Transient`: read by `@Model`.
enum TransientPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(VariableDeclSyntax.self) {
      context.report(.notAVariable(attribute: "Transient"), at: node)
    }
    return []
  }
}

/// `#Unique` and `#Index`: read by `@Model`; they expand to nothing.
enum ConstraintMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

extension MacroExpansionContext {
  /// The variable that the attribute is attached to; reports an error and returns nil if it has no
  /// storage.
  fileprivate func storedVariable(
    _ declaration: some DeclSyntaxProtocol,
    attribute: AttributeSyntax,
    _ name: String
  ) -> VariableDeclSyntax? {
    guard let variable = declaration.as(VariableDeclSyntax.self) else {
      report(.notAVariable(attribute: name), at: attribute)
      return nil
    }
    guard !variable.isStatic, variable.bindings.allSatisfy({ !$0.isComputed }) else {
      report(.withoutStorage(attribute: name), at: attribute)
      return nil
    }
    return variable
  }
}

extension AttributeSyntax {
  /// The number in an argument; nil if it is not a literal.
  fileprivate func count(_ label: String) -> Int? {
    guard case .argumentList(let arguments) = arguments else { return nil }
    let literal = arguments.first { $0.label?.text == label }?.expression
    return (literal?.as(IntegerLiteralExprSyntax.self)?.literal.text).flatMap { Int($0) }
  }
}

extension TypeSyntax {
  private static let values: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Double", "Float", "Decimal", "String", "Character", "Date", "UUID", "URL", "Data",
  ]

  /// True for types of the standard library and Foundation that cannot be models, and for optionals,
  /// arrays and dictionaries of them.
  fileprivate var isPlainValue: Bool {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isPlainValue }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.isPlainValue }
    if self.is(DictionaryTypeSyntax.self) { return true }
    return self.as(IdentifierTypeSyntax.self).map { Self.values.contains($0.name.text) } ?? false
  }
}
