import OpenSwiftData

/// Finds records that have the same values as an earlier one.
///
/// The records are read twice: first only hash values are kept, eight bytes for each record, and then the values of
/// those records whose hash value has occurred before.
struct RepeatedKeys {
  /// The places of the values.
  private let slots: [Int]
  /// True if records without one of the values are left out.
  private let ignoresMissing: Bool
  private var seen: Set<Int> = []
  private var repeated: Set<Int> = []
  private var first: [[Value]: PersistentIdentifier] = [:]

  init(_ slots: [Int], ignoresMissing: Bool) {
    (self.slots, self.ignoresMissing) = (slots, ignoresMissing)
  }

  /// True if the records must be read again.
  var mayRepeat: Bool { !repeated.isEmpty }

  /// Notes a record of the first reading.
  mutating func note(_ values: [Value]) {
    guard let hash = hash(of: values) else { return }
    if !seen.insert(hash).inserted { repeated.insert(hash) }
  }

  /// The earlier record with the same values, in the second reading; nil if there is none.
  mutating func earlier(_ values: [Value], _ record: PersistentIdentifier) -> PersistentIdentifier?
  {
    guard let hash = hash(of: values), repeated.contains(hash) else { return nil }
    let key = slots.map { values[$0] }
    if let known = first[key] { return known }
    first[key] = record
    return nil
  }

  /// Nil for a record that is left out.
  private func hash(of values: [Value]) -> Int? {
    var hasher = Hasher()
    for slot in slots {
      if ignoresMissing, values[slot].isNull { return nil }
      values[slot].hash(into: &hasher)
    }
    return hasher.finalize()
  }
}
