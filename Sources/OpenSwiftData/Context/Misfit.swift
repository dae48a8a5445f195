extension ModelContext {
  /// The first former value that its field cannot hold; nil if there is none.
  func misfit(of snapshot: DefaultSnapshot, among slots: [Int]) -> Misfit? {
    guard let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName] else {
      return nil
    }
    for slot in slots where !snapshot.orderedValues[slot].isNull {
      let value = snapshot.orderedValues[slot]
      if let (_, fitted) = entity.fitted(value, from: slot, of: snapshot.layout),
        fitted.kind == value.kind || fitted.kind != .text
          || !(value.isChangedByText || value.isNumber && distinguishesNumbers
            || isSpelledOtherwise(value))
      {
        continue
      }
      let name = snapshot.layout.names[slot]
      return Misfit(
        record: snapshot.persistentIdentifier,
        field: name,
        value: value,
        type: entity.fieldsByName[name].map { "\($0.type)" }
      )
    }
    return nil
  }

  /// True for a file that is read in such a way that the text of the value would be another value, such as one with decimal
  /// commas.
  private func isSpelledOtherwise(_ value: Value) -> Bool {
    container.stores.contains { store in
      let options = (store as? any TextBackedStore)?.reading?.options
      return options?.text(of: value, like: nil).map { $0 != value.text } ?? false
    }
  }

  /// True for files whose types follow from their values, in which `1` and `"1"` are different values.
  private var distinguishesNumbers: Bool {
    container.stores.contains { store in
      guard let store = store as? any TextBackedStore else { return false }
      return !store.keepsSchema && !store.hasOnlyTexts
    }
  }
}

extension Value {
  /// True for a value that would be another one as text: a file of texts and values distinguishes them.
  fileprivate var isChangedByText: Bool { kind == .json || kind == .boolean }

  fileprivate var isNumber: Bool { kind == .integer || kind == .number || kind == .decimal }
}

/// A former value of a record that its field cannot hold any longer.
struct Misfit {
  let record: PersistentIdentifier
  let field: String
  let value: Value
  /// The type of the field; nil if it is gone.
  let type: String?

  /// The error of an operation that would restore the value, with what to do.
  func error(_ what: String, then next: String = "set the value") -> PersistenceError {
    let reason =
      type.map { $0 == "text" ? "would be a text now" : "is not a valid \($0) now" }
      ?? "has no field now"
    let wanted = type == "text" ? value.kind.map { "\($0)" } ?? "text" : "text"
    let step = type == nil ? "add the field again" : "use \"field type \(field) \(wanted)\""
    let remedy = "\(step), and \(next)"
    return PersistenceError(
      .unsupported,
      "\(what): \(field) of record \(record) was \(Value.quoted(value.text)), which \(reason); \(remedy)"
    )
  }
}
