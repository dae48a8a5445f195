import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Finds uses of `@Model` that cannot work and reports each at its position.
struct ModelCheck<Context: MacroExpansionContext> {
  let model: ModelClass
  let context: Context

  /// Reports all misuses and counts them.
  func reportAll() -> Int {
    let members = model.declaration.memberBlock.members
    let misuses = members.map { check($0.decl) }.reduce(0, +)
    return misuses + checkInverses() + checkConstraints() + checkInitializer()
  }

  /// Checks that `#Unique` and `#Index` name properties that the class persists; those of a superclass are not known.
  private func checkConstraints() -> Int {
    let known = Set(model.properties.map(\.name))
    var count = 0
    for path in model.constraintPaths {
      let names = path.propertyNames
      guard let first = names.first else { continue }
      if names.count > 1 {
        context.report(.nestedProperty(path: names.joined(separator: ".")), at: path)
      } else if model.superclass == nil, !known.contains(first) {
        context.report(.unknownProperty(name: first, className: model.name), at: path)
      } else {
        continue
      }
      count += 1
    }
    return count
  }

  private func check(_ member: DeclSyntax) -> Int {
    if let condition = member.as(IfConfigDeclSyntax.self) { return check(condition) }
    guard let variable = member.as(VariableDeclSyntax.self) else { return 0 }
    if let property = ModelProperty(variable) {
      if case .refused(let misuse) = property.role { return report(misuse, property) }
      if let notice = property.notice { _ = report(notice, property) }
      return 0
    }
    guard !variable.isStatic, !variable.hasAttribute("Transient") else { return 0 }
    context.report(.pattern, at: variable.bindings)
    return 1
  }

  private func check(_ condition: IfConfigDeclSyntax) -> Int {
    var count = 0
    for case .decls(let members) in condition.clauses.compactMap(\.elements) {
      for member in members {
        guard let variable = member.decl.as(VariableDeclSyntax.self),
          let property = ModelProperty(variable), property.role != .untouched
        else { continue }
        context.report(.conditional, at: variable)
        count += 1
      }
    }
    return count
  }

  private func report(_ misuse: Misuse, _ property: ModelProperty) -> Int {
    let variable = property.variable
    var place = Syntax(property.binding)
    var fixIts: [FixIt] = []
    switch misuse {
    case .constant, .unkeptConstant:
      let specifier = variable.bindingSpecifier
      let replacement = specifier.with(\.tokenKind, .keyword(.var))
      place = Syntax(specifier)
      fixIts = [.replacing(specifier, by: replacement, "replace 'let' with 'var'")]
    case .closure:
      place = property.binding.typeAnnotation.map { Syntax($0.type) } ?? place
      fixIts = [.markTransient(variable)]
    case .lazy, .weakReference:
      let keywords: [Keyword] = misuse == .lazy ? [.lazy] : [.weak, .unowned]
      place = variable.modifier(keywords).map { Syntax($0) } ?? place
      fixIts = [.markTransient(variable)]
    case .observers:
      place = property.binding.accessorBlock.map { Syntax($0) } ?? place
      fixIts = [.markTransient(variable)]
    case .severalNames:
      place = variable.bindings.dropFirst().first.map { Syntax($0) } ?? place
    default: break
    }
    context.report(misuse, at: place, fixIts: fixIts)
    return 1
  }

  /// Reports two relationships of one class that name each other.
  ///
  /// If they are in two classes, the compiler reports a circular reference, and no macro sees both.
  private func checkInverses() -> Int {
    var inverses: [String: String] = [:]
    var count = 0
    for property in model.properties {
      guard let inverse = property.inverse(in: model.name) else { continue }
      inverses[property.name] = inverse
      guard inverses[inverse] == property.name,
        let place = property.variable.attribute("Relationship")
      else { continue }
      context.report(.mutualInverse(property: property.name, other: inverse), at: place)
      count += 1
    }
    return count
  }

  /// Checks that the class declares an initializer; a class whose properties all have values gets
  /// `init()`.
  private func checkInitializer() -> Int {
    guard model.lacksInitializer else { return 0 }
    let open = model.properties.filter { !$0.hasValue }
    guard model.superclass != nil || !open.isEmpty else { return 0 }
    var fixIts: [FixIt] = []
    if model.superclass == nil, open.allSatisfy({ $0.type != nil }) {
      fixIts = [addInitializer(open)]
    }
    context.report(
      .noInitializer(className: model.name),
      at: model.declaration.name,
      fixIts: fixIts
    )
    return 1
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
  /// Replaces one node by another.
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
  /// Reports that `@Model` is attached to something other than a class.
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
