import Foundation
import Observation

/// A model without a Swift class, whose entity is chosen at run time and whose values are accessed by name.
///
/// ```swift
/// let film = Record(entity: try context.schema.entity(named: "Film"))
/// try film.set(.text("Up"), for: "title")
/// context.insert(film)
/// try context.save()
/// let films = try context.fetch(FetchDescriptor<Record>(entityName: "Film"))
/// print(films.map { $0[attribute: "title"].text })
/// ```
///
/// Contexts track, save and undo records exactly like typed models.
///
/// **Threads.** Like every model, a record belongs to the thread of its context.
///
/// **Errors.** `set(_:for:)` throws a ``PersistenceError`` for an unknown field or a value of the wrong type; missing
/// required values are reported by the save.
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
  /// The record of a typed model shares its values.
  public init(persistentState: ModelState) {
    self.persistentState = persistentState
    if persistentState.description == nil { persistentState.attach(self) }
  }

  /// Empty: the entity chosen at run time determines the properties.
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
  /// - Throws: `PersistenceError` with code `.unknownAttribute`, `.invalidValue` when the kind does not match the
  ///   attribute's type, or `.readOnly` when the store makes the values of the attribute.
  public func set(_ value: Value, for name: String) throws {
    let entity = state.entity
    guard let slot = entity.layout.slot(of: name) else {
      _ = try entity.attribute(named: name)
      return
    }
    let attribute = entity.fields[slot]
    guard value.isNull || attribute.accepts(value) else {
      throw PersistenceError(
        .invalidValue,
        "field \"\(name)\": \(Value.quoted(value.text)) is not a valid \(attribute.type.description)"
      )
    }
    if let refusal = state.readOnlyError(at: slot), state.orderedValues[slot] != value {
      throw refusal
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
