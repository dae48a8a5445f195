/// The values of a model, by key path.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel
  /// Creates the values of a new object from the defaults of the class.
  init(for modelClass: Model.Type)
  /// The identifier of the record; temporary until it is saved.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The state shared by the model, its context and its snapshots.
  var state: ModelState { get }
}

extension BackingData {
  /// The state.
  public var metadata: Any { state }
}

/// Backing data that is a model state.
public struct StateBackingData<Model: PersistentModel>: BackingData {
  /// The state.
  public let state: ModelState

  /// Creates backing data around a state.
  public init(_ state: ModelState) { self.state = state }

  /// Creates the values of a new object from the defaults of the class.
  public init(for modelClass: Model.Type) { state = ModelState(for: modelClass) }

  /// The identifier of the record; nil before insertion.
  public var persistentModelID: PersistentIdentifier? {
    get { state.owner == nil ? nil : state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }
}

extension PersistentModel {
  /// Creates the object for values that a context has.
  public init(backingData: any BackingData<Self>) {
    self.init(persistentState: backingData.state)
  }

  /// The values of the object.
  public var persistentBackingData: any BackingData<Self> {
    get { StateBackingData<Self>(persistentState) }
    set { persistentState = newValue.state }
  }

  /// Creates the values of a new object from the defaults of the class.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    StateBackingData<P>(for: P.self)
  }
}

extension BackingData {
  /// The slot of the property.
  ///
  /// - Precondition: The key path refers to a stored property of the model.
  fileprivate func slot(_ keyPath: AnyKeyPath) -> Int {
    guard let slot = state.description?.slot(ofInherited: keyPath) else {
      preconditionFailure("\(keyPath) is not a stored property of \(state.entity.name)")
    }
    return slot
  }

  /// The value of a property whose type has its own kind of value.
  public func getValue<V: AttributeValue>(forKey key: KeyPath<Model, V>) -> V {
    state.get(slot(key))
  }

  /// The value of any other property.
  @_disfavoredOverload
  public func getValue<V: Decodable>(forKey key: KeyPath<Model, V>) -> V { state.get(slot(key)) }

  /// The model that a property refers to.
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V>) -> V {
    state.get(slot(key))
  }

  /// The model that a property refers to; nil if there is none.
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>) -> V? {
    state.get(slot(key))
  }

  /// The models that a property refers to.
  public func getValue<V: RelationshipCollection>(forKey key: KeyPath<Model, V>) -> V {
    state.get(slot(key))
  }

  /// The value of a property that a transformer converts.
  public func getTransformableValue<V: Decodable>(forKey key: KeyPath<Model, V>) -> V {
    getValue(forKey: key)
  }

  /// Sets a property that a transformer converts.
  public func setTransformableValue<V: Encodable>(forKey key: KeyPath<Model, V>, to newValue: V) {
    // The kind of the type is only known at run time; it determines the setter.
    if let plain = newValue as? any AttributeValue {
      state.set(plain.attributeValue, at: slot(key))
    } else if let raw = (newValue as? any RawRepresentable)?.rawValue as? any AttributeValue {
      state.set(raw.attributeValue, at: slot(key))
    } else {
      setValue(forKey: key, to: newValue)
    }
  }

  /// Sets a property whose type has its own kind of value.
  public func setValue<V: AttributeValue>(forKey key: KeyPath<Model, V>, to newValue: V) {
    state.set(newValue.attributeValue, at: slot(key))
  }

  /// Sets any other property.
  @_disfavoredOverload
  public func setValue<V: Encodable>(forKey key: KeyPath<Model, V>, to newValue: V) {
    state.encode(newValue, at: slot(key))
  }

  /// Sets the model that a property refers to.
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>, to newValue: V?) {
    state.relate(slot(key), to: newValue.map { [$0] } ?? [], isNull: newValue == nil)
  }

  /// Sets the model that a property refers to.
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V>, to newValue: V) {
    state.relate(slot(key), to: [newValue], isNull: false)
  }

  /// Sets the models that a property refers to.
  public func setValue<V: RelationshipCollection>(forKey key: KeyPath<Model, V>, to newValue: V) {
    state.relate(slot(key), to: newValue.relatedModels, isNull: newValue.isMissing)
  }
}

extension PersistentModel {
  /// The value of a stored property.
  public func getValue<V: AttributeValue>(forKey key: KeyPath<Self, V>) -> V {
    StateBackingData<Self>(persistentState).getValue(forKey: key)
  }

  /// The value of a stored property.
  @_disfavoredOverload
  public func getValue<V: Decodable>(forKey key: KeyPath<Self, V>) -> V {
    StateBackingData<Self>(persistentState).getValue(forKey: key)
  }

  /// The model that a property refers to.
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Self, V>) -> V {
    StateBackingData<Self>(persistentState).getValue(forKey: key)
  }

  /// The model that a property refers to; nil if there is none.
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Self, V?>) -> V? {
    StateBackingData<Self>(persistentState).getValue(forKey: key)
  }

  /// The models that a property refers to.
  public func getValue<V: RelationshipCollection>(forKey key: KeyPath<Self, V>) -> V {
    StateBackingData<Self>(persistentState).getValue(forKey: key)
  }

  /// The value of a property that a transformer converts.
  public func getTransformableValue<V: Decodable>(forKey key: KeyPath<Self, V>) -> V {
    StateBackingData<Self>(persistentState).getValue(forKey: key)
  }

  /// Sets a stored property.
  public func setValue<V: AttributeValue>(forKey key: KeyPath<Self, V>, to newValue: V) {
    StateBackingData<Self>(persistentState).setValue(forKey: key, to: newValue)
  }

  /// Sets a stored property.
  @_disfavoredOverload
  public func setValue<V: Encodable>(forKey key: KeyPath<Self, V>, to newValue: V) {
    StateBackingData<Self>(persistentState).setValue(forKey: key, to: newValue)
  }

  /// Sets the model that a property refers to.
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Self, V>, to newValue: V) {
    StateBackingData<Self>(persistentState).setValue(forKey: key, to: newValue)
  }

  /// Sets the model that a property refers to.
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Self, V?>, to newValue: V?) {
    StateBackingData<Self>(persistentState).setValue(forKey: key, to: newValue)
  }

  /// Sets the models that a property refers to.
  public func setValue<V: RelationshipCollection>(forKey key: KeyPath<Self, V>, to newValue: V) {
    StateBackingData<Self>(persistentState).setValue(forKey: key, to: newValue)
  }

  /// Sets a property that a transformer converts.
  public func setTransformableValue<V: Encodable>(forKey key: KeyPath<Self, V>, to newValue: V) {
    StateBackingData<Self>(persistentState).setValue(forKey: key, to: newValue)
  }
}
