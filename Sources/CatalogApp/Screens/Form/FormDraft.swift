import OpenSwiftData

/// What was typed into a form that was left with Esc, until it is restored or another form is left.
struct FormDraft: Sendable {
  /// The record; nil for a new one.
  let identifier: PersistentIdentifier?
  let entityName: String
  /// The changed fields by name.
  let fields: [String: FieldEditor]

  /// True for a form of the same record, or of a new one of the same entity.
  func belongs(to identifier: PersistentIdentifier?, of entity: Schema.Entity) -> Bool {
    self.identifier == identifier && entityName == entity.name
  }
}
