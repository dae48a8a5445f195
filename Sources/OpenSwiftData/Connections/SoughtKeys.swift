/// The keys of the new records of a save that others may have added meanwhile.
struct SoughtKeys {
  private struct Group {
    let entityName: String
    let fields: [String]
    var records: [[String]: DefaultSnapshot] = [:]
  }

  private var groups: [Group] = []
  var isEmpty: Bool { groups.isEmpty }
  /// Above this number all records are read.
  private static let filterLimit = 100

  init(_ sought: [SoughtRecords], in changes: ChangeSet) {
    for records in sought {
      var group = Group(entityName: records.entityName, fields: records.fields)
      for snapshot in changes.inserted where records.contains(snapshot.persistentIdentifier) {
        if let key = snapshot.key(of: records.fields) { group.records[key] = snapshot }
      }
      if !group.records.isEmpty { groups.append(group) }
    }
  }

  /// The records of the store with these keys, by the new ones.
  ///
  /// - Throws: The error of the store.
  func taken(_ reading: StagedReading, _ steps: [SchemaStep]) throws
    -> [PersistentIdentifier: PersistentIdentifier]
  {
    var taken: [PersistentIdentifier: PersistentIdentifier] = [:]
    for group in groups {
      try reading.forEachPage(Query(group.entityName, filter: filter(of: group)), steps) { page in
        for snapshot in page.snapshots(in: 0..<page.count) {
          guard let key = snapshot.key(of: group.fields), let mine = group.records[key],
            group.fields.allSatisfy({ Self.areSame(mine[$0] ?? .null, snapshot[$0] ?? .null) })
          else { continue }
          let known = taken[mine.persistentIdentifier]
          taken[mine.persistentIdentifier] = known ?? snapshot.persistentIdentifier
        }
      }
    }
    return taken
  }

  private func filter(of group: Group) -> Filter {
    let field = group.fields[0]
    let values = group.records.values.map { $0[field] ?? .null }
    guard values.count <= Self.filterLimit, values.allSatisfy({ $0.kind != .json && !$0.isNull })
    else { return .all }
    return values.count == 1 ? .compare(field, .equal, values[0]) : .isIn(field, values)
  }

  /// True for equal values; in a file whose types follow from its values they may have got another type.
  private static func areSame(_ left: Value, _ right: Value) -> Bool {
    left == right || left.kind != right.kind
  }
}
