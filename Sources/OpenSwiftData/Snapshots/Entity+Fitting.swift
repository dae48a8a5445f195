extension Schema.Entity {
  /// The values of a record of this entity from before its fields changed, in its layout now.
  ///
  /// Fields are found by their names, or by those from before they were renamed. What is missing gets
  /// its default; what a field of another type cannot hold is missing.
  ///
  /// - Complexity: O(n) in the number of values.
  func fitted(_ snapshot: DefaultSnapshot) -> [Value] {
    let values = arranged(snapshot).orderedValues
    // By place: nearly always everything fits.
    guard values.indices.contains(where: { !fields[$0].mayHold(values[$0]) }) else { return values }
    return zip(fields, values).map { field, value in
      field.fitted(value) ?? field.defaultValue
    }
  }

  /// The place and the form that a value has now which stood in a place of another layout of this
  /// entity; nil when its field is no more, or cannot hold it.
  func fitted(_ value: Value, from slot: Int, of layout: SnapshotLayout) -> (Int, Value)? {
    var place = slot
    if layout !== self.layout, layout != self.layout {
      guard let found = self.slot(of: layout.names[slot]) else { return nil }
      place = found
    }
    return fields[place].fitted(value).map { (place, $0) }
  }

  /// The place of the field that has the name, or had it before it was renamed.
  private func slot(of name: String) -> Int? {
    layout.slot(of: name) ?? fields.firstIndex { $0.originalName == name }
  }
}

extension Schema.Attribute {
  /// True when the value is of the type of the field; a value may be missing until the record is saved.
  fileprivate func mayHold(_ value: Value) -> Bool { value.isNull || accepts(value) }

  /// The value as the field can hold it; nil when it cannot.
  fileprivate func fitted(_ value: Value) -> Value? {
    if mayHold(value) { return value }
    return value.converted(to: type).flatMap { accepts($0) ? $0 : nil }
  }
}
