import SwiftSyntax
import SwiftSyntaxBuilder

/// A class with `@Model`, and the members it gets.
struct ModelClass {
  /// The class.
  let declaration: ClassDeclSyntax
  /// The model class that it inherits from; nil at the root of a hierarchy.
  let superclass: TypeSyntax?
  /// The name of the class.
  let name: String
  /// The properties that have a slot, in order.
  let properties: [ModelProperty]

  /// Reads a declaration; nil if it is not a class.
  ///
  /// - Parameters:
  ///   - declaration: The declaration that `@Model` is attached to.
  ///   - missingConformances: The protocols that the class does not conform to yet.
  init?(_ declaration: some DeclGroupSyntax, missingConformances: [TypeSyntax]) {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
    self.declaration = declaration
    name = declaration.name.trimmed.text
    properties = declaration.persistedProperties
    let named = declaration.inheritanceClause?.inheritedTypes.map(\.type.trimmed) ?? []
    // A class that conforms before the macro adds the conformance inherits it from its superclass,
    // unless the class itself names the protocol.
    let conforms = !missingConformances.contains { $0.lastName == "PersistentModel" }
    let isInherited = conforms && !named.contains { $0.lastName == "PersistentModel" }
    superclass = isInherited ? named.first : nil
  }

  /// The members that the macro adds to the body of the class.
  ///
  /// A class with reported misuses gets members that prevent further compiler errors.
  func members(isMisused: Bool) -> [DeclSyntax] {
    var members = [description, state] + keyPaths + [stateProperty]
    members += [isMisused ? initializerOfMisused : initializer, metadata]
    if !isFinal { members.append(metadataOfSubclasses) }
    if mayInherit { members.append(firstSlot) }
    if !isMisused && lacksInitializer { members.append("\(raw: access)init() {}") }
    return members + [accessFunction, mutationFunction, "private struct _SwiftDataNoType {}"]
  }

  /// True if the class cannot have subclasses.
  var isFinal: Bool { declaration.hasModifier(.final) }

  /// True if slots are counted from those of a superclass, or from zero without one.
  private var mayInherit: Bool { declaration.inheritanceClause != nil }

  /// True if the class has no designated initializer.
  var lacksInitializer: Bool {
    !declaration.memberBlock.members.contains { member in
      guard let initializer = member.decl.as(InitializerDeclSyntax.self) else { return false }
      return !initializer.hasModifier(.convenience)
    }
  }

  private var access: String { declaration.accessPrefix }

  /// The access level of members that subclasses override.
  private var overridable: String {
    if superclass != nil { return declaration.accessPrefix + "override " }
    return declaration.hasModifier(.open) ? "open " : declaration.accessPrefix
  }

  // MARK: Members

  private var description: DeclSyntax {
    """
    private static let _$model = ModelMacros._ModelDescription.of(\(raw: name).self)
    """
  }

  private var state: DeclSyntax {
    """
    @exclusivity(unchecked) private var _$state = ModelMacros._ModelState(\(raw: name)._$model)
    """
  }

  /// Key paths that are created once, because creating one takes longer than recording a read.
  private var keyPaths: [DeclSyntax] {
    let observed = declaration.modelProperties.filter {
      $0.role == .persisted || $0.role == .observedTransient
    }
    let entries = observed.map { "let \($0.spelling) = \\\(name).\($0.spelling)\n" }.joined()
    return [
      """
      private struct _$KeyPaths: @unchecked Swift.Sendable {
        \(raw: entries)
      }
      """,
      "private static let _$keyPaths = _$KeyPaths()",
    ]
  }

  private var stateProperty: DeclSyntax {
    if superclass == nil {
      return """
        \(raw: overridable)var persistentState: ModelMacros._ModelState {
          get {
            _$state
          }
          set {
            _$state = newValue
          }
        }
        """
    }
    return """
      \(raw: overridable)var persistentState: ModelMacros._ModelState {
        get {
          let inherited = super.persistentState
          if inherited !== _$state {
            _$state.takeValues(from: inherited)
            super.persistentState = _$state
          }
          return _$state
        }
        set {
          _$state = newValue
          super.persistentState = newValue
        }
      }
      """
  }

  private var initializer: DeclSyntax {
    let markers = properties.map { "_\($0.name) = _SwiftDataNoType()\n  " }.joined()
    let end =
      superclass == nil ? "" : "super.init(persistentState: persistentState)"
    return """
      \(raw: access)required init(persistentState: ModelMacros._ModelState) {
        _$state = persistentState
        \(raw: markers)\(raw: end)
      }
      """
  }

  private var initializerOfMisused: DeclSyntax {
    "\(raw: access)required init(persistentState: ModelMacros._ModelState) { fatalError() }"
  }

  private var firstSlot: DeclSyntax {
    guard let superclass else { return "private static var _$firstSlot: Int { 0 }" }
    return """
      private static let _$firstSlot =
        ModelMacros._ModelDescription.of(\(superclass).self).entity.fields.count
      """
  }

  private var metadata: DeclSyntax {
    let type = "[OpenSwiftData.Schema.PropertyMetadata]"
    if superclass != nil {
      let own = isFinal ? entries(root: name) : "_$metadata(for: Self.self)"
      return """
        \(raw: overridable)class var schemaMetadata: \(raw: type) {
          super.schemaMetadata + \(raw: own)
        }
        """
    }
    if isFinal {
      return """
        \(raw: access)static var schemaMetadata: \(raw: type) {
          \(raw: entries(root: name))
        }
        """
    }
    return """
      \(raw: overridable)class var schemaMetadata: \(raw: type) {
        _$metadata(for: Self.self)
      }
      """
  }

  /// Generic over the requested class: key paths of a subclass are not those of its superclass.
  private var metadataOfSubclasses: DeclSyntax {
    """
    private static func _$metadata<Root: \(raw: name)>(
      for root: Root.Type
    ) -> [OpenSwiftData.Schema.PropertyMetadata] {
      \(raw: entries(root: "Root"))
    }
    """
  }

  private var accessFunction: DeclSyntax {
    """
    internal func access<_M>(keyPath: KeyPath<\(raw: name), _M>) {
      _$state.access(self, keyPath)
    }
    """
  }

  private var mutationFunction: DeclSyntax {
    """
    internal func withMutation<_M, _R>(
      keyPath: KeyPath<\(raw: name), _M>,
      _ mutation: () throws -> _R
    ) rethrows -> _R {
      try _$state.withMutation(self, keyPath, mutation)
    }
    """
  }
}

extension TypeSyntaxProtocol {
  /// The last component of the name.
  var lastName: String {
    self.as(MemberTypeSyntax.self)?.name.text ?? self.as(IdentifierTypeSyntax.self)?.name.text
      ?? trimmedDescription
  }
}

extension DeclGroupSyntax {
  /// The generic parameters, where the declaration has any.
  var genericParameters: GenericParameterClauseSyntax? {
    asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
  }
}
