/// Typed access by slot, used by the code of the macro `@Model`.
extension ModelState {
  // MARK: Reading

  /// The value of a property whose type has its own kind of value.
  @inlinable
  public func get<V: AttributeValue>(_ slot: Int) -> V {
    V(value(at: slot)) ?? V.placeholder
  }

  /// One value, without a reference to all of them, which other modules would count.
  @usableFromInline
  package func value(at slot: Int) -> Value { orderedValues[slot] }

  /// The value of an enum with raw values.
  public func get<V: RawRepresentable & Codable>(_ slot: Int) -> V
  where V.RawValue: AttributeValue {
    if let raw = V.RawValue(orderedValues[slot]), let value = V(rawValue: raw) { return value }
    return fallback(slot)
  }

  /// The value of an optional enum with raw values.
  public func get<V: RawRepresentable & Codable>(_ slot: Int) -> V?
  where V.RawValue: AttributeValue {
    V.RawValue(orderedValues[slot]).flatMap { V(rawValue: $0) }
  }

  /// The value of any other property.
  @_disfavoredOverload
  public func get<V: Decodable>(_ slot: Int) -> V {
    if let known = decoded[slot], let typed = known as? V { return typed }
    do {
      let value: V = try Self.decode(orderedValues[slot])
      setDecoded(value, at: slot)
      return value
    } catch {
      // Values are checked when a record is read; only a type that cannot be decoded gets here.
      return fallback(slot)
    }
  }

  /// The model that a property refers to.
  ///
  /// If there is none, returns a placeholder whose `isDeleted` is true.
  public func get<V: PersistentModel>(_ slot: Int) -> V {
    (related(slot).first as? V) ?? Self.missingModel(of: V.self)
  }

  /// The model that a property refers to; nil when there is none.
  public func get<V: PersistentModel>(_ slot: Int) -> V? { related(slot).first as? V }

  /// The models that a property refers to.
  public func get<V: RelationshipCollection>(_ slot: Int) -> V {
    if orderedValues[slot].isNull, let missing = V.missing { return missing }
    return V(relatedModels: related(slot).compactMap { $0 as? V.PersistentElement })
  }

  static func missingModel<V: PersistentModel>(of type: V.Type) -> V {
    let state = ModelState(for: type)
    state.isDeleted = true
    return V(persistentState: state)
  }

  private static func decode<V: Decodable>(_ value: Value) throws -> V {
    switch value {
    case .json(let text): try CodableJSON.value(of: text, as: V.self)
    case .null: try CodableJSON.value(of: "null", as: V.self)
    default: try CodableJSON.value(of: CodableJSON.text(of: UntypedValue(value)), as: V.self)
    }
  }

  /// The result if the stored value is not of the type: the default, or the simplest value of the type.
  private func fallback<V: Decodable>(_ slot: Int) -> V {
    let candidates =
      [description?.defaultValues[slot] ?? .null]
      + ["null", "{}", "[]", "\"\"", "0", "false"].map { Value.json($0) }
    for candidate in candidates {
      if let value: V = try? Self.decode(candidate) { return value }
    }
    preconditionFailure(
      "\(entity.name).\(entity.fields[slot].name) holds \(orderedValues[slot].text), which is not a \(V.self)"
    )
  }

  // MARK: Initial values

  /// Sets the initial value of a property.
  @inlinable
  public func initialize<V: AttributeValue>(_ slot: Int, _ value: V) {
    start(slot, with: value.attributeValue)
  }

  @usableFromInline
  func start(_ slot: Int, with value: Value) { orderedValues[slot] = value }

  /// Sets the initial value of a property.
  public func initialize<V: RawRepresentable & Codable>(_ slot: Int, _ value: V)
  where V.RawValue: AttributeValue {
    orderedValues[slot] = value.rawValue.attributeValue
  }

  /// Sets the initial value of a property.
  public func initialize<V: RawRepresentable & Codable>(_ slot: Int, _ value: V?)
  where V.RawValue: AttributeValue {
    orderedValues[slot] = value?.rawValue.attributeValue ?? .null
  }

  /// Sets the initial value of a property.
  @_disfavoredOverload
  public func initialize<V: Encodable>(_ slot: Int, _ value: V) { encode(value, at: slot) }

  /// Sets the initial value of a property.
  public func initialize<V: PersistentModel>(_ slot: Int, _ value: V) { start(slot, [value]) }

  /// Sets the initial value of a property.
  public func initialize<V: PersistentModel>(_ slot: Int, _ value: V?) {
    if let value { start(slot, [value]) }
  }

  /// Sets the initial value of a property.
  public func initialize<V: RelationshipCollection>(_ slot: Int, _ value: V) {
    if value.isMissing {
      orderedValues[slot] = .null
    } else {
      start(slot, value.relatedModels)
    }
  }

  // MARK: Writing

  /// Sets a property whose type has its own kind of value.
  public func set<V: AttributeValue, M: PersistentModel>(_ slot: Int, _ value: V, of model: M) {
    set(value.attributeValue, at: slot)
  }

  /// Sets an enum with raw values.
  public func set<V: RawRepresentable & Codable, M: PersistentModel>(
    _ slot: Int,
    _ value: V,
    of model: M
  ) where V.RawValue: AttributeValue {
    set(value.rawValue.attributeValue, at: slot)
  }

  /// Sets an optional enum with raw values.
  public func set<V: RawRepresentable & Codable, M: PersistentModel>(
    _ slot: Int,
    _ value: V?,
    of model: M
  ) where V.RawValue: AttributeValue {
    set(value?.rawValue.attributeValue ?? .null, at: slot)
  }

  /// Sets any other property.
  @_disfavoredOverload
  public func set<V: Encodable, M: PersistentModel>(_ slot: Int, _ value: V, of model: M) {
    encode(value, at: slot)
  }

  /// Sets the model that a property refers to.
  public func set<V: PersistentModel, M: PersistentModel>(_ slot: Int, _ value: V, of model: M) {
    model.describedState().relate(slot, to: [value], isNull: false)
  }

  /// Sets the model that a property refers to.
  public func set<V: PersistentModel, M: PersistentModel>(_ slot: Int, _ value: V?, of model: M) {
    model.describedState().relate(slot, to: value.map { [$0] } ?? [], isNull: value == nil)
  }

  /// Sets the models that a property refers to.
  public func set<V: RelationshipCollection, M: PersistentModel>(
    _ slot: Int,
    _ value: V,
    of model: M
  ) {
    model.describedState().relate(slot, to: value.relatedModels, isNull: value.isMissing)
  }

  /// Stores a value in its JSON form and as a Swift value.
  func encode<V: Encodable>(_ value: V, at slot: Int) {
    do {
      let text = try CodableJSON.text(of: value)
      set(text == "null" ? .null : .json(text), at: slot)
      setDecoded(value, at: slot)
      if !problems.isEmpty { problems[slot] = nil }
    } catch {
      problems[slot] = PersistenceError(
        .invalidValue,
        "\(entity.name).\(entity.fields[slot].name): cannot be stored: \(error)",
        cause: error
      )
      owner?.noteProblem(of: self)
    }
  }
}

extension PersistentModel {
  /// The state, with this object attached.
  func describedState() -> ModelState {
    let state = persistentState
    state.attach(self)
    return state
  }
}

extension RelationshipCollection {
  /// True for an optional collection that is nil.
  var isMissing: Bool { (self as? any OptionalType).map { $0.wrappedValue == nil } ?? false }

  /// Nil, if the collection is optional.
  static var missing: Self? { (Self.self as? any OptionalType.Type)?.missingValue as? Self }
}
