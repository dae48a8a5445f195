/// The values of one model, where the model, its context and its snapshots meet.
///
/// Confined to the thread of its context, like the model.
public final class ModelState {
  /// The entity of the model.
  public internal(set) var entity: Schema.Entity
  /// Which record it is.
  public internal(set) var identifier: PersistentIdentifier
  /// The values in the order of the entity's layout; written through `set(_:at:)`.
  public internal(set) var orderedValues: [Value]
  /// The context, as long as it lives.
  public internal(set) weak var context: ModelContext?

  /// True when the context will save something about it.
  var isDirty = false
  /// True when it will be gone at the next save, or is gone.
  var isDeleted = false
  /// The object whose values these are, as long as somebody holds it.
  weak var model: (any PersistentModel)?

  /// Creates the state of a model that is in no context yet, with the defaults of its entity.
  public init(entity: Schema.Entity) {
    self.entity = entity
    identifier = IdentifierScope(store: nil, entity: entity.name)
      .temporaryIdentifier(0, context: 0)
    orderedValues = entity.defaultValues
  }

  init(entity: Schema.Entity, snapshot: DefaultSnapshot) {
    self.entity = entity
    identifier = snapshot.persistentIdentifier
    orderedValues = snapshot.orderedValues
  }

  /// The identifier and the values as they are now.
  public var snapshot: DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: entity.layout,
      orderedValues: orderedValues
    )
  }

  /// Sets a value and tells the context.
  ///
  /// Not checked here: types are the caller's, rules are checked at save.
  public func set(_ value: Value, at slot: Int) {
    let old = orderedValues[slot]
    guard old != value else { return }
    if let context {
      context.setValue(value, at: slot, of: self)
    } else {
      orderedValues[slot] = value
    }
  }
}

/// Backing data that is a model state.
public struct StateBackingData<Model: PersistentModel>: BackingData {
  /// The state.
  public let state: ModelState

  /// Creates backing data around a state.
  public init(_ state: ModelState) { self.state = state }

  /// Which record it is; nil before insertion.
  public var persistentModelID: PersistentIdentifier? {
    get { state.context == nil ? nil : state.identifier }
    set { if let newValue { state.identifier = newValue } }
  }
}
