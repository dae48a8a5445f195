package import OpenSwiftData

/// The three-way merge of the records of one entity.
///
/// Which record is which is found out as for a save that meets the changes of another program: records are searched from
/// the base in both versions. The values of a record are merged by `Rebase`. Where a change of one side meets a record of
/// which it is not certain what the other side made of it, nothing is merged.
package struct RecordMerge {
  /// What became of a record of the base in one of the versions.
  private enum Fate {
    case same(DefaultSnapshot, isChanged: Bool)
    case gone
    /// It is not certain which record it is, for this reason.
    case unsure(String)

    var isUnchanged: Bool { if case .same(_, isChanged: false) = self { true } else { false } }
  }

  private let base: MergeVersion
  private let ours: MergeVersion
  private let theirs: MergeVersion
  /// True if a field is a column of the file, whether or not a record has a value in it.
  private let hasColumns: Bool
  /// The fields by which records are known for certain; empty if there are none.
  private let keyFields: [String]
  /// The fields that name a record in messages.
  private let namingFields: [String]
  /// For each record of the base, in its order.
  private let fates: [(ours: Fate, theirs: Fate)]
  /// The records that are not in the base for certain, in the order of their files.
  private var addedByUs: [DefaultSnapshot]
  private var addedByThem: [DefaultSnapshot]
  private var plan = MergePlan()

  /// Finds out what to do.
  ///
  /// - Parameters:
  ///   - name: The entity.
  ///   - base: The common ancestor; nil if there is none.
  ///   - ours: Our version, whose fields hold any values from then on.
  ///   - theirs: Their version, likewise.
  ///   - keys: The fields that alone decide which record is which; empty to find them out.
  /// - Returns: The changes of our version.
  /// - Throws: The error of a file that cannot be read; `MergeRefusal`.
  /// - Complexity: O(n) in the number of values, expected.
  package static func plan(
    of name: String,
    base: ModelContext?,
    ours: ModelContext,
    theirs: ModelContext,
    by keys: [String]
  ) throws -> MergePlan {
    for (context, role) in [(base, "BASE"), (ours, "OURS"), (theirs, "THEIRS")] {
      guard let entity = context?.schema.entitiesByName[name], !entity.fields.isEmpty else {
        continue
      }
      if let key = keys.first(where: { entity.fieldsByName[$0] == nil }) {
        throw MergeRefusal("by \(key): \(role) has no such field")
      }
    }
    // Before the fields hold any values: the rule looks at their types.
    let inOurs = try base?.counterparts(of: name, in: ours, name, by: keys)
    let inTheirs = try base?.counterparts(of: name, in: theirs, name, by: keys)
    guard base == nil || (inOurs != nil && inTheirs != nil) else {
      throw MergeRefusal("the records of \(name) have identifiers of a catalog")
    }
    let ownKey = keys.isEmpty ? ours.keyFields(of: name) : keys
    let all = [base, ours, theirs].flatMap { $0?.schema.entitiesByName[name]?.fields ?? [] }
    let names = all.map(\.name)
    var merge = RecordMerge(
      base: try base.map { try MergeVersion(name, in: $0, adding: names) } ?? .none,
      ours: try MergeVersion(name, in: ours, adding: names),
      theirs: try MergeVersion(name, in: theirs, adding: names),
      inOurs,
      inTheirs,
      ownKey: ownKey,
      hasColumns: ours.hasOnlyTexts
    )
    merge.mergeEqualAdditions()
    try merge.requireCertainty(copies: (inOurs?.copies ?? []).union(inTheirs?.copies ?? []))
    if merge.hasColumns { try merge.mergeColumns() }
    try merge.mergeRecords()
    return merge.plan
  }

  private init(
    base: MergeVersion,
    ours: MergeVersion,
    theirs: MergeVersion,
    _ inOurs: RecordCounterparts?,
    _ inTheirs: RecordCounterparts?,
    ownKey: [String],
    hasColumns: Bool
  ) {
    (self.base, self.ours, self.theirs, self.hasColumns) = (base, ours, theirs, hasColumns)
    let sureKey = inOurs.flatMap { $0.hasSureKey ? $0.keyFields : nil } ?? []
    keyFields = base.records.isEmpty ? ownKey : sureKey
    namingFields = keyFields.isEmpty ? inOurs?.keyFields ?? [] : keyFields
    fates = zip(Self.fates(base, ours, inOurs), Self.fates(base, theirs, inTheirs))
      .map { (ours: $0, theirs: $1) }
    addedByUs = ours.records.filter { inOurs?.records[$0.persistentIdentifier] == nil }
    addedByThem = theirs.records.filter { inTheirs?.records[$0.persistentIdentifier] == nil }
  }

  /// What became of the records of the base; of equal ones of which fewer are left, some are gone.
  private static func fates(
    _ base: MergeVersion,
    _ version: MergeVersion,
    _ counterparts: RecordCounterparts?
  ) -> [Fate] {
    var present: [PersistentIdentifier: DefaultSnapshot] = [:]
    for (other, own) in counterparts?.records ?? [:] { present[own] = version.byIdentifier[other] }
    return base.records.map { record in
      let identifier = record.persistentIdentifier
      if let found = present[identifier] {
        return .same(found, isChanged: version.isChanged(found, since: record))
      }
      return counterparts?.doubts[identifier].map { .unsure($0.reason) } ?? .gone
    }
  }
}

