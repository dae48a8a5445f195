import OpenSwiftData

/// `diff`: compares the records with those of another store.
struct CompareStores: Instruction {
  let location: String
  /// The entity to compare; nil for all.
  let entityName: String?
  /// The fields that identify a record in both stores; empty for the identifier.
  let keys: [String]

  static let command = Command(
    "diff",
    usage: "LOCATION [ENTITY] [by FIELD,…]",
    summary: "list the differences between this store and another one",
    details: """
      + is a record that only LOCATION has, - one that only this store has, ~ one that differs: its values
      here → there. Records are compared by identifier, or by the values of the fields after "by", such as title or
      author.name; links are then compared by the values of the linked records. The only entity of LOCATION is
      compared with ENTITY, or with the only entity of this store, whatever their names are. Unsaved
      changes are included. In json and jsonl, each record is an object as in "changes". As with
      diff(1) the status is 1 if there are differences; it is 4 if LOCATION cannot be opened.
      """,
    canBeStopped: true,
    progress: "diff …",
    takesFile: true
  ) { arguments, session in
    let location = try arguments.require("location").text
    let namesEntity = arguments.peek.map { !$0.isKeyword("by") } ?? false
    let entity = namesEntity ? try session.takeEntity(&arguments) : nil
    let keys = arguments.take("by") ? try arguments.requireKeys() : []
    try arguments.finish()
    let compared = try entity ?? (keys.isEmpty ? nil : session.entity())
    let isByIdentifier = keys.count == 1 && keys[0] == compared?.identifierKey
    return CompareStores(
      location: location,
      entityName: compared?.name,
      keys: isByIdentifier ? [] : keys
    )
  }

  func perform(in session: Session) throws -> Outcome {
    let other = try session.openOther(location)
    defer { other.container.close() }
    if let pair = onlyEntities(session.context.schema, other.schema) {
      var differences = ChangeSet()
      let comparison = try EntityComparison(pair, by: keys, session.context, other)
      try comparison.add(to: &differences)
      return try outcome(differences, session)
    }
    if let entityName, other.schema.entitiesByName[entityName] == nil {
      let names = other.schema.entities.map(\.name).joined(separator: ", ")
      throw CommandError(
        "\(LocationText.withoutPasswords(location)): no entity \(Value.quoted(entityName))"
          + (names.isEmpty ? "" : "; it has \(names)"),
        code: .unknownEntity
      )
    }
    let entities = [session.context.schema, other.schema].flatMap(\.entities).map(\.name)
      .filter { entityName == nil || $0 == entityName }
    try requireCommonEntity(session.context.schema, other.schema)
    var differences = ChangeSet()
    var seen: Set<String> = []
    for name in entities where seen.insert(name).inserted {
      let pair = (own: name, other: name)
      let comparison = try EntityComparison(pair, by: keys, session.context, other)
      try comparison.add(to: &differences)
    }
    return try outcome(differences, session)
  }

  /// The differences as a failure; none as success.
  private func outcome(_ differences: ChangeSet, _ session: Session) throws -> Outcome {
    guard !differences.isEmpty else {
      guard session.printsJSON, !session.origin.isOnScreen else { return .done("no differences") }
      return .table(try session.changeTable(differences, inJSON: true))
    }
    throw Differences(
      table: try session.changeTable(differences, inJSON: session.printsJSON),
      changes: differences
    )
  }
}

extension CompareStores {
  /// The only entity of another store and the one to compare it with, which is named or the only one; nil for other
  /// stores, and if the names are the same.
  ///
  /// The entity of a file is named after it, so a copy under another name has another entity.
  fileprivate func onlyEntities(_ own: Schema, _ other: Schema) -> (own: String, other: String)? {
    let only = own.entities.count == 1 ? own.entities[0].name : nil
    guard let name = entityName ?? only, other.entities.count == 1,
      name != other.entities[0].name
    else { return nil }
    return (name, other.entities[0].name)
  }

  /// Refuses to compare stores that have nothing in common: files are entities by their names.
  fileprivate func requireCommonEntity(_ own: Schema, _ other: Schema) throws {
    let names = own.entities.map(\.name)
    let others = other.entities.map(\.name)
    guard !names.isEmpty, !others.isEmpty, Set(names).isDisjoint(with: others) else { return }
    throw CommandError(
      "\(LocationText.withoutPasswords(location)): no entity in common: it has "
        + "\(others.joined(separator: ", ")), this store has \(names.joined(separator: ", "))",
      code: .unknownEntity
    )
  }
}

