@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
package import SwiftSyntaxMacros

/// The macros of this plugin by the names that the declarations in `ModelMacros` refer to.
package struct MacroProvider: PluginProvider {
  /// Every macro of the plugin.
  static var macros: [String: any Macro.Type] {
    [
      "PersistentModelMacro": PersistentModelMacro.self,
      "PersistedPropertyMacro": PersistedPropertyMacro.self,
      "ObservedTransientMacro": ObservedTransientMacro.self,
      "AttributePropertyMacro": AttributePropertyMacro.self,
      "RelationshipPropertyMacro": RelationshipPropertyMacro.self,
      "TransientPropertyMacro": TransientPropertyMacro.self,
      "ConstraintMacro": ConstraintMacro.self,
      "PersistentModelActorMacro": PersistentModelActorMacro.self,
    ]
  }

  /// A macro that a declaration names and the plugin does not have.
  struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "the plugin SwiftDataMacros has no macro \"\(name)\"" }
  }

  package init() {}

  package func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = Self.macros[typeName] else { throw UnknownMacro(name: typeName) }
    return macro
  }
}
