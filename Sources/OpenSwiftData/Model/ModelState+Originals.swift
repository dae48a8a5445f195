// The stored values of a changed record.
extension ModelState {
  /// The stored values of a changed or deleted record.
  ///
  /// - Complexity: O(n) in the number of values while only one has changed; `original(at:)` is O(1).
  var original: [Value] {
    get {
      guard changedSlot >= 0 else { return allOriginals }
      var values = currentValues
      values[Int(changedSlot)] = changedOriginal
      return values
    }
    set {
      (changedSlot, changedOriginal) = (-1, .null)
      allOriginals = newValue
    }
  }

  /// One of the stored values of a changed record.
  func original(at slot: Int) -> Value {
    if changedSlot < 0 { return allOriginals[slot] }
    return Int(changedSlot) == slot ? changedOriginal : currentValues[slot]
  }

  /// True if a value of a changed record differs from the stored one, or has no stored one.
  func differs(at slot: Int) -> Bool {
    guard currentValues.indices.contains(slot) else { return true }
    if changedSlot >= 0 {
      return Int(changedSlot) == slot && currentValues[slot] != changedOriginal
    }
    return !allOriginals.indices.contains(slot) || allOriginals[slot] != currentValues[slot]
  }

  /// Writes the first value that differs from the stored ones, of which it keeps only that one.
  func writeFirst(_ value: Value, at slot: Int) {
    allOriginals = []
    changedSlot = Int32(slot)
    changedOriginal = currentValues[slot]
    currentValues[slot] = value
  }

  /// Writes a value of a changed record.
  ///
  /// - Returns: True if all values are the stored ones again.
  func writeAgain(_ value: Value, at slot: Int) -> Bool {
    guard Int(changedSlot) == slot else {
      orderedValues[slot] = value
      return allOriginals[slot] == value && allOriginals == currentValues
    }
    currentValues[slot] = value
    return value == changedOriginal
  }

  func holdAllOriginals() { original = original }
}