/// The differences between two stores: results for standard output, but also a failure.
struct Differences: FailureWithResult, CustomStringConvertible {
  private let table: OutputTable
  private let counts: (added: Int, changed: Int, removed: Int)

  init(table: OutputTable, changes: ChangeSet) {
    self.table = table
    counts = (changes.inserted.count, changes.updated.count, changes.deleted.count)
  }

  var code: FailureCode { .different }
  var column: Int? { nil }
  var message: String { description }
  var outcome: Outcome { .table(table) }

  var description: String {
    "\(Session.counted(counts.added + counts.changed + counts.removed, "difference")): "
      + "\(counts.added) added, \(counts.changed) changed, \(counts.removed) removed"
  }
}

extension Session {
  /// Opens another store for reading.
  ///
  /// - Throws: `OpeningFailure`.
  fileprivate func openOther(_ location: String) throws -> ModelContext {
    do {
      let opened = try services.open(location, schema: nil, isReadOnly: true)
      guard opened.exists else {
        throw PersistenceError(
          .inaccessible,
          "\(LocationText.withoutPasswords(location)): not found"
        )
      }
      return ModelContext(opened.container)
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch {
      throw OpeningFailure(cause: error)
    }
  }
}

/// Compares the records of one entity in two stores, which may name it differently.
private struct EntityComparison {
  private let names: (own: String, other: String)
  private let keys: [String]
  private let own: ModelContext
  private let other: ModelContext
  /// All fields of the entity, in either store.
  private let layout: SnapshotLayout

  /// Prepares the comparison.
  ///
  /// - Throws: `PersistenceError` for a key that is not a field of the entity.
  init(
    _ names: (own: String, other: String),
    by keys: [String],
    _ own: ModelContext,
    _ other: ModelContext
  ) throws {
    var fields: [String] = []
    for (context, name) in [(own, names.own), (other, names.other)] {
      guard let entity = context.schema.entitiesByName[name] else { continue }
      for key in keys where try FieldPath(key, of: entity, in: context.schema) == nil {
        _ = try entity.attribute(named: key)
      }
      fields += entity.fields.map(\.name).filter { !fields.contains($0) }
    }
    (self.names, self.keys, self.own, self.other) = (names, keys, own, other)
    layout = SnapshotLayout(fields)
  }

  /// Adds the differences.
  ///
  /// - Throws: `CommandError` if two records have the same key; the errors of the stores; `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records, with memory for those of both stores.
  func add(to differences: inout ChangeSet) throws {
    var rest = try records(names.other, of: other, "there")
    let present = try records(names.own, of: own, "here")
    var meter = WorkMeter()
    for key in present.order {
      try meter.count(Self.unitsOfRecord)
      guard let mine = present.byKey[key] else { continue }
      guard let theirs = rest.byKey.removeValue(forKey: key) else {
        differences.deleted.append(mine)
        continue
      }
      var after = theirs
      after.persistentIdentifier = mine.persistentIdentifier
      for slot in layout.names.indices
      where mine.orderedValues[slot].hasSameContent(as: after.orderedValues[slot]) {
        after.orderedValues[slot] = mine.orderedValues[slot]
      }
      guard mine.orderedValues != after.orderedValues else { continue }
      differences.updated.append(RecordUpdate(before: mine, after: after))
    }
    for key in rest.order {
      try meter.count(Self.unitsOfRecord)
      guard var snapshot = rest.byKey[key] else { continue }
      if names.own != names.other {
        let identifier = snapshot.persistentIdentifier.description
        snapshot.persistentIdentifier = try own.identifier(parsing: identifier, of: names.own)
      }
      differences.inserted.append(snapshot)
    }
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
      let known = try comparable(snapshot, &links)
      let key: [Value] =
        keys.isEmpty
        ? [.text(snapshot.persistentIdentifier.description)]
        : try zip(keys, paths).map { key, path in
          guard let path else { return known[key] ?? .null }
          return try context.values(at: path, in: [snapshot[path.field] ?? .null])[0]
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

  /// The values under all names; links as what both stores write: identifiers, or else, if records are not compared by
  /// their identifiers, the values of the linked records.
  private func comparable(_ snapshot: DefaultSnapshot, _ linked: inout LinkedValues) throws
    -> DefaultSnapshot
  {
    DefaultSnapshot(
      persistentIdentifier: snapshot.persistentIdentifier,
      layout: layout,
      orderedValues: try layout.names.map { name in
        let value = snapshot[name] ?? .null
        if !keys.isEmpty, value.isLink { return .json(try linked.json(of: value)) }
        return switch value {
        case .link(let link): .text(link.description)
        case .links(let links): .json(JSONObject.array(links.map(\.description)))
        default: value
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
