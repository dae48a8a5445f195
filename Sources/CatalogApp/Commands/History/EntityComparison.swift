import OpenSwiftData

/// Compares the records of one entity in two stores, which may name it differently.
struct EntityComparison {
  private let names: (own: String, other: String)
  private let keys: [String]
  private let own: ModelContext
  private let other: ModelContext
  /// All fields of the entity, in either store.
  private let layout: SnapshotLayout
  /// The fields whose types differ.
  private let retyped: RetypedFields
  /// The records that both have, if both are known by their positions and no key is given; nil for others.
  private let counterparts: RecordCounterparts?
  /// The fields by which the records are compared that are known by their positions.
  private var matchedFields: [String] { counterparts?.keyFields ?? [] }
  /// The fields whose values are printed with each record.
  var shownFields: [String] { keys.isEmpty ? matchedFields : keys }
  /// How records are compared that are known by their positions, if no key is given; nil for others.
  var matchingWords: String? {
    guard counterparts != nil else { return nil }
    let fields = matchedFields.joined(separator: ", ")
    return "records matched by \(fields.isEmpty ? "equal rows" : fields)"
  }
  /// The number of records that may be in the other store, too, which are compared with none.
  var unsureCount: Int { counterparts?.unsureCount ?? 0 }

  /// Prepares the comparison.
  ///
  /// - Throws: `PersistenceError` for a key that is not a field of the entity, the error of a file that cannot be read.
  init(
    _ names: (own: String, other: String),
    by keys: [String],
    _ session: Session,
    _ other: ModelContext
  ) throws {
    let own = session.context
    var fields: [String] = []
    let entities = (
      own: own.schema.entitiesByName[names.own], other: other.schema.entitiesByName[names.other]
    )
    for (context, entity, counterpart) in [
      (own, entities.own, entities.other), (other, entities.other, entities.own),
    ] {
      guard let entity else { continue }
      for key in keys where try FieldPath(key, of: entity, in: context.schema) == nil {
        _ = try entity.attribute(named: key)
      }
      // An export has the identifiers in a column.
      let isExport = context.infersTypes && own.infersTypes != other.infersTypes
      let omitted = isExport ? counterpart?.identifierKey : nil
      fields += entity.fields.map(\.name).filter { $0 != omitted && !fields.contains($0) }
    }
    (self.names, self.keys, self.own, self.other) = (names, keys, own, other)
    layout = SnapshotLayout(fields)
    retyped = try RetypedFields(names, session, other)
    counterparts = keys.isEmpty ? try own.counterparts(of: names.own, in: other, names.other) : nil
  }

  /// Adds the differences.
  ///
  /// - Throws: `CommandError` if two records have the same key; the errors of the stores; `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records, with memory for those of both stores.
  func add(to differences: inout ChangeSet, _ found: inout DifferenceKeys) throws {
    var rest = try records(names.other, of: other, "there")
    let present = try records(names.own, of: own, "here")
    var meter = WorkMeter()
    for key in present.order {
      try meter.count(Self.unitsOfRecord)
      guard let mine = present.byKey[key] else { continue }
      guard let theirs = rest.byKey.removeValue(forKey: key) else {
        differences.deleted.append(mine)
        found.deleted.append(shown(key, mine))
        continue
      }
      var after = theirs
      after.persistentIdentifier = mine.persistentIdentifier
      for slot in layout.names.indices
      where mine.orderedValues[slot].isSame(as: after.orderedValues[slot]) {
        after.orderedValues[slot] = mine.orderedValues[slot]
      }
      guard mine.orderedValues != after.orderedValues else { continue }
      differences.updated.append(RecordUpdate(before: mine, after: after))
      found.updated.append(shown(key, mine))
    }
    for key in rest.order {
      try meter.count(Self.unitsOfRecord)
      guard var snapshot = rest.byKey[key] else { continue }
      if names.own != names.other {
        let identifier = snapshot.persistentIdentifier.description
        snapshot.persistentIdentifier = try own.identifier(parsing: identifier, of: names.own)
      }
      differences.inserted.append(snapshot)
      found.inserted.append(shown(key, snapshot))
    }
  }

