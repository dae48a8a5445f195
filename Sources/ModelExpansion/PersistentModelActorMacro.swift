import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor its own context, whose executor the actor uses.
enum PersistentModelActorMacro {}

extension PersistentModelActorMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self) else {
      let keyword = declaration.introducer
      let replacement = keyword.with(\.tokenKind, .keyword(.actor))
      let text = "replace '\(keyword.text)' with 'actor'"
      context.report(
        .notAnActor,
        at: keyword,
        fixIts: declaration.is(ExtensionDeclSyntax.self)
          ? [] : [.replacing(keyword, by: replacement, text)]
      )
      return []
    }
    let access = declaration.asProtocol((any WithModifiersSyntax).self)?.accessPrefix ?? ""
    var members: [DeclSyntax] = [
      "\(raw: access)nonisolated let modelExecutor: any OpenSwiftData.ModelExecutor",
      "\(raw: access)nonisolated let modelContainer: OpenSwiftData.ModelContainer",
    ]
    if !declaration.declaresContainerInitializer {
      members.append(
        """
        \(raw: access)init(modelContainer: OpenSwiftData.ModelContainer) {
          self.modelExecutor = OpenSwiftData.DefaultSerialModelExecutor(
            modelContext: OpenSwiftData.ModelContext(modelContainer)
          )
          self.modelContainer = modelContainer
        }
        """
      )
    }
    return members
  }
}

extension PersistentModelActorMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let conformance: DeclSyntax = "extension \(type.trimmed): OpenSwiftData.ModelActor {}"
    return [conformance].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}

extension DeclGroupSyntax {
  /// True if the body has an initializer whose only parameter is the container.
  fileprivate var declaresContainerInitializer: Bool {
    memberBlock.members.contains { member in
      let parameters = member.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause
        .parameters
      return parameters?.count == 1 && parameters?.first?.firstName.text == "modelContainer"
    }
  }
}
