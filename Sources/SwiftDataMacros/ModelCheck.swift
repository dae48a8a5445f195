import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Looks for uses of `@Model` that cannot work and reports each where it is.
struct ModelCheck<Context: MacroExpansionContext> {
  let model: ModelClass
  let context: Context

  /// Reports everything; false when members would only lead to more messages.
  func reportAll() -> Bool {
    if let parameters = model.declaration.genericParameters {
      context.report(.genericClass, at: parameters)
      return false
    }
    for member in model.declaration.memberBlock.members { check(member.decl) }
    checkInitializer()
    return true
  }

  private func check(_ member: DeclSyntax) {
    if let condition = member.as(IfConfigDeclSyntax.self) { return check(condition) }
    guard let variable = member.as(VariableDeclSyntax.self) else { return }
    if let property = ModelProperty(variable) {
      if case .refused(let misuse) = property.role { report(misuse, property) }
    } else if !variable.isStatic {
      context.report(.pattern, at: variable.bindings)
    }
  }

  private func check(_ condition: IfConfigDeclSyntax) {
    for case .decls(let members) in condition.clauses.compactMap(\.elements) {
      for member in members {
        guard let variable = member.decl.as(VariableDeclSyntax.self),
          let property = ModelProperty(variable), property.role != .untouched
        else { continue }
        context.report(.conditional, at: variable)
      }
    }
  }

  private func report(_ misuse: Misuse, _ property: ModelProperty) {
    let variable = property.variable
    switch misuse {
    case .constant:
      let specifier = variable.bindingSpecifier
      let replacement = specifier.with(\.tokenKind, .keyword(.var))
      context.report(
        misuse,
        at: specifier,
        fixIts: [.replacing(specifier, by: replacement, "replace 'let' with 'var'")]
      )
    case .lazy:
      let place = variable.modifiers.first { $0.name.tokenKind == .keyword(.lazy) }
      context.report(
        misuse,
        at: Syntax(place) ?? Syntax(variable),
        fixIts: [.markTransient(variable)]
      )
    case .weakReference:
      let place = variable.modifiers.first {
        [.keyword(.weak), .keyword(.unowned)].contains($0.name.tokenKind)
      }
      context.report(
        misuse,
        at: Syntax(place) ?? Syntax(variable),
        fixIts: [.markTransient(variable)]
      )
    case .observers:
      let place = property.binding.accessorBlock.map { Syntax($0) } ?? Syntax(variable)
      context.report(misuse, at: place, fixIts: [.markTransient(variable)])
    case .severalNames:
      let second = variable.bindings.dropFirst().first
      context.report(misuse, at: Syntax(second) ?? Syntax(variable))
    default:
      context.report(misuse, at: property.binding)
    }
  }

  /// A class whose properties all have values gets `init()`; any other one must say how it is made.
  private func checkInitializer() {
    guard model.lacksInitializer else { return }
    let open = model.properties.filter { !$0.hasValue }
    guard model.superclass != nil || !open.isEmpty else { return }
    var fixIts: [FixIt] = []
    if model.superclass == nil, open.allSatisfy({ $0.type != nil }) {
      fixIts = [addInitializer(open)]
    }
    context.report(
      .noInitializer(className: model.name),
      at: model.declaration.name,
      fixIts: fixIts
    )
  }

  private func addInitializer(_ properties: [ModelProperty]) -> FixIt {
    let parameters = properties.map { "\($0.spelling): \($0.type?.description ?? "Any")" }
    let body = properties.map { "    self.\($0.name) = \($0.spelling)\n" }.joined()
    let text: DeclSyntax = """


        \(raw: model.declaration.accessPrefix)init(\(raw: parameters.joined(separator: ", "))) {
      \(raw: body)  }
      """
    let block = model.declaration.memberBlock
    let members = block.members + [MemberBlockItemSyntax(decl: text)]
    return .replacing(block, by: block.with(\.members, members), "add an initializer")
  }
}

extension FixIt {
  /// One node for another.
  static func replacing(
    _ old: some SyntaxProtocol,
    by new: some SyntaxProtocol,
    _ message: String
  ) -> FixIt {
    FixIt(
      message: Correction(message),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]
    )
  }

  /// `@Transient` before the declaration.
  static func markTransient(_ variable: VariableDeclSyntax) -> FixIt {
    var plain = variable
    let leading = variable.leadingTrivia
    plain.leadingTrivia = []
    let attribute = AttributeSyntax(
      attributeName: IdentifierTypeSyntax(name: .identifier("Transient"))
    )
    .with(\.leadingTrivia, leading).with(\.trailingTrivia, .space)
    plain.attributes = AttributeListSyntax([.attribute(attribute)] + Array(plain.attributes))
    return .replacing(variable, by: plain, "mark it '@Transient'")
  }
}

extension MacroExpansionContext {
  /// Says that `@Model` stands on something else than a class.
  func reportNoClass(_ declaration: some DeclGroupSyntax, attribute: AttributeSyntax) {
    let keyword = declaration.introducer
    let kind = keyword.text == "enum" || keyword.text == "actor" ? "an" : "a"
    var fixIts: [FixIt] = []
    if declaration.is(StructDeclSyntax.self) {
      let replacement = keyword.with(\.tokenKind, .keyword(.class))
      fixIts = [.replacing(keyword, by: replacement, "replace 'struct' with 'class'")]
    }
    report(.notAClass(found: "\(kind) \(keyword.text)"), at: keyword, fixIts: fixIts)
  }
}
