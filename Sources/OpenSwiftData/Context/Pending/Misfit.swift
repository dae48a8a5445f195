extension ModelContext {
  /// Lets the fields of a file without a schema have types that hold former values again, which its other values alone
  /// do not have: `5` in place of `n/a` makes a column of numbers.
  ///
  /// A field that was converted since keeps its type, because that was asked for.
  ///
  /// - Parameters:
  ///   - misfits: The values that the fields cannot hold.
  ///   - transactions: The transactions since the fields had the values.
  /// - Returns: True if fields have other types now.
  /// - Throws: `PersistenceError` with code `.unsavedChanges` if unsaved values would lose their spelling; the error of a
  ///   file that cannot be read.
  func widenTypes(toHold misfits: [Misfit], after transactions: [Transaction]) throws -> Bool {
    guard !misfits.isEmpty, infersTypes, !stores.hasSchemaChanges,
      !transactions.contains(where: \.changesSchema)
    else { return false }
    var types: FieldTypes = [:]
    for misfit in misfits where misfit.type != "text" || !isSpelledOtherwise(misfit.value) {
      guard let type = misfit.value.kind.flatMap({ AttributeType($0) }) else { continue }
      types.add(type, of: misfit.field, in: misfit.record.entityName)
    }
    return try widenTypes(toHold: types)
  }

  /// Lets fields of a file without a schema have types that hold values of others as well, by entity and field.
  ///
  /// - Returns: True if fields have other types now.
  /// - Throws: As `widenTypes(toHold:after:)`.
  package func widenTypes(toHold types: FieldTypes) throws -> Bool {
    guard !types.isEmpty else { return false }
    try pending.forEach { state in
      guard state.pendingKind != .deleted else { return }
      for (name, type) in (types[state.entity.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let slot = state.entity.layout.slot(of: name),
          state.orderedValues[slot].hasSpellings,
          state.pendingKind == .inserted || state.differs(at: slot)
        else { continue }
        throw PersistenceError(
          .unsavedChanges,
          "\(name): would become \(type), in which unsaved values such as "
            + "\(Value.quoted(state.orderedValues[slot].text)) lose their spelling; save first"
        )
      }
    }
    hasWidenedTypes = true
    return try changeTypes { try $0.widenTypes(toHold: types) }
  }

  /// Lets the fields of a file without a schema have the types of their values again, unless something is unsaved that may
  /// need others.
  ///
  /// - Returns: True if fields have other types now.
  /// - Throws: The error of a file that cannot be read.
  package func dropWidenedTypes() throws -> Bool {
    guard hasWidenedTypes, !hasChanges else { return false }
    return try changeTypes { try $0.dropWidenedTypes() }
  }

  private func changeTypes(_ change: (any TextBackedStore) throws -> Bool) throws -> Bool {
    var isChanged = false
    for store in stores.matchingStores where try change(store) { isChanged = true }
    guard isChanged else { return false }
    merging.reloadAll()
    _ = try fetching.connections()
    merging.mergeChanges()
    return true
  }

  /// Gives the fields of a file without a schema the types again that a step needs which was undone or redone before.
  ///
  /// - Throws: As `widenTypes(toHold:after:)`.
  func widenTypes(toApply step: UndoStep?, isInverse: Bool) throws {
    guard infersTypes, let changes = step?.changes, !changes.changesSchema else { return }
    var types: FieldTypes = [:]
    func note(_ value: Value, at slot: Int, of layout: SnapshotLayout, in entity: Schema.Entity?) {
      guard let kind = value.kind, let type = AttributeType(kind), let entity,
        let place = entity.layout.slot(of: layout.names[slot]), entity.fields[place].type != type,
        entity.fitted(value, from: slot, of: layout)?.1.spelledAlike != value.spelledAlike
      else { return }
      types.add(type, of: entity.fields[place].name, in: entity.name)
    }
    for change in isInverse ? changes.inverse : changes {
      let entity = change.identifier.flatMap { schema.entitiesByName[$0.entityName] }
      switch change {
      case .insert(let snapshot):
        for (slot, value) in snapshot.orderedValues.enumerated() {
          note(value, at: slot, of: snapshot.layout, in: entity)
        }
      case .update(_, let layout, let slot, _, let new):
        note(new, at: slot, of: layout, in: entity)
      case .delete, .schema: break
      }
    }
    _ = try widenTypes(toHold: types)
  }

  /// The values before transactions of fields that a file without a schema has no longer, unless a transaction has dropped
  /// them.
  ///
  /// - Throws: `Interruption.Stopped`.
  func valuesWithoutField(before transactions: [Transaction]) throws -> [Misfit] {
    guard infersTypes else { return [] }
    var values: [PersistentIdentifier: [String: Value]] = [:]
    var fields = FormerFields(schema, isComplete: true)
    var dropped = DroppedNames()
    var meter = WorkMeter()
    func take(_ snapshot: DefaultSnapshot, _ slots: some Sequence<Int>) throws {
      let identifier = snapshot.persistentIdentifier
      guard let entity = schema.entitiesByName[identifier.entityName] else { return }
      try meter.count(snapshot.orderedValues.count)
      for slot in slots {
        let name = snapshot.layout.names[slot]
        guard entity.layout.slot(of: name) == nil, fields.slot(of: name, in: entity) == nil,
          !dropped.contains(name, of: entity.name)
        else { continue }
        values[identifier, default: [:]][name] = snapshot.orderedValues[slot]
      }
    }
    for transaction in transactions.reversed() {
      for snapshot in transaction.changes.inserted { values[snapshot.persistentIdentifier] = nil }
      for update in transaction.changes.updated { try take(update.before, update.changedSlots) }
      for snapshot in transaction.changes.deleted {
        try take(snapshot, snapshot.orderedValues.indices)
      }
      guard transaction.changesSchema else { continue }
      dropped.goBack(before: transaction)
      fields.goBack(before: transaction)
    }
    return values.sorted { $0.key < $1.key }.flatMap { identifier, values in
      values.sorted { $0.key < $1.key }.filter { !$0.value.isNull }.map { name, value in
        Misfit(record: identifier, field: name, value: value, type: nil)
      }
    }
  }

  /// The values of a record before transactions that their fields cannot hold; with `countsTexts`, those as well that a
  /// field of texts would hold as texts.
  func misfits(of record: FormerRecord, countsTexts: Bool = false) -> [Misfit] {
    record.wantedSnapshot.map {
      misfits(of: $0, among: record.changedSlots, countsTexts: countsTexts)
    } ?? []
  }

  /// The former values that their fields cannot hold; with `countsTexts`, those as well that a field of texts would hold as
  /// texts, and numbers that a field of other numbers would hold with another text, as -0 in one of whole numbers.
  func misfits(of snapshot: DefaultSnapshot, among slots: [Int], countsTexts: Bool = false)
    -> [Misfit]
  {
    guard let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName] else {
      return []
    }
    var misfits: [Misfit] = []
    for slot in slots where !snapshot.orderedValues[slot].isNull {
      let value = snapshot.orderedValues[slot]
      if let (_, fitted) = entity.fitted(value, from: slot, of: snapshot.layout),
        fitted.kind == value.kind
          || fitted.kind != .text
            && !(countsTexts && value.isNumber && fitted.isNumber && fitted.text != value.text)
          || fitted.kind == .text && !countsTexts
            && !(value.isChangedByText || value.isNumber && distinguishesNumbers
              || isSpelledOtherwise(value))
      {
        continue
      }
      let name = snapshot.layout.names[slot]
      misfits.append(
        Misfit(
          record: snapshot.persistentIdentifier,
          field: name,
          value: value,
          type: entity.fieldsByName[name].map { "\($0.type)" }
        )
      )
    }
    return misfits
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

/// The names of fields, at a moment of the past, that later transactions have dropped.
private struct DroppedNames {
  private var names: [String: Set<String>] = [:]

  func contains(_ name: String, of entity: String) -> Bool {
    names[entity]?.contains(name) ?? false
  }

  mutating func goBack(before transaction: Transaction) {
    for step in transaction.steps.reversed() {
      switch step {
      case .dropAttribute(let entity, let name): names[entity, default: []].insert(name)
      case .renameAttribute(let entity, let former, let name):
        if names[entity]?.remove(name) != nil { names[entity, default: []].insert(former) }
      case .createEntity, .removeEntity, .addAttribute, .convertAttribute: break
      }
    }
  }
}

extension Value {
  /// True for a value that would be another one as text: a file of texts and values distinguishes them.
  fileprivate var isChangedByText: Bool { kind == .json || kind == .boolean }

  /// True for a value that a file may spell in several ways, such as 1.5 and 1.50.
  fileprivate var hasSpellings: Bool { kind == .decimal || kind == .number || kind == .boolean }

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
