public import Observation

/// A class whose instances are records of a store.
///
/// Instances belong to one context and to the thread of that context; they are never `Sendable`.
/// Identity: within a context there is one object for each identifier. The macro `@Model` writes the
/// requirements.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class at the root of a hierarchy of models.
  associatedtype Root: PersistentModel = Self
  /// Creates the object for values that a context has.
  init(persistentState: ModelState)
  /// The values of the object, where it meets its context.
  var persistentState: ModelState { get set }
  /// The stored properties in order, with key paths of the class that is asked.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
  /// Which record it is: temporary until saved, then permanent.
  public var persistentModelID: PersistentIdentifier { persistentState.identifier }

  /// Which record it is.
  public var id: PersistentIdentifier { persistentModelID }

  /// True when it differs from what the store has.
  public var hasChanges: Bool { persistentState.isDirty }

  /// True when it will be gone at the next save, or is gone.
  public var isDeleted: Bool { persistentState.isDeleted }

  /// Same record; objects that belong to no context are equal only to themselves.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs === rhs
      || (lhs.persistentState.owner != nil && rhs.persistentState.owner != nil
        && lhs.persistentModelID == rhs.persistentModelID)
  }

  /// Feeds a number that is the same for every object of the record and does not change when the
  /// record gets its permanent identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(persistentState.stableHash())
  }
}
