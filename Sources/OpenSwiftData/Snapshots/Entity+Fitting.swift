extension Schema.Entity {
  /// Rearranges the values of a record from a former layout of this entity into the current one.
  ///
  /// Fields are found by their names or former names. Missing fields get their defaults; values that a field
  /// of another type cannot hold become missing.
  ///
  /// - Complexity: O(n) in the number of values.
  func fitted(_ snapshot: DefaultSnapshot) -> [Value] {
    let values = converted(arranged(snapshot).orderedValues, from: snapshot.layout)
    // Checked by index first, because nearly always every value is valid.
    guard values.indices.contains(where: { !fields[$0].mayHold(values[$0]) }) else { return values }
    return zip(fields, values).map { field, value in
      field.fitted(value) ?? field.defaultValue
    }
  }

  /// The current slot and form of a value from another layout of this entity.
  ///
  /// Nil if its field no longer exists or cannot hold it.
  func fitted(_ value: Value, from slot: Int, of layout: SnapshotLayout) -> (Int, Value)? {
    var place = slot
    if layout !== self.layout, layout != self.layout {
      guard let found = self.slot(of: layout.names[slot]) else { return nil }
      place = found
    }
    let value =
      layout === self.layout ? value : layout.converted(value, at: slot, to: fields[place])
    return fields[place].fitted(value).map { (place, $0) }
  }

  /// The values in the forms that they have now.
  private func converted(_ values: [Value], from former: SnapshotLayout) -> [Value] {
    guard former !== layout, former.forms != nil, layout.forms != nil else { return values }
    return zip(fields, values).map { field, value in
      former.slot(of: field.name).map { former.converted(value, at: $0, to: field) } ?? value
    }
  }

  /// The slot of the field with this name or former name.
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
