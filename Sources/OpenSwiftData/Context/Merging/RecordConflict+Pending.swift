extension RecordConflict {
  /// Creates the conflict between a change and the values of the store; nil if there is none.
  ///
  /// - Parameters:
  ///   - change: The unsaved change.
  ///   - theirs: The values of the record in the store; nil if it does not have the record.
  ///   - read: What the change rests on.
  ///   - doubt: Why it is not certain which record of the store it is.
  ///   - candidate: The values of the record that this may be.
  init?(
    _ change: PendingChange,
    theirs: [Value]?,
    read: [ReadSlots],
    doubt: RecordDoubt? = nil,
    candidate: [Value]? = nil
  ) {
    let state = change.state
    persistentIdentifier = state.identifier
    self.doubt = doubt
    let names = state.entity.layout.names
    let mine = state.orderedValues
    let base = change.original
    let undecided = state.undecidedSlots
    func found(where differ: (Int) -> Bool) -> [Difference] {
      names.indices.filter(differ).map {
        Difference(
          name: names[$0],
          base: undecided.contains($0) ? .null : base[$0],
          mine: mine[$0],
          theirs: (theirs ?? candidate)?[$0] ?? .null
        )
      }
    }
    switch (change.kind, theirs) {
    case (.inserted, _): return nil
    case (.deleted, nil):
      if doubt == nil { return nil }
      kind = .deletedHere
      differences = found { slot in candidate.map { $0[slot] != base[slot] } ?? false }
    case (.updated, nil):
      kind = .deletedElsewhere
      differences = found { slot in
        mine[slot] != base[slot] || (candidate.map { $0[slot] != base[slot] } ?? false)
      }
    case (.updated, let theirs?):
      kind = .changed
      let slots = Rebase(
        base: base,
        mine: mine,
        theirs: theirs,
        undecided: undecided,
        read: read,
        isOther: doubt != nil
      ).conflictingSlots
      guard !slots.isEmpty else { return nil }
      differences = found { slots.contains($0) }
    case (.deleted, let theirs?):
      kind = .deletedHere
      differences = found { theirs[$0] != base[$0] || undecided.contains($0) }
      guard !differences.isEmpty else { return nil }
    }
  }

  /// Creates the conflict between a change and a record with the same key that was added elsewhere.
  init(_ change: PendingChange, added other: DefaultSnapshot, key: [String]) {
    let state = change.state
    persistentIdentifier = state.identifier
    kind = .addedElsewhere
    let names = state.entity.layout.names
    let theirs = state.entity.arranged(other).orderedValues
    let mine = state.orderedValues
    let base = change.kind == .inserted ? nil : change.original
    differences = names.indices.filter { mine[$0] != theirs[$0] }.map {
      Difference(name: names[$0], base: base?[$0] ?? .null, mine: mine[$0], theirs: theirs[$0])
    }
    doubt = RecordDoubt(
      "another program has added a record with \(other.words(forKey: key))",
      candidate: other.persistentIdentifier
    )
  }
}
