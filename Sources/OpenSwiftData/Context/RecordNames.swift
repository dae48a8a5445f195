/// The fields by which unsaved changes have named their records, and the stores that are told of them.
final class RecordNames {
  private let stores: [any TextBackedStore]
  private let pending: PendingChanges
  /// What was named since the last save.
  private var all: [NamedRecords] = []
  /// Those of them that have unsaved changes.
  private var present: [NamedRecords] = []

  init(_ stores: [any TextBackedStore], _ pending: PendingChanges) {
    (self.stores, self.pending) = (stores, pending)
  }

  /// Lets fields alone decide which records these are, until their changes are saved or undone.
  func add(_ records: [PersistentIdentifier], of entityName: String, by fields: [String]) {
    if stores.isEmpty { return }
    let saved = Set(records.lazy.filter { !$0.isTemporary })
    if saved.isEmpty { return }
    let known = all.firstIndex { $0.entityName == entityName && $0.fields == fields }
    let named = NamedRecords(entityName, by: fields, saved)
    if let known { all[known].records.formUnion(saved) } else { all.append(named) }
    if let known = present.firstIndex(where: { $0.entityName == entityName && $0.fields == fields })
    {
      present[known].records.formUnion(saved)
    } else {
      present.append(named)
    }
    tell()
  }

  /// Forgets the names of records whose changes were undone, and remembers those of changes that were redone.
  func renew() {
    if all.isEmpty { return }
    present = all.map { named in
      var named = named
      named.records = named.records.filter { pending.kind(of: $0) != nil }
      return named
    }
    tell()
  }

  /// Forgets all names, because no unsaved change is left.
  func forget() {
    if all.isEmpty { return }
    (all, present) = ([], [])
    tell()
  }

  private func tell() {
    for store in stores { store.identify(present) }
  }

  /// By what some records are known.
  func knownKeys(of identifiers: [PersistentIdentifier]) -> KnownKeys {
    var fields: [String: [String]] = [:]
    for name in Set(identifiers.lazy.map(\.entityName)) {
      fields[name] = stores.lazy.compactMap { $0.keyFields(of: name) }.first
    }
    let copies = stores.map { $0.copies(of: identifiers) }
    return KnownKeys(present, fields, copies.reduce(into: [:]) { $0.merge($1) { $1 } })
  }
}