/// The reason why files are not merged record by record.
package struct MergeRefusal: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

// MARK: Certainty

extension RecordMerge {
  /// Leaves out the records that both have added alike.
  ///
  /// They were added once: a change that is on both sides is made once.
  private mutating func mergeEqualAdditions() {
    let own = Set(ours.fields)
    let common = theirs.fields.filter(own.contains)
    var places: [[String]: [Int]] = [:]
    for (place, record) in addedByUs.enumerated().reversed() {
      places[record.spelledAlike(in: common), default: []].append(place)
    }
    var paired: Set<Int> = []
    addedByThem.removeAll { record in
      let values = record.spelledAlike(in: common)
      guard values.contains(where: { !$0.isEmpty }), let place = places[values]?.popLast() else {
        return false
      }
      paired.insert(place)
      let further = record.values.filter { !own.contains($0.key) && !$0.value.spelledAlike.isEmpty }
      if !further.isEmpty { plan.add(.set(addedByUs[place].persistentIdentifier, further)) }
      return true
    }
    addedByUs = addedByUs.enumerated().filter { !paired.contains($0.offset) }.map(\.element)
  }

  /// Refuses to merge if a record that one side has changed or deleted may be another one in the version of the other side.
  ///
  /// Of equal records it does not matter which of them one side has touched, as long as the other one has touched none.
  private func requireCertainty(copies: Set<PersistentIdentifier>) throws {
    for (record, fates) in zip(base.records, fates) {
      switch (fates.ours, fates.theirs) {
      case (.same(_, isChanged: true), .unsure(let reason)),
        (.gone, .unsure(let reason)) where !addedByThem.isEmpty,
        (.unsure, .unsure(let reason)) where !(addedByUs.isEmpty && addedByThem.isEmpty):
        throw MergeRefusal("\(name(of: record)): THEIRS: \(reason)")
      case (.unsure(let reason), .same(_, isChanged: true)),
        (.unsure(let reason), .gone) where !addedByUs.isEmpty:
        throw MergeRefusal("\(name(of: record)): OURS: \(reason)")
      default: continue
      }
    }
    if copies.isEmpty { return }
    let values = base.records.map { $0.spelledAlike(in: base.fields) }
    let repeated = Set(
      zip(base.records, values).filter { copies.contains($0.0.persistentIdentifier) }.map(\.1)
    )
    var touched: (ours: Set<[String]>, theirs: Set<[String]>) = ([], [])
    for (values, fates) in zip(values, fates) where repeated.contains(values) {
      if !fates.ours.isUnchanged { touched.ours.insert(values) }
      if !fates.theirs.isUnchanged { touched.theirs.insert(values) }
      if touched.ours.contains(values), touched.theirs.contains(values) {
        throw MergeRefusal("both have changed or deleted one of equal records")
      }
    }
  }

