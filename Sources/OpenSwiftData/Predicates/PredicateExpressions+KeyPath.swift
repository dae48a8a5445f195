import Foundation

extension PredicateExpressions.KeyPath: FilterLowerable {
  func lowered(in scope: PredicateScope) -> PredicateTerm {
    let root = root.term(in: scope)
    if root.isConstant { return constantTerm(in: scope) }
    return root.flatMap { leaf in
      switch leaf {
      case .model: property(in: scope)
      case .attribute(let attribute): part(of: attribute)
      case .constant(let value):
        (value as? Root.Output).map { PredicateTerm(constant: $0[keyPath: keyPath]) } ?? .unknown
      default: .unknown
      }
    }
  }

  /// The term for a property of the record itself.
  private func property(in scope: PredicateScope) -> PredicateTerm {
    if PredicateKeyPath.isIdentifier(keyPath, of: Root.Output.self) {
      return PredicateTerm(.identifier)
    }
    guard let property = scope.property(keyPath),
      !PredicateConstant.isDoublyOptional(Output.self)
    else { return .unknown }
    return PredicateTerm(
      .attribute(
        PredicateAttribute(
          name: property.name,
          type: property.type,
          isOptional: property.isOptional && Output.self is any OptionalType.Type,
          valueType: PredicateConstant.unwrapped(Output.self)
        )
      )
    )
  }

  /// The term for a property of an attribute's value.
  private func part(of attribute: PredicateAttribute) -> PredicateTerm {
    switch kind {
    case .collectionIsEmpty: return PredicateTerm(attribute.isEmpty)
    case .collectionCount: return PredicateTerm(.count(attribute))
    default: break
    }
    let isKept =
      switch attribute.type {
      case .link: PredicateKeyPath.isIdentifier(keyPath, of: Root.Output.self)
      default: PredicateKeyPath.isRawValue(keyPath, of: Root.Output.self)
      }
    guard isKept else { return related(by: attribute) }
    return PredicateTerm(
      .attribute(
        PredicateAttribute(
          name: attribute.name,
          type: attribute.type,
          isOptional: attribute.isOptional,
          valueType: Output.self
        )
      )
    )
  }
}

extension PredicateExpressions.KeyPath {
  /// The term for a property of the record that a link refers to.
  fileprivate func related(by link: PredicateAttribute) -> PredicateTerm {
    guard let destination = link.type.destination, case .link = link.type,
      let model = Root.Output.self as? any PersistentModel.Type,
      let field = Self.field(keyPath, of: model), field.type.destination == nil,
      !PredicateConstant.isDoublyOptional(Output.self)
    else { return .unknown }
    return PredicateTerm(
      .related(
        RelatedAttribute(
          link: link,
          attribute: PredicateAttribute(
            name: field.name,
            type: field.type,
            isOptional: field.isOptional && Output.self is any OptionalType.Type,
            valueType: PredicateConstant.unwrapped(Output.self)
          ),
          destination: destination
        )
      )
    )
  }

  /// The field of a key path of a model class.
  private static func field<T: PersistentModel>(_ keyPath: AnyKeyPath, of type: T.Type)
    -> Schema.Attribute?
  {
    let description: ModelDescription = .of(type)
    return description.slot(of: keyPath).map { description.entity.fields[$0] }
  }
}

/// Key paths that stores can evaluate for any root type.
enum PredicateKeyPath {
  /// True for the identifier of a model.
  static func isIdentifier<V>(_ keyPath: AnyKeyPath, of type: V.Type) -> Bool {
    (type as? any PersistentModel.Type)?.identifierKeyPaths.contains(keyPath) ?? false
  }

  /// True for the raw value of an enum.
  ///
  /// The key path is not that of the protocol, so every case is checked.
  static func isRawValue<V>(_ keyPath: AnyKeyPath, of type: V.Type) -> Bool {
    guard let type = type as? any (RawRepresentable & CaseIterable).Type else { return false }
    return isRawValue(keyPath, ofEnum: type)
  }

  private static func isRawValue<E: RawRepresentable & CaseIterable>(
    _ keyPath: AnyKeyPath,
    ofEnum type: E.Type
  ) -> Bool {
    guard let path = keyPath as? KeyPath<E, E.RawValue> else { return false }
    return E.allCases.allSatisfy {
      let value = PredicateConstant.value(of: $0[keyPath: path])
      return value != nil && value == PredicateConstant.value(of: $0.rawValue)
    }
  }
}

extension PersistentModel {
  /// The key paths of the identifier; a class may have its own `id`.
  fileprivate static var identifierKeyPaths: [AnyKeyPath] {
    [\Self.persistentModelID, \Self.id as KeyPath<Self, PersistentIdentifier>]
  }
}
