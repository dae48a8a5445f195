/// What the compiler says about a property that no store can keep.
///
/// Without these functions it names a protocol that the author of the model does not know.
extension ModelState {
  /// Refused: the type of the property is not `Codable`.
  @_disfavoredOverload
  @available(
    *,
    unavailable,
    message: "make the type of the property Codable, or mark the property @Transient"
  )
  public func get<V>(_ slot: Int) -> V { preconditionFailure("unavailable") }

  /// Refused: the type of the property is not `Codable`.
  @_disfavoredOverload
  @available(
    *,
    unavailable,
    message: "make the type of the property Codable, or mark the property @Transient"
  )
  public func initialize<V>(_ slot: Int, _ value: V) {}

  /// Refused: the type of the property is not `Codable`.
  @_disfavoredOverload
  @available(
    *,
    unavailable,
    message: "make the type of the property Codable, or mark the property @Transient"
  )
  public func set<V, M: PersistentModel>(_ slot: Int, _ value: V, of model: M) {}

  /// Refused: models have an order in a relationship.
  @available(
    *,
    unavailable,
    message: "declare the relationship as an array of models, not as a set"
  )
  public func get<E: PersistentModel>(_ slot: Int) -> Set<E> { [] }

  /// Refused: models have an order in a relationship.
  @available(
    *,
    unavailable,
    message: "declare the relationship as an array of models, not as a set"
  )
  public func initialize<E: PersistentModel>(_ slot: Int, _ value: Set<E>) {}

  /// Refused: models have an order in a relationship.
  @available(
    *,
    unavailable,
    message: "declare the relationship as an array of models, not as a set"
  )
  public func set<E: PersistentModel, M: PersistentModel>(
    _ slot: Int,
    _ value: Set<E>,
    of model: M
  ) {}
}