  /// How messages name a record.
  private func name(of record: DefaultSnapshot) -> String {
    if !namingFields.isEmpty { return record.words(forKey: namingFields) }
    let shown = base.fields.isEmpty ? theirs.fields : base.fields
    let named = shown.filter { !(record[$0] ?? .null).spelledAlike.isEmpty }.prefix(3)
    return record.words(forKey: Array(named))
  }
}

// MARK: Columns

extension RecordMerge {
  /// Adds and removes the columns that they have added and removed.
  ///
  /// A conflict about a column is one about all lines of the file, so that nothing is merged.
  private mutating func mergeColumns() throws {
    let (former, own, other) = (Set(base.fields), Set(ours.fields), Set(theirs.fields))
    for field in theirs.fields where !own.contains(field) {
      if former.contains(field), isEdited(field, in: theirs, { $0.theirs }, added: addedByThem) {
        throw MergeRefusal("column \(field): OURS has removed it, THEIRS has edited it")
      }
      if !former.contains(field) { plan.add(.addField(field)) }
    }
    for field in ours.fields where !other.contains(field) && former.contains(field) {
      if isEdited(field, in: ours, { $0.ours }, added: addedByUs) {
        throw MergeRefusal("column \(field): OURS has edited it, THEIRS has removed it")
      }
      plan.add(.dropField(field))
    }
    if former.isEmpty { return }
    let numbers: Set<AttributeType> = [.integer, .decimal, .number]
    for field in theirs.fields where own.contains(field) && !former.contains(field) {
      guard let one = ours.types[field], let two = theirs.types[field], one != two,
        !(numbers.contains(one) && numbers.contains(two)),
        ours.hasValues(in: field), theirs.hasValues(in: field)
      else { continue }
      throw MergeRefusal("column \(field): OURS has added it as \(one), THEIRS as \(two)")
    }
  }

  /// True if a version has another value in the field than the base, or a new record with one.
  private func isEdited(
    _ field: String,
    in version: MergeVersion,
    _ fate: ((ours: Fate, theirs: Fate)) -> Fate,
    added: [DefaultSnapshot]
  ) -> Bool {
    for (record, fates) in zip(base.records, fates) {
      guard case .same(let present, _) = fate(fates) else { continue }
      if present.spelledAlike(in: [field]) != record.spelledAlike(in: [field]) { return true }
    }
    return added.contains { !($0[field] ?? .null).spelledAlike.isEmpty }
  }
}

// MARK: Records

extension RecordMerge {
  private mutating func mergeRecords() throws {
    let removed = Set(base.fields).subtracting(ours.fields)
    let names = theirs.fields.filter { !removed.contains($0) }
    var replaced: [DefaultSnapshot] = []
    for (record, fates) in zip(base.records, fates) {
      switch (fates.ours, fates.theirs) {
      case (.same(let own, _), .same(let other, _)): merge(record, own, other, in: names)
      case (.same(let own, let isChanged), .gone):
        if isChanged { note(record, "changed in ours, deleted in theirs") }
        plan.add(.delete(own.persistentIdentifier), isDisputed: isChanged)
      case (.same(let own, _), .unsure): replaced.append(own)
      case (.gone, .same(let other, isChanged: true)):
        note(record, "deleted in ours, changed in theirs")
        plan.add(.insert(other.values), isDisputed: true)
      case (.gone, _), (.unsure, _): break
      }
    }
    try addTheirs(replacing: replaced)
  }

