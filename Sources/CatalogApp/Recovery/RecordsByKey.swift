import OpenSwiftData

/// Records of a file without identifiers by the values of fields.
struct RecordsByKey {
  let fields: [String]
  private var records: [[RecoveryValue?]: [DefaultSnapshot]] = [:]

  /// Takes the records that have a value in one of the fields.
  init(_ fields: [String], _ snapshots: [DefaultSnapshot]) {
    self.fields = fields
    for snapshot in snapshots {
      let key = fields.map { snapshot[$0].flatMap { RecoveryValue($0)?.spelledAlike } }
      if key.contains(where: { $0 != nil }) { records[key, default: []].append(snapshot) }
    }
  }

  /// The records with the values that a change has before or after it.
  func records(of edit: RecoveryEdit, at side: (RecoveryField) -> RecoveryValue?)
    -> [DefaultSnapshot]
  {
    records[fields.map { edit.fields[$0].flatMap(side)?.spelledAlike }] ?? []
  }
}

extension EditRecovery {
  /// The records of the store by their keys, except for those that the changes are about, for each entity in which a
  /// change brings a key.
  ///
  /// - Throws: The error of a store that cannot be read.
  func othersByKey(_ edits: [RecoveryEdit]) throws -> [String: RecordsByKey] {
    var others: [String: RecordsByKey] = [:]
    for (name, edits) in Dictionary(grouping: edits, by: \.record.entity)
    where entitiesByPlace.contains(name) {
      let fields = context.keyFields(of: name)
      guard !fields.isEmpty, edits.contains(where: { $0.brings(fields) }) else { continue }
      let own = Set(edits.lazy.filter { $0.change != .insert }.compactMap { identifier($0.record) })
      let snapshots = try context.fetchSnapshots(matching: Query(name))
      others[name] = RecordsByKey(
        fields,
        snapshots.filter { !own.contains($0.persistentIdentifier) }
      )
    }
    return others
  }
}

extension RecoveryEdit {
  /// True if the record is new or gets another value in one of the fields.
  func brings(_ names: [String]) -> Bool {
    switch change {
    case .insert: true
    case .update: names.contains { fields[$0]?.before != fields[$0]?.after }
    case .delete, .none: false
    }
  }
}
