/// The keys of the new records of a save that others may have added meanwhile.
struct SoughtKeys {
  private struct Group {
    let fields: [Schema.Attribute]
    var records: [[String]: DefaultSnapshot] = [:]
  }

  private struct Kind: Hashable {
    let entityName: String
    let fields: [String]
  }

  private var groups: [Kind: Group] = [:]
  var isEmpty: Bool { groups.isEmpty }
  /// Above this number all records are read.
  private static let filterLimit = 1000

  /// Finds the keys of those new records that were sought.
  ///
  /// - Complexity: O(n log m) for n new records and m commands.
  init(_ sought: [SoughtRecords], in changes: ChangeSet, _ schema: Schema) {
    if sought.isEmpty { return }
    for snapshot in changes.inserted {
      guard let records = sought.containing(snapshot.persistentIdentifier),
        let entity = schema.entitiesByName[records.entityName]
      else { continue }
      let fields = records.fields.compactMap { entity.fieldsByName[$0] }
      guard fields.count == records.fields.count, let key = Self.key(of: snapshot, fields) else {
        continue
      }
      let kind = Kind(entityName: records.entityName, fields: records.fields)
      groups[kind, default: Group(fields: fields)].records[key] = snapshot
    }
  }

  /// The records of the store with these keys, by the new ones.
  ///
  /// - Throws: The error of the store.
  func taken(_ reading: StagedReading, _ steps: [SchemaStep]) throws
    -> [PersistentIdentifier: PersistentIdentifier]
  {
    var taken: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (kind, group) in groups {
      let query = Query(kind.entityName, filter: filter(of: group), attributes: kind.fields)
      try reading.forEachPage(query, steps) { page in
        for snapshot in page.snapshots(in: 0..<page.count) {
          guard let key = Self.key(of: snapshot, group.fields), let mine = group.records[key],
            group.fields.allSatisfy({ Self.areSame(mine, snapshot, in: $0) })
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
    let values = group.records.values.map { $0[field.name] ?? .null }
    guard values.count <= Self.filterLimit,
      values.allSatisfy({ $0.kind != .json && !$0.isNull })
    else { return .all }
    if values.count == 1 { return field.candidates(for: values[0]) }
    // Lists compare texts as they are.
    return field.comparesExactly ? .isIn(field.name, values) : .all
  }

  /// The values of a key as the store compares them; nil without any.
  private static func key(of snapshot: DefaultSnapshot, _ fields: [Schema.Attribute]) -> [String]? {
    let texts = fields.map { field in
      snapshot[field.name].map { field.compared($0).spelledAlike } ?? ""
    }
    return texts.allSatisfy(\.isEmpty) ? nil : texts
  }

  /// True for equal values; in a file whose types follow from its values they may have got another type.
  private static func areSame(
    _ left: DefaultSnapshot,
    _ right: DefaultSnapshot,
    in field: Schema.Attribute
  ) -> Bool {
    let (one, other) = (left[field.name] ?? .null, right[field.name] ?? .null)
    return one.kind != other.kind || field.compared(one) == field.compared(other)
  }
}
