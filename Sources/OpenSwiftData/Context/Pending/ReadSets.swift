/// What commands have read of records before they changed them: the fields that named them, and those from which values
/// were computed.
///
/// A change is meant for what was read. Stores whose records have no identifiers find the records again by the fields
/// that named them. All other fields are compared before a save: if another program has changed one of them, the change
/// is a conflict, even if it is of other fields or both sides have come to the same value.
final class ReadSets {
  private let stores: [any TextBackedStore]
  private let checkingStores: [any KeyCheckingStore]
  private let pending: PendingChanges
  /// The fields by which stores find their records again.
  private var names = Fields()
  private var fields = Fields()
  /// The records that links name.
  private(set) var linked = LinkedRecords()

  init(_ container: ModelContainer, _ pending: PendingChanges) {
    stores = container.stores.compactMap { $0 as? any TextBackedStore }
    // Models are saved without a check of their links.
    checkingStores =
      container.isTyped ? [] : container.stores.compactMap { $0 as? any KeyCheckingStore }
    self.pending = pending
  }

  /// The fields that are compared before a save.
  var compared: [RecordFields] { fields.present }

  /// Lets fields alone decide which records these are, until their changes are saved or undone.
  func addNames(_ names: [String], of entityName: String, _ records: [PersistentIdentifier]) {
    guard stores.contains(where: { $0.keyFields(of: entityName) != nil }) else {
      return add(names, of: entityName, records)
    }
    if self.names.add(RecordFields(entityName, by: names, saved(records))) { tell() }
  }

  /// Lets changes of records be made only if the fields have the values that they have now; changes of `dependents` only,
  /// if these are given.
  func add(
    _ names: [String],
    of entityName: String,
    _ records: [PersistentIdentifier],
    for dependents: Set<String>? = nil
  ) {
    if names.isEmpty { return }
    var read = RecordFields(entityName, by: names, saved(records))
    read.dependents = dependents
    fields.add(read)
  }

  /// Lets the values of fields rest on nothing, because they were typed over computed ones.
  ///
  /// After an undo or a redo they rest on it again, because the computed ones may be back.
  func release(_ names: [String], of entityName: String, _ records: [PersistentIdentifier]) {
    fields.release(Set(names), of: entityName, records)
  }

  /// Notes the links in values of a record that is changed.
  func noteLinks(in values: [Value], of record: PersistentIdentifier, isRestored: Bool) {
    if checkingStores.isEmpty { return }
    for value in values where value.isLink {
      linked.note(value, of: record, isRestored: isRestored) { name in
        checkingStores.contains { $0.checksKeys(of: name) }
      }
    }
  }

  /// Reads the records of the links that a command has set.
  func readLinkedRecords(
    _ snapshots: ([PersistentIdentifier]) throws -> [PersistentIdentifier: DefaultSnapshot]
  ) {
    // Records that cannot be read now are read after the next command.
    try? linked.read(snapshots)
  }

  /// Forgets the records that links name, because no undo brings links back.
  func forgetLinkedRecords() { linked = LinkedRecords() }

  private func saved(_ records: [PersistentIdentifier]) -> Set<PersistentIdentifier> {
    Set(records.lazy.filter { !$0.isTemporary })
  }

  /// What the changes of a record rest on.
  ///
  /// - Complexity: O(n) in the number of different sets of fields.
  func slots(of state: ModelState) -> [ReadSlots] {
    let layout = state.entity.layout
    return fields.present.filter { $0.records.contains(state.identifier) }.map { read in
      ReadSlots(
        read: Set(read.fields.compactMap(layout.slot)),
        dependents: read.dependents.map { Set($0.compactMap(layout.slot)) }
      )
    }
  }

  /// Forgets the fields of records whose changes were undone, and remembers those of changes that were redone.
  func renew() {
    fields.renew(pending)
    if names.renew(pending) { tell() }
  }

  /// Forgets all fields, because no unsaved change is left.
  func forget() {
    fields = Fields()
    if names.all.isEmpty { return }
    names = Fields()
    tell()
  }

  private func tell() {
    for store in stores { store.identify(names.present) }
  }

  /// By what some records are known.
  func knownKeys(of identifiers: [PersistentIdentifier]) -> KnownKeys {
    var fields: [String: [String]] = [:]
    for name in Set(identifiers.lazy.map(\.entityName)) {
      fields[name] = stores.lazy.compactMap { $0.keyFields(of: name) }.first
    }
    let copies = stores.map { $0.copies(of: identifiers) }
    return KnownKeys(names.present, fields, copies.reduce(into: [:]) { $0.merge($1) { $1 } })
  }

  /// What changes rest on.
  var grounds: ChangeGrounds { ChangeGrounds(fields: fields.present, linked: linked) }
}

/// The places of values on which changes of a record rest.
struct ReadSlots {
  let read: Set<Int>
  /// Those of the changes; nil for all.
  let dependents: Set<Int>?
}

/// Fields of records, each set of fields once.
private struct Fields {
  /// Those since the last save.
  private(set) var all: [RecordFields] = []
  /// Those of records that have unsaved changes.
  private(set) var present: [RecordFields] = []

  /// Adds the fields of further records; false without any.
  @discardableResult
  mutating func add(_ new: RecordFields) -> Bool {
    if new.records.isEmpty { return false }
    all.add(new)
    present.add(new)
    return true
  }

  /// Takes fields of some records out of what rests on others.
  mutating func release(
    _ names: Set<String>,
    of entityName: String,
    _ records: [PersistentIdentifier]
  ) {
    func rests(_ read: RecordFields) -> Bool {
      read.entityName == entityName && !names.isDisjoint(with: read.dependents ?? [])
    }
    guard present.contains(where: rests) else { return }
    let records = Set(records)
    for place in present.indices where rests(present[place]) {
      var rest = present[place]
      rest.records.formIntersection(records)
      guard !rest.records.isEmpty else { continue }
      present[place].records.subtract(records)
      rest.dependents?.subtract(names)
      if rest.dependents?.isEmpty == false { present.add(rest) }
    }
  }

  /// Finds out which records have unsaved changes; false without any fields.
  @discardableResult
  mutating func renew(_ pending: PendingChanges) -> Bool {
    if all.isEmpty { return false }
    present = all.map { fields in
      var fields = fields
      fields.records = fields.records.filter { pending.kind(of: $0) != nil }
      return fields
    }
    return true
  }
}

extension [RecordFields] {
  fileprivate mutating func add(_ new: RecordFields) {
    let known = firstIndex {
      $0.entityName == new.entityName && $0.fields == new.fields
        && $0.dependents == new.dependents
    }
    if let known { self[known].records.formUnion(new.records) } else { append(new) }
  }
}
