/// Unsaved changes of records whose fields got another type because another program changed other values.
///
/// The types of the columns of a CSV file follow from all their values. A value that the other program did not touch then
/// has another form, such as the text `1.50` in place of the number 1.5. It is the same value: the texts in the file are
/// equal.
struct Respelling {
  /// A record with values as it had them before its fields changed.
  private struct Former {
    let state: ModelState
    let entity: Schema.Entity
    let original: [Value]
    let values: [Value]
  }

  private var records: [Former] = []

  /// The records.
  var identifiers: [PersistentIdentifier] { records.map(\.state.identifier) }

  /// Notes a changed or deleted record before it is arranged for its changed entity.
  mutating func note(_ state: ModelState, _ entity: Schema.Entity) {
    guard state.isDirty, state.pendingKind != .inserted else { return }
    let isConcerned = state.entity.fields.contains { field in
      entity.fieldsByName[field.name].map {
        $0.type != field.type && ($0.type == .text || field.type == .text)
      } ?? false
    }
    guard isConcerned else { return }
    records.append(
      Former(
        state: state,
        entity: state.entity,
        original: state.original,
        values: state.orderedValues
      )
    )
  }

  /// Takes the stored forms of values that are the same as before.
  ///
  /// - Parameters:
  ///   - stored: The records in the store.
  ///   - pending: The unsaved changes.
  func apply(_ stored: [PersistentIdentifier: DefaultSnapshot], to pending: PendingChanges) {
    for record in records {
      let state = record.state
      guard let snapshot = stored[state.identifier], state.isDirty else { continue }
      var original = state.original
      for (slot, field) in state.entity.fields.enumerated() {
        guard let former = record.entity.layout.slot(of: field.name),
          let value = snapshot[field.name],
          original[slot] != value, record.original[former].isSpelled(alike: value)
        else { continue }
        if record.values[former] == record.original[former] { state.orderedValues[slot] = value }
        original[slot] = value
      }
      guard original != state.original else { continue }
      if state.pendingKind == .updated {
        pending.rebase(state, on: original)
      } else {
        state.original = original
      }
    }
  }
}

extension Value {
  /// True if one of two values is a text with which a file spells the other one.
  fileprivate func isSpelled(alike other: Value) -> Bool {
    switch (self, other) {
    case (.text(let text), let value), (let value, .text(let text)):
      guard let type = value.kind.flatMap({ AttributeType($0) }) else { return false }
      let texts = type == .boolean ? [text.lowercased()] : [text]
      return texts.contains { (try? Value(parsing: $0, as: type)) == value }
    default: return false
    }
  }
}
