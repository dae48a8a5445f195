import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelClass {
  /// The metadata of the properties and constraints that the class itself declares, as an array
  /// literal.
  ///
  /// `root` is the class, or the generic parameter that represents one of its subclasses.
  func entries(root: String) -> String {
    let entries = properties.map { entry($0, root: root) } + constraintEntries(root: root)
    guard !entries.isEmpty else { return "[]" }
    return "[\n" + entries.map { "  \($0),\n" }.joined() + "]"
  }

  private func entry(_ property: ModelProperty, root: String) -> String {
    // The type must be explicit: otherwise the compiler creates the key path of the superclass.
    let keyPath = "\\\(root).\(property.spelling) as PartialKeyPath<\(root)>"
    var arguments = ["name: \"\(property.name)\"", "keypath: \(keyPath)"]
    if let value = defaultValue(of: property) { arguments.append("defaultValue: \(value)") }
    if let metadata = metadata(of: property) { arguments.append("metadata: \(metadata)") }
    return "OpenSwiftData.Schema.PropertyMetadata(\(arguments.joined(separator: ", ")))"
  }

  /// The initial value with its type, so that `.name` and number literals keep their meaning.
  ///
  /// The initial values of relationships are omitted: evaluating them would create models.
  private func defaultValue(of property: ModelProperty) -> String? {
    guard let value = property.initialValue, !value.is(NilLiteralExprSyntax.self),
      !property.variable.hasAttribute("Relationship")
    else { return nil }
    guard let type = property.type else { return value.description }
    return "(\(value) as \(type.castable))"
  }

  private func metadata(of property: ModelProperty) -> String? {
    for name in ["Relationship", "Attribute"] {
      guard let attribute = property.variable.attribute(name) else { continue }
      guard case .argumentList(let arguments) = attribute.arguments, !arguments.isEmpty else {
        return nil
      }
      return "OpenSwiftData.Schema.\(name)(\(arguments.checkingInverse.trimmedDescription))"
    }
    return nil
  }

  /// `#Unique` and `#Index` in the body.
  private var constraints: [MacroExpansionDeclSyntax] {
    declaration.memberBlock.members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
      .filter { ["Unique", "Index"].contains($0.macroName.text) }
  }

  /// The key paths in the constraints.
  var constraintPaths: [KeyPathExprSyntax] {
    let finder = KeyPathFinder(viewMode: .sourceAccurate)
    for constraint in constraints { finder.walk(constraint.arguments) }
    return finder.paths
  }

  private func constraintEntries(root: String) -> [String] {
    constraints.map { macro in
      let kind = "Schema.\(macro.macroName.text)"
      // Key paths that name the class would not belong to the subclass whose metadata is requested.
      let arguments = RootRemover(className: name).rewrite(macro.arguments).trimmedDescription
      return """
        OpenSwiftData.Schema.PropertyMetadata(name: "SwiftData.\(kind)", \
        keypath: \\\(root).self as PartialKeyPath<\(root)>, \
        defaultValue: OpenSwiftData.\(kind)<\(root)>(\(arguments)))
        """
    }
  }
}

extension LabeledExprListSyntax {
  /// The arguments with a call around the inverse, by which the compiler checks that it is a relationship.
  fileprivate var checkingInverse: LabeledExprListSyntax {
    LabeledExprListSyntax(
      map { argument in
        guard argument.label?.text == "inverse", argument.expression.is(KeyPathExprSyntax.self)
        else { return argument }
        let call: ExprSyntax =
          "OpenSwiftData.Schema.Relationship._inverse(\(argument.expression.trimmed))"
        return argument.with(\.expression, call)
      }
    )
  }
}

extension KeyPathExprSyntax {
  /// The names of its properties.
  var propertyNames: [String] {
    components.compactMap {
      $0.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text
        .filter { $0 != "`" }
    }
  }
}

/// Collects key paths.
private final class KeyPathFinder: SyntaxVisitor {
  private(set) var paths: [KeyPathExprSyntax] = []

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
    paths.append(node)
    return .skipChildren
  }
}

/// Writes `\Trip.name` as `\.name`.
private final class RootRemover: SyntaxRewriter {
  private let className: String

  init(className: String) {
    self.className = className
    super.init()
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax {
    guard node.root?.lastName == className else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.root, nil))
  }
}
