import Synchronization

/// The description of a model class: its entity, the slots of its properties and its inverses.
///
/// Created once for each class on first use; can be shared between threads.
public final class ModelDescription: EntityClass, @unchecked Sendable {
  // Unchecked because key paths and metatypes are immutable, but are not declared Sendable.

  /// The class.
  public let type: any PersistentModel.Type
  /// The entity of the class, in no schema yet.
  public let entity: Schema.Entity
  /// The slots of properties by their key paths in this class.
  let slots: [AnyKeyPath: Int]
  /// The key paths by slot.
  let keyPaths: [AnyKeyPath]
  /// The key paths by slot, each in the class that declares the property, as observers use them.
  let observedKeyPaths: [AnyKeyPath]
  /// The kind of each property.
  let kinds: [PropertyKind]
  let defaultValues: [Value]
  /// The slots of properties that are saved as JSON.
  let encodedSlots: [Int]
  /// The slots of relationships.
  let relationshipSlots: [Int]
  /// The slots of properties that can hold values that no store can save.
  let checkedSlots: [Int]
  let temporaryScope: IdentifierScope
  /// The slots of the inverse relationships, by slot; computed on first use.
  private let inverses = Mutex<[Int?]?>(nil)

  private static let known = Mutex<[ObjectIdentifier: ModelDescription]>([:])

  /// The description of a class.
  ///
  /// - Complexity: O(1) after the first call for the class.
  public static func of<T: PersistentModel>(_ type: T.Type) -> ModelDescription {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    // Created without the lock, because the metadata may refer to other classes.
    let made = ModelDescription(type)
    return known.withLock { table in
      let first = table[key] ?? made
      table[key] = first
      return first
    }
  }

  /// The description of a class known at run time; nil for nil and for `Record`.
  static func of(_ type: (any PersistentModel.Type)?) -> ModelDescription? {
    guard let type, type != Record.self else { return nil }
    return of(type) as ModelDescription
  }

