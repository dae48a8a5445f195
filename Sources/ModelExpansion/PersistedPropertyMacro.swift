import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty(slot)`: reads and writes one slot of the model's values.
///
/// `@Model` puts it on every stored property that is not transient.
enum PersistedPropertyMacro: AccessorMacro, PeerMacro {
  static func expansion(
    of node: AttributeSyntax,
    providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = property(of: declaration),
      let className = context.className,
      let slot = slot(of: node, className: className)
    else { return [] }
    let keyPath: ExprSyntax = "\(raw: className)._$keyPaths.\(raw: property.spelling)"
    return [
      """
      @storageRestrictions(accesses: _$state, initializes: _\(raw: property.name))
      init(initialValue) {
        _$state.initialize(\(slot), initialValue)
        _\(raw: property.name) = _SwiftDataNoType()
      }
      """,
      """
      get {
        Swift.Unmanaged.passUnretained(_$state)._withUnsafeGuaranteedRef {
          $0.access(self, \(keyPath))
        }
        return _$state.get(\(slot))
      }
      """,
      """
      set {
        _$state.withMutation(self, \(keyPath)) {
          _$state.set(\(slot), newValue, of: self)
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
    return ["private var _\(raw: property.name): _SwiftDataNoType"]
  }

  private static func property(of declaration: some DeclSyntaxProtocol) -> ModelProperty? {
    declaration.as(VariableDeclSyntax.self).flatMap(ModelProperty.init)
  }

  /// The slot as an expression: a number, counted from the first slot of the class where it inherits.
  private static func slot(of node: AttributeSyntax, className: String) -> ExprSyntax? {
    guard case .argumentList(let arguments) = node.arguments,
      let slot = arguments.first?.expression.trimmed
    else { return nil }
    guard arguments.count > 1 else { return slot }
    return "\(raw: className)._$firstSlot + \(slot)"
  }
}

extension MacroExpansionContext {
  /// The name of the class around the macro.
  var className: String? {
    lexicalContext.first?.as(ClassDeclSyntax.self)?.name.trimmed.text
  }
}
