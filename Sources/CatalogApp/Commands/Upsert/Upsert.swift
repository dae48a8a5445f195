import OpenSwiftData

/// Rows that update the records with the same key, or become new records.
///
/// `plan(mirror:isNew:)` compares the rows with the records; only `apply(_:)` changes anything.
///
/// Invariants:
/// 1. No two rows have the same key.
/// 2. A key is the identifier if the rows have one, else the values of the key fields.
struct Upsert {
  /// One row: values for some slots of the entity.
  struct Row {
    /// Where the row begins in its file, counted from 1.
    let line: Int
    let slots: [Int]
    let values: [Value]
    /// The identifier that the file names; nil for rows with other keys.
    let identifier: PersistentIdentifier?
    /// The index of its cell with the first key; nil if it is not from a file.
    var keyCell: Int?
    /// Where it begins in the bytes of its file, if that is not the beginning of a line.
    var start: Int?
    /// The index of the cell of each slot; empty if it is not from a file.
    var cells: [Int] = []

    /// An error in the key of the row, or in its value for a slot.
    func error(_ reason: String, _ code: FailureCode, slot: Int? = nil) -> ImportError {
      var error = ImportError(line: line, reason, code: code)
      let place = slot.flatMap { slots.firstIndex(of: $0) }
      error.cell = place.flatMap { cells.indices.contains($0) ? cells[$0] : nil } ?? keyCell
      error.rowStart = start
      return error
    }
  }

  /// The numbers of records.
  struct Counts: Hashable {
    var inserted = 0
    var updated = 0
    var unchanged = 0
    var deleted = 0
    /// The record of the only row; nil if there are several rows.
    var record: PersistentIdentifier?

    static func += (left: inout Counts, right: Counts) {
      left.inserted += right.inserted
      left.updated += right.updated
      left.unchanged += right.unchanged
      left.deleted += right.deleted
    }

    /// The counts as a line, and as members of an answer.
    var facts: Facts {
      let counts = [
        ("inserted", inserted), ("updated", updated), ("unchanged", unchanged),
        ("deleted", deleted),
      ].map { (name: $0, json: String($1)) }
      let words = counts.map { "\($0.json) \($0.name)" }.joined(separator: ", ")
      return Facts(["imported: \(words)"], counts)
    }
  }

  let session: Session
  let entity: Schema.Entity
  let keys: [String]
  private let typedKeys: [String]
  let keySlots: [Int]
  private(set) var rows: [Row] = []
  private var placeByKey: [[Value]: Int] = [:]

  /// True if records are found by their identifiers.
  var isByIdentifier: Bool { keySlots.isEmpty }

  /// Prepares for rows with these keys: fields, or the identifier alone.
  ///
  /// Messages name the keys as they were typed: `author.name` for the link `author`.
  ///
  /// - Throws: `PersistenceError` for an unknown field, `CommandError` for the identifier among fields.
  init(_ session: Session, _ entity: Schema.Entity, by keys: [String], typed: [String]? = nil)
    throws
  {
    self.session = session
    self.entity = entity
    self.keys = keys
    typedKeys = typed ?? keys
    if keys == [entity.identifierKey] {
      keySlots = []
    } else {
      keySlots = try keys.map { name in
        guard name != entity.identifierKey else {
          throw CommandError(
            "by: \(Value.quoted(name)) identifies records alone; omit other fields"
          )
        }
        return entity.layout.slot(of: try entity.attribute(named: name).name) ?? 0
      }
    }
  }

  /// Adds a row.
  ///
  /// - Throws: `ImportError` for a key that is missing, or that an earlier row has.
  mutating func add(_ row: Row) throws {
    let key = try key(of: row)
    if let former = placeByKey.updateValue(rows.count, forKey: key) {
      throw ImportError(
        line: row.line,
        "duplicate key \(try words(key)); line \(rows[former].line) has it, too",
        code: .duplicateKey
      )
    }
    rows.append(row)
  }

  private func key(of row: Row) throws -> [Value] {
    if isByIdentifier { return row.identifier.map { [.text($0.description)] } ?? [] }
    let key = keySlots.map { slot in
      let value = row.slots.firstIndex(of: slot).map { row.values[$0] } ?? .null
      return entity.fields[slot].compared(value).byContent
    }
    guard key.contains(where: { !$0.isNull }) else {
      throw ImportError(
        line: row.line,
        "\(keys.joined(separator: ", ")): missing key",
        code: .invalidValue
      )
    }
    return key
  }