  private init<T: PersistentModel>(_ type: T.Type) {
    self.type = type
    let metadata = type.schemaMetadata
    let properties = metadata.filter { !$0.isConstraint }
    keyPaths = properties.map(\.keypath)
    kinds = properties.map(\.kind)
    slots = Dictionary(
      keyPaths.enumerated().map { ($0.element, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    let fields = zip(properties, kinds).map { $0.field($1) }
    defaultValues = fields.map(\.defaultValue)
    encodedSlots = fields.indices.filter { fields[$0].type == .json }
    relationshipSlots = fields.indices.filter { fields[$0].type.destination != nil }
    checkedSlots = fields.indices.filter { !fields[$0].isOptional || fields[$0].type.isLimited }
    let names = Dictionary(
      properties.map { ($0.keypath, $0.name) },
      uniquingKeysWith: { first, _ in first }
    )
    let superclass = T.superentityType
    let inherited = ModelDescription.of(superclass)?.observedKeyPaths ?? []
    observedKeyPaths = inherited + keyPaths.dropFirst(inherited.count)
    entity = Schema.Entity(
      name: type.entityName,
      fields: fields,
      relationships: fields.compactMap(\.relationship),
      uniquenessConstraints: metadata.constraints(names),
      indices: metadata.indices(names),
      superentityName: superclass?.entityName
    )
    temporaryScope = IdentifierScope(store: nil, entity: type.entityName)
    entity.modelClass = self
  }

  /// The slot of the property; nil if the key path does not refer to a stored property.
  public func slot(of keyPath: AnyKeyPath) -> Int? { slots[keyPath] }

  /// The classes that relationships refer to, and the superclass.
  var destinations: [any PersistentModel.Type] {
    let superclass = superclassModel(of: type).map { [$0] } ?? []
    return superclass
      + kinds.compactMap { kind in
        switch kind {
        case .attribute: nil
        case .toOne(let type, _), .toMany(let type, _): type
        }
      }
  }

  /// The entity as part of a schema, with the names of inverses.
  func schemaEntity() -> Schema.Entity {
    let relationships = relationshipSlots.compactMap { slot -> Schema.Relationship? in
      guard let relationship = entity.fields[slot].relationship else { return nil }
      let inverse = inverseSlot(of: slot).flatMap { inverse in
        destination(of: slot)?.entity.fields[inverse].name
      }
      return relationship.with(inverseName: inverse)
    }
    return Schema.Entity(
      name: entity.name,
      fields: entity.fields,
      relationships: relationships,
      uniquenessConstraints: Array(zip(entity.declaredConstraints, entity.constraintPolicies)).map {
        (names: $0.0, policy: $0.1)
      },
      indices: entity.indices,
      modelClass: self,
      superentityName: entity.superentityName,
      layout: entity.layout
    )
  }

  // MARK: Inverses

  /// The description of the class that the relationship refers to.
  func destination(of slot: Int) -> ModelDescription? {
    switch kinds[slot] {
    case .attribute: nil
    case .toOne(let type, _), .toMany(let type, _): Self.of(type) as ModelDescription?
    }
  }

  /// The slot of the inverse relationship in the destination; nil if there is none.
  ///
  /// The inverse is declared on either side, or else is the only relationship back without another inverse.
  /// Between two to-many relationships it must be declared.
  func inverseSlot(of slot: Int) -> Int? {
    if let known = inverses.withLock({ $0 }) { return known[slot] }
    let found = kinds.indices.map { findInverse(of: $0) }
    inverses.withLock { $0 = found }
    return found[slot]
  }

  /// The slots of relationships without an inverse.
  var loneSlots: [Int] { relationshipSlots.filter { inverseSlot(of: $0) == nil } }

  private func findInverse(of slot: Int) -> Int? {
    guard let destination = destination(of: slot) else { return nil }
    if let named = entity.fields[slot].relationship?.inverseKeyPath {
      return destination.slot(ofInherited: named)
    }
    let back = destination.relationshipSlots.filter { other in
      guard let type = destination.destination(of: other)?.type else { return false }
      return isSame(type) && !(destination === self && other == slot)
    }
    let naming = back.filter { other in
      guard let named = destination.entity.fields[other].relationship?.inverseKeyPath else {
        return false
      }
      return self.slot(ofInherited: named) == slot
    }
    if let first = naming.first { return first }
    let open = back.filter { destination.entity.fields[$0].relationship?.inverseKeyPath == nil }
    let rivals = relationshipSlots.filter { other in
      guard let type = self.destination(of: other)?.type else { return false }
      return ObjectIdentifier(type) == ObjectIdentifier(destination.type)
        && entity.fields[other].relationship?.inverseKeyPath == nil
        && !(destination === self && open.contains(other))
    }
    guard open.count == 1, rivals.count <= 1 else { return nil }
    if case .toMany = kinds[slot], case .toMany = destination.kinds[open[0]] { return nil }
    return open[0]
  }

  private func isSame(_ other: any PersistentModel.Type) -> Bool {
    ObjectIdentifier(other) == ObjectIdentifier(type)
      || superclasses.contains { ObjectIdentifier($0) == ObjectIdentifier(other) }
  }

  private var superclasses: [any PersistentModel.Type] {
    Array(sequence(first: type, next: superclassModel(of:)).dropFirst())
  }

  /// The slot of a property by its key path in this class or a superclass.
  func slot(ofInherited keyPath: AnyKeyPath) -> Int? {
    if let slot = slots[keyPath] { return slot }
    for superclass in superclasses {
      if let slot = Self.of(superclass)?.slots[keyPath] { return slot }
    }
    return nil
  }

  /// Checks that inverses refer back.
  func validate(in schema: Schema) throws {
    for slot in relationshipSlots {
      guard let named = entity.fields[slot].relationship?.inverseKeyPath,
        let destination = destination(of: slot)
      else { continue }
      let name = "\(entity.name).\(entity.fields[slot].name)"
      guard let inverse = destination.slot(ofInherited: named),
        destination.relationshipSlots.contains(inverse)
      else {
        throw PersistenceError(
          .invalidSchema,
          "\(name): inverse is not a relationship of \(destination.entity.name)"
        )
      }
      let back = destination.entity.fields[inverse]
      if let rival = rival(of: slot, for: inverse) {
        throw PersistenceError(
          .invalidSchema,
          "\(destination.entity.name).\(back.name): is the inverse of both \(name) and \(entity.name).\(rival)"
        )
      }
      if let other = back.relationship?.inverseKeyPath, self.slot(ofInherited: other) != slot {
        throw PersistenceError(
          .invalidSchema,
          "\(destination.entity.name).\(back.name): is the inverse of \(name), but has a different inverse"
        )
      }
      guard let owner = destination.destination(of: inverse), isSame(owner.type) else {
        throw PersistenceError(
          .invalidSchema,
          "\(destination.entity.name).\(back.name): is the inverse of \(name), but does not point to \(entity.name)"
        )
      }
    }
  }
}

extension ModelDescription {
  /// The name of another relationship that declares the same inverse.
  fileprivate func rival(of slot: Int, for inverse: Int) -> String? {
    let other = relationshipSlots.first { other in
      guard other != slot, destination(of: other) === destination(of: slot),
        let named = entity.fields[other].relationship?.inverseKeyPath
      else { return false }
      return destination(of: other)?.slot(ofInherited: named) == inverse
    }
    return other.map { entity.fields[$0].name }
  }
}

extension Schema.Entity {
  /// The description of the model class; nil for records without a Swift type.
  var modelDescription: ModelDescription? { modelClass as? ModelDescription }

  /// The model class; nil for records without a Swift type.
  public var modelType: (any PersistentModel.Type)? { modelDescription?.type }
}

/// The model superclass of a model class; nil if there is none.
func superclassModel(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
  _getSuperclass(type) as? any PersistentModel.Type
}

extension PersistentModel {
  static var superentityType: (any PersistentModel.Type)? { superclassModel(of: Self.self) }
}

extension Schema.PropertyMetadata {
  /// True for the entries of `#Unique` and `#Index`.
  var isConstraint: Bool { constraint != nil || index != nil }

  var constraint: (any UniqueConstraint)? {
    (defaultValue as? any UniqueConstraint) ?? (metadata as? any UniqueConstraint)
  }

  var index: (any IndexDeclaration)? {
    (defaultValue as? any IndexDeclaration) ?? (metadata as? any IndexDeclaration)
  }

  var valueType: any Any.Type { Swift.type(of: keypath).valueType }

  var kind: PropertyKind { PropertyKind(of: valueType) }

  /// The field that stores the property.
  func field(_ kind: PropertyKind) -> Schema.Attribute {
    switch kind {
    case .attribute(let type, let isOptional):
      let declared = metadata as? Schema.Attribute
      return Schema.Attribute(
        named: name,
        type,
        isOptional: isOptional,
        options: declared?.options ?? [],
        defaultValue: Value(converting: defaultValue),
        declaredDefault: defaultValue,
        originalName: declared.flatMap { $0.originalName.isEmpty ? nil : $0.originalName },
        hashModifier: declared?.hashModifier,
        valueType: valueType
      )
    case .toOne(let type, let isOptional):
      return relationship(to: type, isToOne: true, isOptional: isOptional).field
    case .toMany(let type, let isOptional):
      return relationship(to: type, isToOne: false, isOptional: isOptional).field
    }
  }

  private func relationship(
    to type: any PersistentModel.Type,
    isToOne: Bool,
    isOptional: Bool
  ) -> Schema.Relationship {
    let declared = metadata as? Schema.Relationship
    return Schema.Relationship(
      name: name,
      originalName: declared.flatMap { $0.originalName.isEmpty ? nil : $0.originalName },
      options: declared?.options ?? [],
      keypath: keypath,
      valueType: valueType,
      destination: type.entityName,
      deleteRule: declared?.deleteRule ?? .nullify,
      inverseName: nil,
      inverseKeyPath: declared?.inverseKeyPath,
      minimumModelCount: declared?.minimumModelCount ?? 0,
      maximumModelCount: declared?.maximumModelCount ?? 0,
      hashModifier: declared?.hashModifier,
      isToOne: isToOne,
      isOptional: isOptional
    )
  }
}

extension [Schema.PropertyMetadata] {
  fileprivate func constraints(_ names: [AnyKeyPath: String]) -> [(
    names: [String], policy: Schema.UniquePolicy
  )] {
    compactMap(\.constraint).flatMap { constraint in
      constraint.keyPaths.map { keyPaths in
        (names: keyPaths.compactMap { names[$0] }, policy: constraint.policy)
      }
    }
  }

  fileprivate func indices(_ names: [AnyKeyPath: String]) -> [[String]] {
    compactMap(\.index).flatMap { index in
      index.keyPaths.map { $0.compactMap { names[$0] } }
    }
  }
}
