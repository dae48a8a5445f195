/// Relationships: which models a property refers to, and what follows on the other side.
///
/// Both sides keep identifiers. Whoever sets one side gets the other one set: the models that come in
/// refer to this one from then on, those that go do not.
extension ModelState {
  /// The identifiers that a property refers to, in order.
  func links(_ slot: Int) -> [PersistentIdentifier] {
    switch orderedValues[slot] {
    case .link(let identifier): [identifier]
    case .links(let identifiers): identifiers
    default: []
    }
  }

  /// The models that a property refers to, in order; those that are not there are left out.
  func related(_ slot: Int) -> [any PersistentModel] {
    let identifiers = links(slot)
    if identifiers.isEmpty { return [] }
    guard let owner else { return identifiers.compactMap { companions?[$0] } }
    return owner.modelsPresent(for: identifiers)
  }

  private func isToOne(_ slot: Int) -> Bool {
    if case .link = entity.fields[slot].type { true } else { false }
  }

  /// Gives a relationship its first models, without an effect on the other side yet.
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
  /// A model in no context joins the context of those it is related to.
  ///
  /// Deleted models are left out, and a deleted model keeps its relations to itself: nobody refers to a
  /// record that is gone.
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

  /// Lets go of models that are gone, when this one comes back after it was deleted.
  func forgetDeletedLinks() {
    for slot in description?.relationshipSlots ?? [] {
      let identifiers = links(slot)
      let alive = identifiers.filter { partner($0).map { !$0.isDeleted } ?? false }
      if alive.count < identifiers.count { setLinks(alive, at: slot, isNull: isToOne(slot)) }
    }
  }

  /// Enters the context of the first model that is in one.
  private func join(_ models: [any PersistentModel]) {
    guard owner == nil, !isDeleted, let model,
      let other = models.lazy.compactMap(\.persistentState.owner).first
    else { return }
    other.insert(model)
  }

  /// Lets the other side of first values know of this model, when it enters a context.
  func completeInverses() {
    guard let description else { return }
    for slot in description.relationshipSlots {
      guard let inverse = description.inverseSlot(of: slot) else { continue }
      for identifier in links(slot) { partner(identifier)?.link(self, from: slot, at: inverse) }
    }
  }

  /// The state of a related record, read if need be; nil when it is not there.
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

  /// Makes this model forget another one.
  func unlink(_ identifier: PersistentIdentifier, at slot: Int) {
    let identifiers = links(slot)
    guard identifiers.contains(identifier) else { return }
    setLinks(identifiers.filter { $0 != identifier }, at: slot, isNull: isToOne(slot))
    if owner == nil { companions?.remove(identifier) }
  }

  /// Replaces what a property refers to, without an effect on the other side.
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
