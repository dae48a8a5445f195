import Foundation
import Observation

/// A model without a Swift type: its entity is named at run time, its values are read by name.
///
/// It goes through the same context, change tracking and stores as a typed model.
public final class Record: PersistentModel {
  /// The values of the record.
  public var persistentState: ModelState

  /// Creates a record of the entity with the entity's defaults, in no context yet.
  public init(entity: Schema.Entity) {
    persistentState = ModelState(entity: entity)
    persistentState.attach(self)
  }

  /// Creates the object for values that a context has.
  ///
  /// The record of a typed model is a second look at the same values.
  public init(persistentState: ModelState) {
    self.persistentState = persistentState
    if persistentState.description == nil { persistentState.attach(self) }
  }

  /// Empty: the properties are those of an entity that is named at run time.
  public static var schemaMetadata: [Schema.PropertyMetadata] { [] }

  private var state: ModelState { persistentState }

  /// The entity of the record.
  public var entity: Schema.Entity { state.entity }

  /// The identifier and the values as they are now.
  public var snapshot: DefaultSnapshot { state.snapshot }

  /// The value of the attribute; null when the entity has no such attribute.
  public subscript(attribute name: String) -> Value {
    state.entity.layout.slot(of: name).map { state.orderedValues[$0] } ?? .null
  }

  /// The value of the attribute in a form that can be compared, for `SortDescriptor`.
  public subscript(sortable name: String) -> SortableValue {
    SortableValue(self[attribute: name])
  }

  /// Sets an attribute.
  ///
  /// Null is accepted for a required attribute while editing; saving checks it.
  ///
  /// - Throws: `PersistenceError` with code `.unknownAttribute`, or `.invalidValue` when the kind does
  ///   not fit the attribute's type.
  public func set(_ value: Value, for name: String) throws {
    let attribute = try entity.attribute(named: name)
    guard value.isNull || attribute.accepts(value), let slot = entity.layout.slot(of: name) else {
      throw PersistenceError(
        .invalidValue,
        "the field \"\(name)\" is \(attribute.type.description); \(Value.quoted(value.text)) is not"
      )
    }
    state.set(value, at: slot)
  }
}

/// A value in the total order of `Value.compare(_:)`.
public struct SortableValue: Comparable, Sendable {
  /// The value.
  public let value: Value

  /// Wraps a value.
  public init(_ value: Value) { self.value = value }

  /// The total order of values.
  public static func < (lhs: SortableValue, rhs: SortableValue) -> Bool {
    lhs.value.compare(rhs.value) == .orderedAscending
  }
}
