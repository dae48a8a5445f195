extension Schema {
  /// Creates the schema of model classes and of all that they refer to.
  ///
  /// Subclasses are not found automatically: list them with their superclass.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0))
  {
    var descriptions: [ModelDescription] = []
    var waiting = types[...]
    var seen: Set<ObjectIdentifier> = []
    while let type = waiting.popFirst() {
      guard seen.insert(ObjectIdentifier(type)).inserted,
        let description = ModelDescription.of(type)
      else { continue }
      descriptions.append(description)
      waiting += description.destinations
    }
    self.init(descriptions.map { $0.schemaEntity() }, version: version)
  }

  /// Creates the schema of model classes and of all that they refer to.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0))
  {
    self.init(types, version: version)
  }

  /// Creates the schema of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// The entity of a model class; nil if the schema does not contain it.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }

  /// The name of the entity of a model class: the name of the class without enclosing types.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String { type.entityName }
}
