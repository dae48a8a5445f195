public import Observation

/// A class whose instances are records of a store.
///
/// Instances belong to one context and to the thread of that context; they are never `Sendable`. Within a
/// context there is one object for each identifier. The macro `@Model` implements the requirements.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class at the root of a hierarchy of models.
  associatedtype Root: PersistentModel = Self
  /// Creates the object for values that a context has.
  init(persistentState: ModelState)
  /// The values of the object, shared with its context.
  var persistentState: ModelState { get set }
  /// The stored properties in order, with key paths of this class.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
}

extension PersistentModel {
  /// The identifier of the record: temporary until saved, then permanent.
  public var persistentModelID: PersistentIdentifier { persistentState.identifier }

  /// The identifier of the record.
  public var id: PersistentIdentifier { persistentModelID }

  /// True when the model has unsaved changes.
  public var hasChanges: Bool { persistentState.isDirty }

  /// True when the record is deleted or will be deleted by the next save.
  ///
  /// Stays true after that save, when SwiftData's is false again: a deleted model that is still held tells so.
  public var isDeleted: Bool { persistentState.isDeleted }

  /// True for the same record; objects in no context are equal only to themselves.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs === rhs
      || (lhs.persistentState.owner != nil && rhs.persistentState.owner != nil
        && lhs.persistentModelID == rhs.persistentModelID)
  }

  /// Hashes a number that is the same for every object of the record.
  ///
  /// It does not change when the record gets its permanent identifier.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(persistentState.stableHash())
  }
}