  /// `code "A-1", size 3`.
  private func words(_ values: [Value]) throws -> String {
    try zip(typedKeys, values).map { name, value in
      let shown = try typedValue(value, of: name)
      return "\(name) \(shown.isNull ? "null" : Value.quoted(shown.text))"
    }.joined(separator: ", ")
  }

  /// The value of a key as the file has it: the field of a linked record instead of the link.
  private func typedValue(_ value: Value, of key: String) throws -> Value {
    guard case .link(let link) = value,
      let path = try LinkPath(key, of: entity, in: session.context.schema),
      let record = try session.context.snapshots(for: [link])[link],
      let slot = record.layout.slot(of: path.rest)
    else { return value }
    return record.orderedValues[slot]
  }

  // MARK: Comparing

  /// The records that the rows update, by the place of the row.
  ///
  /// - Throws: `ImportError` if two records have the key of a row.
  func matches() throws -> [Int: DefaultSnapshot] {
    if isByIdentifier { return try matchesByIdentifier() }
    var found: [Int: DefaultSnapshot] = [:]
    try forEachCandidate { snapshot in
      let snapshot = snapshot.arranged(as: entity.layout)
      let key = keySlots.map { entity.fields[$0].compared(snapshot.orderedValues[$0]).byContent }
      guard let place = placeByKey[key] else { return }
      if let other = found.updateValue(snapshot, forKey: place) {
        let names = [other, snapshot].map(\.persistentIdentifier.description)
        throw rows[place].error(
          "duplicate key \(try words(key)) in the store: records "
            + names.joined(separator: " and "),
          .duplicateKey
        )
      }
    }
    return found
  }

  /// Calls the body with the records that may have one of the keys.
  ///
  /// A command that is run for many rows looks them up in an index that it makes.
  private func forEachCandidate(_ body: (DefaultSnapshot) throws -> Void) throws {
    let query = Query(entity.name, filter: try candidates())
    let context = session.context
    if let known = try session.valueIndex?.records(matching: query, entity, context) {
      let snapshots = try context.snapshots(for: known)
      return try known.compactMap { snapshots[$0] }.forEach(body)
    }
    if rows.count == 1, case .compare(let name, .equal, let value) = query.filter,
      let few = try context.fewRecords(of: entity, where: name, equals: value)
    {
      return try few.forEach(body)
    }
    try context.forEachSnapshot(matching: query, body)
  }

  /// Selects all records that may have one of the keys.
  private func candidates() throws -> Filter {
    // Stores compare the text of JSON.
    if entity.fields[keySlots[0]].type == .json { return .all }
    var present: Set<Value> = []
    var missingCount = 0
    var meter = WorkMeter()
    for row in rows {
      try meter.count()
      let value = row.slots.firstIndex(of: keySlots[0]).map { row.values[$0] } ?? .null
      if value.isNull { missingCount += 1 } else { present.insert(value) }
    }
    let field = entity.fields[keySlots[0]]
    if missingCount == 0, present.count == 1, let value = present.first {
      return field.candidates(for: value)
    }
    // Lists compare texts as they are.
    if !field.comparesExactly { return .all }
    // Looking for most records one by one costs more than reading all.
    if present.count > Self.mostSought,
      try session.context.fetchCount(matching: Query(entity.name)) / 8 < present.count
    {
      return .all
    }
    let one = Filter.isIn(keys[0], Array(present))
    return missingCount == 0 ? one : .or([one, .isNull(keys[0])])
  }

  /// Up to so many keys are looked for whatever the number of records is.
  private static let mostSought = 10_000

  private func matchesByIdentifier() throws -> [Int: DefaultSnapshot] {
    var found: [Int: DefaultSnapshot] = [:]
    for start in stride(from: 0, to: rows.count, by: 5000) {
      try Interruption.check()
      let places = start..<min(start + 5000, rows.count)
      let snapshots = try session.context.snapshots(for: places.compactMap { rows[$0].identifier })
      for place in places {
        guard let identifier = rows[place].identifier, let snapshot = snapshots[identifier],
          session.context.pendingKind(of: identifier) != .deleted
        else { continue }
        found[place] = snapshot.arranged(as: entity.layout)
      }
    }
    return found
  }
}
