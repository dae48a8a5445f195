extension Schema.Attribute {
  /// Creates an attribute for a Swift type.
  ///
  /// The Swift type determines the type of field: text, numbers, dates and similar types have their own,
  /// enums with raw values use that of the raw value, and all other types are JSON.
  public convenience init(
    name: String,
    originalName: String? = nil,
    options: [Option] = [],
    valueType: any Any.Type,
    defaultValue: Any? = nil,
    hashModifier: String? = nil
  ) {
    let kind = PropertyKind(of: valueType)
    self.init(
      named: name,
      kind.attributeType,
      isOptional: kind.isOptional,
      options: options,
      defaultValue: Value(converting: defaultValue),
      declaredDefault: defaultValue,
      originalName: originalName,
      hashModifier: hashModifier,
      valueType: valueType
    )
  }
}

extension Schema.Relationship {
  /// Creates a relationship of a schema without model types.
  public convenience init(
    name: String,
    originalName: String? = nil,
    options: [Option] = [],
    valueType: any Any.Type,
    destination: String,
    inverseName: String? = nil,
    inverseKeyPath: AnyKeyPath? = nil,
    deleteRule: DeleteRule = .nullify,
    minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0,
    hashModifier: String? = nil
  ) {
    let kind = PropertyKind(of: valueType)
    self.init(
      name: name,
      originalName: originalName,
      options: options,
      keypath: nil,
      valueType: valueType,
      destination: destination,
      deleteRule: deleteRule,
      inverseName: inverseName,
      inverseKeyPath: inverseKeyPath,
      minimumModelCount: minimumModelCount,
      maximumModelCount: maximumModelCount,
      hashModifier: hashModifier,
      isToOne: kind.isToOne,
      isOptional: kind.isOptional
    )
  }
}
