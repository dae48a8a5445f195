extension RecordConflict {
  /// Creates the conflict between a change and the values of the store; nil if there is none.
  init?(_ change: PendingChange, theirs: [Value]?) {
    let state = change.state
    persistentIdentifier = state.identifier
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
          theirs: theirs?[$0] ?? .null
        )
      }
    }
    switch (change.kind, theirs) {
    case (.inserted, _), (.deleted, nil): return nil
    case (.updated, nil):
      kind = .deletedElsewhere
      differences = found { mine[$0] != base[$0] }
    case (.updated, let theirs?):
      kind = .changed
      let isWhole = state.entity.isComparedAsWhole
      let slots = Rebase(
        base: base,
        mine: mine,
        theirs: theirs,
        undecided: undecided,
        isWhole: isWhole
      ).conflictingSlots
      guard !slots.isEmpty else { return nil }
      differences = found { slots.contains($0) }
    case (.deleted, let theirs?):
      kind = .deletedHere
      differences = found { theirs[$0] != base[$0] || undecided.contains($0) }
      guard !differences.isEmpty else { return nil }
    }
  }
}