  /// The values that are printed with a record.
  private func shown(_ key: [Value], _ snapshot: DefaultSnapshot) -> [Value] {
    keys.isEmpty ? matchedFields.map { snapshot[$0] ?? .null } : key
  }

  /// The work on one record in the units of a meter.
  private static let unitsOfRecord = 8

  private struct Records {
    var order: [[Value]] = []
    var byKey: [[Value]: DefaultSnapshot] = [:]
  }

  /// The records of a store by their keys.
  private func records(_ name: String, of context: ModelContext, _ place: String) throws -> Records
  {
    var records = Records()
    guard let entity = context.schema.entitiesByName[name] else { return records }
    let paths = try keys.map { try FieldPath($0, of: entity, in: context.schema) }
    var links = LinkedValues(context)
    var meter = WorkMeter()
    try context.forEachSnapshot(matching: Query(name)) { snapshot in
      try meter.count(Self.unitsOfRecord)
      let known = try comparable(snapshot, &links, isOther: context === other)
      let key: [Value] =
        keys.isEmpty
        ? [position(of: snapshot.persistentIdentifier, isOther: context === other)]
        : try zip(keys, paths).map { key, path in
          guard let path else { return retyped.key(known[key] ?? .null, of: key) }
          let field = path.fields.first.flatMap { snapshot[$0] } ?? .null
          return try context.values(at: path, in: [field])[0].byValue
        }
      if let former = records.byKey.updateValue(known, forKey: key) {
        let names = [former, known].map(\.persistentIdentifier.description)
        throw CommandError(
          "diff: records \(names.joined(separator: " and ")) of \(name) \(place) have the same "
            + keys.joined(separator: ", "),
          code: .duplicateKey
        )
      }
      records.order.append(key)
    }
    return records
  }

  /// What identifies a record without a key: its identifier here, or that of its counterpart.
  private func position(of identifier: PersistentIdentifier, isOther: Bool) -> Value {
    guard let counterparts, isOther else { return .text(identifier.description) }
    return counterparts.records[identifier].map { .text($0.description) } ?? .link(identifier)
  }

  /// The values under all names; links as what both stores write: identifiers, or else, if records are not compared by
  /// their identifiers, the values of the linked records.
  private func comparable(
    _ snapshot: DefaultSnapshot,
    _ linked: inout LinkedValues,
    isOther: Bool
  ) throws -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: snapshot.persistentIdentifier,
      layout: layout,
      orderedValues: try layout.names.map { name in
        let value = snapshot[name] ?? .null
        if !keys.isEmpty, value.isLink { return .json(try linked.json(of: value)) }
        return switch value {
        case .link(let link): .text(link.description)
        case .links(let links): .json(JSONObject.array(links.map(\.description)))
        default:
          retyped.value(value, of: name, in: snapshot.persistentIdentifier, isOther: isOther)
        }
      }
    )
  }
}

/// The values of linked records, which tell in two stores whether links refer to the same record.
private struct LinkedValues {
  private let context: ModelContext
  private var known: [PersistentIdentifier: String] = [:]

  init(_ context: ModelContext) { self.context = context }

  /// A link as the object of the record that it refers to, several links as an array of objects.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(1) expected for a record that was asked for before.
  mutating func json(of value: Value) throws -> String {
    let identifiers = value.linkedIdentifiers
    let unknown = identifiers.filter { known[$0] == nil }
    if !unknown.isEmpty {
      let found = try context.snapshots(for: unknown)
      for identifier in unknown {
        known[identifier] = found[identifier].map(Self.object) ?? "null"
      }
    }
    let objects = identifiers.map { known[$0] ?? "null" }
    if case .link = value { return objects[0] }
    return "[" + objects.joined(separator: ",") + "]"
  }

  /// The values of a record but its own links, which may lead back to where the comparison began.
  private static func object(_ snapshot: DefaultSnapshot) -> String {
    let members = zip(snapshot.layout.names, snapshot.orderedValues).filter {
      !$1.isLink && !$1.isNull
    }
    return JSONObject(members.map { ($0, $1.jsonText) }).text
  }
}