  /// Merges the values of a record that both versions have.
  private mutating func merge(
    _ record: DefaultSnapshot,
    _ own: DefaultSnapshot,
    _ other: DefaultSnapshot,
    in names: [String]
  ) {
    let values = names.map { Self.settled(record[$0], own[$0], other[$0]) }
    let rebase = Rebase(
      base: values.map(\.base),
      mine: values.map(\.theirs),
      theirs: values.map(\.ours)
    )
    let disputed = Set(rebase.conflictingSlots)
    let changed = names.indices.filter { rebase.values[$0] != values[$0].ours }
    for isDisputed in [false, true] {
      let slots = changed.filter { disputed.contains($0) == isDisputed }
      if slots.isEmpty { continue }
      let taken = slots.map { (names[$0], rebase.values[$0]) }
      plan.add(
        .set(own.persistentIdentifier, Dictionary(uniqueKeysWithValues: taken)),
        isDisputed: isDisputed
      )
    }
    if disputed.isEmpty { return }
    let words = rebase.conflictingSlots.map { slot in
      "\(names[slot]) \(Self.shown(values[slot].ours)) in ours, "
        + "\(Self.shown(values[slot].theirs)) in theirs"
    }
    note(record, words.joined(separator: "; "))
  }

  /// The three values, in which those that only differ in their spelling are no contradiction.
  private static func settled(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> (
    base: Value, ours: Value, theirs: Value
  ) {
    let (base, ours, theirs) = (base ?? .null, ours ?? .null, theirs ?? .null)
    if ours == base || theirs == base || ours == theirs { return (base, ours, theirs) }
    let spelled = (base.spelledAlike, ours.spelledAlike, theirs.spelledAlike)
    if spelled.2 == spelled.0 || spelled.2 == spelled.1 { return (base, ours, ours) }
    return (spelled.1 == spelled.0 ? ours : base, ours, theirs)
  }

  private static func shown(_ value: Value) -> String {
    value.isNull ? "empty" : Value.quoted(String(value.text.prefix(40)))
  }

  private mutating func note(_ record: DefaultSnapshot, _ words: String) {
    plan.note(conflict: "\(name(of: record)): \(words)")
  }

  /// Adds the records that only they have.
  ///
  /// - Parameter replaced: Our records that they have changed beyond recognition, or deleted; we have not touched them, so
  ///   that it does not matter which of theirs they are.
  /// - Throws: `MergeRefusal` for a record that has the key of another one of ours.
  private mutating func addTheirs(replacing replaced: [DefaultSnapshot]) throws {
    var replaced = replaced[...]
    var leaving = Set(replaced.map(\.persistentIdentifier))
    for case .delete(let record) in plan.works(isDisputed: false) { leaving.insert(record) }
    var ownKeys: [[String]: DefaultSnapshot] = [:]
    if !keyFields.isEmpty {
      for record in ours.records where !leaving.contains(record.persistentIdentifier) {
        if let key = record.key(of: keyFields) { ownKeys[key] = record }
      }
    }
    let added = Set(addedByUs.map(\.persistentIdentifier))
    for record in addedByThem {
      if let own = record.key(of: keyFields).flatMap({ ownKeys[$0] }) {
        guard added.contains(own.persistentIdentifier) else {
          throw MergeRefusal("\(name(of: record)): THEIRS has added it, OURS has another one")
        }
        note(record, "added in both, with different values")
        plan.add(.set(own.persistentIdentifier, record.values), isDisputed: true)
      } else if let place = replaced.first, canReplace(place, by: record) {
        replaced.removeFirst()
        plan.add(.set(place.persistentIdentifier, record.values))
      } else {
        plan.add(.insert(record.values))
      }
    }
    for record in replaced { plan.add(.delete(record.persistentIdentifier)) }
  }

  /// True if one of our records can get the values of one of theirs; false if members of an object would have to go.
  private func canReplace(_ own: DefaultSnapshot, by record: DefaultSnapshot) -> Bool {
    hasColumns
      || ours.fields.allSatisfy { (own[$0] ?? .null).isNull == (record[$0] ?? .null).isNull }
  }
}
