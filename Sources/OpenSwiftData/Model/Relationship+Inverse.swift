/// Functions around the inverse of a declaration, which `@Model` adds so that the compiler checks it.
extension Schema.Relationship {
  /// The inverse that a declaration names; the compiler refuses an attribute.
  public static func _inverse<Model: PersistentModel, Other: PersistentModel>(
    _ keyPath: KeyPath<Model, Other>
  ) -> AnyKeyPath { keyPath }

  /// The inverse that a declaration names; the compiler refuses an attribute.
  public static func _inverse<Model: PersistentModel, Other: PersistentModel>(
    _ keyPath: KeyPath<Model, Other?>
  ) -> AnyKeyPath { keyPath }

  /// The inverse that a declaration names; the compiler refuses an attribute.
  public static func _inverse<Model: PersistentModel, Others: RelationshipCollection>(
    _ keyPath: KeyPath<Model, Others>
  ) -> AnyKeyPath { keyPath }

  /// Refused: the property is an attribute.
  @_disfavoredOverload
  @available(*, unavailable, message: "the inverse is an attribute; name a relationship")
  public static func _inverse<Model, Value>(_ keyPath: KeyPath<Model, Value>) -> AnyKeyPath {
    keyPath
  }
}
