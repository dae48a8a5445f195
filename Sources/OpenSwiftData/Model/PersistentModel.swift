public import Observation

/// A class whose instances are records of a store.
///
/// Instances belong to one context and to the thread of that context; they are never `Sendable`.
/// Identity: within a context there is one object for each identifier.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// Creates the object for values that a context has.
  init(backingData: any BackingData<Self>)
  /// The values of the object.
  var persistentBackingData: any BackingData<Self> { get set }
}

/// The values behind a model.
public protocol BackingData<Model> {
  /// The class whose values they are.
  associatedtype Model: PersistentModel
  /// Which record it is; temporary until it is saved.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The state shared by the model, its context and its snapshots.
  var state: ModelState { get }
}

extension PersistentModel {
  /// Which record it is: temporary until saved, then permanent.
  public var persistentModelID: PersistentIdentifier { persistentBackingData.state.identifier }
  /// Which record it is.
  public var id: PersistentIdentifier { persistentModelID }
  /// The context it belongs to; nil before insertion and after the context is gone.
  public var modelContext: ModelContext? { persistentBackingData.state.context }
  /// True when it differs from what the store has.
  public var hasChanges: Bool { persistentBackingData.state.isDirty }
  /// True when it will be gone at the next save, or is gone.
  public var isDeleted: Bool { persistentBackingData.state.isDeleted }

  /// Same record; objects that belong to no context are equal only to themselves.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs === rhs || (lhs.modelContext != nil && lhs.persistentModelID == rhs.persistentModelID)
  }

  /// Feeds the entity, which does not change when the record gets its permanent identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(persistentBackingData.state.entity.name)
  }
}
