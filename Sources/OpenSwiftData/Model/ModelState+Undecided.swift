/// Records that two programs have restored with different values.
extension ModelState {
  /// The slots of the fields in `undecided`; all if a field has another name now.
  var undecidedSlots: Set<Int> {
    if undecided.isEmpty { return [] }
    let slots = undecided.compactMap { entity.layout.slot(of: $0) }
    return Set(slots.count == undecided.count ? slots : Array(orderedValues.indices))
  }

  /// The names of the fields in some slots.
  func names(of slots: some Sequence<Int>) -> Set<String> {
    Set(slots.map { entity.layout.names[$0] })
  }

  /// The record with other values.
  func snapshot(with values: [Value]) -> DefaultSnapshot {
    var copy = snapshot
    copy.orderedValues = values
    return copy
  }
}
