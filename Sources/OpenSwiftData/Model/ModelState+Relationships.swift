/// Relationships and the maintenance of their inverses.
///
/// Both sides store identifiers. Setting one side updates the other: added models then refer to this one, and
/// removed models no longer do.
extension ModelState {
  /// The identifiers that a property refers to, in order.
  func links(_ slot: Int) -> [PersistentIdentifier] {
    switch orderedValues[slot] {
    case .link(let identifier): [identifier]
    case .links(let identifiers): identifiers
    default: []
    }
  }

  /// The models that a property refers to, in order; identifiers without a record are skipped.
  func related(_ slot: Int) -> [any PersistentModel] {
    let identifiers = links(slot)
    if identifiers.isEmpty { return [] }
    guard let owner else { return identifiers.compactMap { companions?[$0] } }
    return owner.modelsPresent(for: identifiers)
  }

  private func isToOne(_ slot: Int) -> Bool {
    if case .link = entity.fields[slot].type { true } else { false }
  }

  /// Sets the initial models of a relationship, without updating the other side yet.
  func start(_ slot: Int, _ models: [any PersistentModel]) {
    let identifiers = models.map { $0.describedState().identifier }
    orderedValues[slot] =
      isToOne(slot) ? identifiers.first.map { .link($0) } ?? .null : .links(identifiers)
    hold(models)
  }

  private func hold(_ models: [any PersistentModel]) {
    guard !models.isEmpty, owner == nil else { return }
    var known = companions ?? Companions()
    for model in models { known.add(model, isHeld: true) }
    companions = known
  }

  /// Sets a relationship and its other side.
  ///
  /// A model without a context joins that of its related models.
  ///
  /// Deleted models are skipped, and setting a relationship of a deleted model does not update the other
  /// side: no model refers to a deleted record.
  func relate(_ slot: Int, to models: [any PersistentModel], isNull: Bool) {
    let models = Self.alive(models)
    if isDeleted {
      let identifiers = models.map(\.persistentState.identifier)
      setLinks(identifiers, at: slot, isNull: isNull)
      return
    }
    join(models)
    if let owner {
      for model in models where model.persistentState.owner == nil { owner.insert(model) }
      if let stranger = models.first(where: { $0.persistentState.owner !== owner }) {
        owner.report(refusal(of: stranger.persistentState, at: slot))
        return
      }
    }
    let old = links(slot)
    var new: [PersistentIdentifier] = []
    var seen: Set<PersistentIdentifier> = []
    for model in models {
      let identifier = model.describedState().identifier
      if seen.insert(identifier).inserted { new.append(identifier) }
    }
    hold(models)
    setLinks(new, at: slot, isNull: isNull)
    guard let inverse = description?.inverseSlot(of: slot) else { return }
    let former = Set(old)
    for identifier in old where !seen.contains(identifier) {
      partner(identifier)?.unlink(self.identifier, at: inverse)
      if owner == nil { companions?.remove(identifier) }
    }
    for model in models where !former.contains(model.persistentState.identifier) {
      model.persistentState.link(self, from: slot, at: inverse)
    }
  }

  private func refusal(of stranger: ModelState, at slot: Int) -> PersistenceError {
    PersistenceError(
      .unsupported,
      "\(entity.name).\(entity.fields[slot].name): cannot link to \(stranger.entity.name) \(stranger.identifier), which belongs to another context; fetch it by identifier in this one (record \(identifier))"
    )
  }

  private static func alive(_ models: [any PersistentModel]) -> [any PersistentModel] {
    guard models.contains(where: \.persistentState.isDeleted) else { return models }
    return models.filter { !$0.persistentState.isDeleted }
  }

  /// Removes links to deleted models when this model is restored after a deletion.
  func forgetDeletedLinks() {
    let linking = entity.fields.indices.filter { entity.fields[$0].type.destination != nil }
    for slot in description?.relationshipSlots ?? linking {
      let identifiers = links(slot)
      let alive = identifiers.filter { partner($0).map { !$0.isDeleted } ?? false }
      guard alive.count < identifiers.count else { continue }
      // A field of a record without links has no value, as after the deletion of the linked record.
      let isNull = isToOne(slot) || (description == nil && alive.isEmpty)
      setLinks(alive, at: slot, isNull: isNull)
    }
  }

  /// Joins the context of the first model that is in one.
  private func join(_ models: [any PersistentModel]) {
    guard owner == nil, !isDeleted, let model,
      let other = models.lazy.compactMap(\.persistentState.owner).first
    else { return }
    other.insert(model)
  }

  /// Updates the other side of initial values when this model joins a context.
  func completeInverses() {
    guard let description else { return }
    for slot in description.relationshipSlots {
      guard let inverse = description.inverseSlot(of: slot) else { continue }
      for identifier in links(slot) { partner(identifier)?.link(self, from: slot, at: inverse) }
    }
  }

  /// The state of a related record, read if necessary; nil if it does not exist.
  private func partner(_ identifier: PersistentIdentifier) -> ModelState? {
    if let owner { return owner.statePresent(for: identifier) }
    return companions?[identifier]?.persistentState
  }

  /// Makes this model refer to one that refers to it.
  private func link(_ other: ModelState, from otherSlot: Int, at slot: Int) {
    guard !isDeleted else { return }
    var identifiers = links(slot)
    guard !identifiers.contains(other.identifier) else { return }
    if owner == nil, let model = other.model {
      var known = companions ?? Companions()
      known.add(model, isHeld: false)
      companions = known
    }
    if isToOne(slot) {
      for former in identifiers { partner(former)?.unlink(identifier, at: otherSlot) }
      identifiers = [other.identifier]
    } else {
      identifiers.append(other.identifier)
    }
    setLinks(identifiers, at: slot, isNull: false)
  }

  /// Removes the link from this model to another one.
  func unlink(_ identifier: PersistentIdentifier, at slot: Int) {
    let identifiers = links(slot)
    guard identifiers.contains(identifier) else { return }
    setLinks(identifiers.filter { $0 != identifier }, at: slot, isNull: isToOne(slot))
    if owner == nil { companions?.remove(identifier) }
  }

  /// Replaces the links of a property without updating the other side.
  func setLinks(_ identifiers: [PersistentIdentifier], at slot: Int, isNull: Bool) {
    let value: Value
    if isToOne(slot) {
      value = identifiers.first.map { .link($0) } ?? .null
    } else {
      value = isNull ? .null : .links(identifiers)
    }
    guard orderedValues[slot] != value else { return }
    notifying([slot]) { set(value, at: slot) }
  }
}
