import Foundation

extension ModelContext {
  /// The model with a value of a unique attribute, or a new one.
  ///
  /// ```swift
  /// let tag = try context.fetchOrInsert(\Tag.name, "fiction") { Tag(name: "fiction") }
  /// ```
  ///
  /// Unsaved models are found as well. If another program inserts the same value before this context saves, the save
  /// treats both as one record, as for any unique attribute.
  ///
  /// - Parameters:
  ///   - key: An attribute with `@Attribute(.unique)`, or alone in a `#Unique`.
  ///   - value: The value.
  ///   - make: Creates the model if there is none; it must have the value.
  /// - Returns: The model, which is inserted in this context.
  /// - Throws: The error of the store; the error of the closure; `PersistenceError` with code `.invalidSchema` if the
  ///   attribute is not unique, `.invalidValue` if the new model has another value.
  /// - Complexity: That of fetching one model by the value.
  public func fetchOrInsert<Model: PersistentModel, Key: Codable & Equatable & Sendable>(
    _ key: any KeyPath<Model, Key> & Sendable,
    _ value: Key,
    orInsert make: () throws -> Model
  ) throws -> Model {
    let entity = try schema.entity(named: Model.entityName)
    let description: ModelDescription = .of(Model.self)
    guard let slot = description.slot(ofInherited: key),
      entity.uniquenessConstraints.contains([entity.fields[slot].name])
    else {
      throw PersistenceError(
        .invalidSchema,
        "\(entity.name): fetchOrInsert needs a unique attribute; declare it with @Attribute(.unique)"
      )
    }
    var descriptor = FetchDescriptor(
      predicate: Predicate<Model> { model in
        PredicateExpressions.build_Equal(
          lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: key),
          rhs: PredicateExpressions.build_Arg(value)
        )
      }
    )
    descriptor.fetchLimit = 1
    if let found = try fetch(descriptor).first { return found }
    let new = try make()
    guard new[keyPath: key] == value else {
      throw PersistenceError(
        .invalidValue,
        "\(entity.name).\(entity.fields[slot].name): the new model must have the value \(value), "
          + "not \(new[keyPath: key])"
      )
    }
    insert(new)
    return new
  }
}
