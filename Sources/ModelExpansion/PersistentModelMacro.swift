import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: makes a class a persistent model.
///
/// Members hold the values of the model, each stored property becomes an accessor of one of these
/// values, and extensions add the conformances.
enum PersistentModelMacro {}

extension PersistentModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let model = ModelClass(declaration, missingConformances: protocols) else {
      context.reportNoClass(declaration, attribute: node)
      return []
    }
    if let parameters = declaration.genericParameters {
      context.report(.genericClass, at: parameters)
      return []
    }
    let misuses = ModelCheck(model: model, context: context).reportAll()
    return model.members(isMisused: misuses > 0)
  }
}

extension PersistentModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self),
      let property = member.as(VariableDeclSyntax.self).flatMap(ModelProperty.init)
    else { return [] }
    switch property.role {
    case .observedTransient: return ["@ModelMacros._ObservedTransient"]
    case .untouched, .refused: return []
    case .persisted:
      let slots = declaration.persistedProperties
      guard let slot = slots.firstIndex(where: { $0.name == property.name }) else { return [] }
      // Only the member macro can tell whether the first inherited type is a model class.
      let mayInherit = declaration.inheritanceClause == nil ? "" : ", mayInherit: true"
      return ["@ModelMacros._PersistedProperty(\(raw: slot)\(raw: mayInherit))"]
    }
  }
}

extension PersistentModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ClassDeclSyntax.self), declaration.genericParameters == nil else {
      return []
    }
    let missing = protocols.map(\.lastName)
    var extensions: [DeclSyntax] = []
    if missing.contains("PersistentModel") {
      extensions.append("nonisolated extension \(type.trimmed): OpenSwiftData.PersistentModel {}")
    }
    if missing.contains("Sendable") {
      extensions.append(
        """
        @available(*, unavailable, message: "models can only be used on their context's thread; \
        pass the persistentModelID, or use a ModelActor")
        extension \(type.trimmed): Swift.Sendable {}
        """
      )
    }
    return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
