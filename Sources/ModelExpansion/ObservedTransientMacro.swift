import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_ObservedTransient`: a stored property outside the model's values whose changes are observed.
///
/// `@Model` attaches it to transient properties that do not need special storage.
enum ObservedTransientMacro: AccessorMacro, PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = property(of: declaration), let className = context.className else {
      return []
    }
    let keyPath: ExprSyntax = "\(raw: className)._$keyPaths.\(raw: property.spelling)"
    return [
      """
      @storageRestrictions(initializes: _\(raw: property.name))
      init(initialValue) {
        _\(raw: property.name) = initialValue
      }
      """,
      """
      get {
        Swift.Unmanaged.passUnretained(_$state)._withUnsafeGuaranteedRef {
          $0.access(self, \(keyPath))
        }
        return _\(raw: property.name)
      }
      """,
      """
      set {
        _$state.withMutation(self, \(keyPath)) {
          _\(raw: property.name) = newValue
        }
      }
      """,
    ]
  }

  static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = property(of: declaration) else { return [] }
    let type = property.binding.typeAnnotation?.trimmedDescription ?? ""
    let value = property.binding.initializer.map { " \($0.trimmed)" } ?? ""
    return ["private var _\(raw: property.name)\(raw: type)\(raw: value)"]
  }

  private static func property(of declaration: some DeclSyntaxProtocol) -> ModelProperty? {
    declaration.as(VariableDeclSyntax.self).flatMap(ModelProperty.init)
  }
}
