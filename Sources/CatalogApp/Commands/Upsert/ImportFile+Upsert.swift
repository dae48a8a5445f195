import OpenSwiftData

extension ImportFile {
  /// Updates and inserts records from the rows of a file.
  ///
  /// - Throws: `ImportError` with the line and the cell; nothing has changed then.
  func update(from source: ImportSource, by keys: [String], _ session: Session) throws -> Outcome {
    let nothing = KeyedRows(rows: RowsByEntity(session, self))
    return try Leftovers.released(nothing) { try update(from: source, &$0, by: keys, session) }
  }

  /// The rows of a file with keys, on their way to changes.
  private struct KeyedRows {
    var rows: RowsByEntity
    var upserts: [Upsert] = []
    var plans: [Upsert.Plan] = []
  }

  private func update(
    from source: ImportSource,
    _ read: inout KeyedRows,
    by keys: [String],
    _ session: Session
  ) throws -> Outcome {
    // Fields that a row lacks stay as they are.
    var named: [String] = []
    try source.forEachRow(keepsAllColumns: false, entity: { named.append($0) }) {
      try read.rows.add($0)
    }
    if isMirror { try read.rows.addWithoutRows(named) }
    let isEmpty = read.rows.names.isEmpty
    if isEmpty, let name = try entityName ?? target(ofEmpty: source, session) {
      read.rows.names.append(name)
      try check(source.headingRow, of: name, by: keys, session)
    }
    for name in read.rows.names { try session.context.settleTypes(of: name) }
    // Entities are created after all rows were checked: some stores create them immediately.
    let missing = try missingEntities(read.rows, source, by: keys, session)
    let names = Set(missing.map(\.name))
    read.upserts = try read.rows.upserts(by: keys, creating: missing)
    for upsert in read.upserts {
      let isNew = names.contains(upsert.entity.name)
      read.plans.append(try upsert.plan(mirror: isMirror, isNew: isNew))
    }
    // New entities have no records to delete.
    if missing.count == read.upserts.count { try expectation?.check(0) }
    for entity in missing { try session.describe(entity) }
    var counts = Upsert.Counts()
    for (upsert, plan) in zip(read.upserts, read.plans) {
      counts += try upsert.apply(plan)
    }
    // A command that fails is undone as a whole.
    try expectation?.check(counts.deleted)
    let count = counts.inserted + counts.updated + counts.deleted
    session.notes.stepName = "import \(counted(count)) from \(path)"
    session.notes.count = count
    return .facts(counts.facts)
  }

  /// Checks the columns of a file without rows.
  ///
  /// - Throws: `ImportError` for a missing key or an unknown field: the line may be a record, and the heading missing.
  private func check(_ heading: ImportRow?, of name: String, by keys: [String], _ session: Session)
    throws
  {
    let schema = session.context.schema
    guard let row = heading, let entity = schema.entitiesByName[name] else { return }
    var links = LinkColumns(entity, in: schema)
    let keys = try LinkColumns.keys(keys, of: entity, in: schema)
    var converter = RowConverter(session, entity, keys, in: schema)
    try converter.bind(try links.row(row))
  }

  /// The entity of a file without rows; nil if the file names its entities itself, or if there are none.
  ///
  /// What is to be mirrored must be known: an empty object names nothing.
  ///
  /// - Throws: `CommandError` if it could be any of several.
  func target(ofEmpty source: ImportSource, _ session: Session) throws -> String? {
    let isNamed = source.namesEntities && !isMirror
    return isNamed || session.context.schema.entities.isEmpty
      ? nil : try Self.targetEntity(session).name
  }

  /// The entities that only the file has, from its schema, or else from its rows.
  private func missingEntities(
    _ rows: RowsByEntity,
    _ source: ImportSource,
    by keys: [String],
    _ session: Session
  ) throws -> [Schema.Entity] {
    let missing = try rows.names.filter { try session.context.describedEntity($0) == nil }
    guard !missing.isEmpty else { return [] }
    let schema = try source.schema()
    let described = missing.compactMap { schema?.entitiesByName[$0] }
    let others = missing.filter { schema?.entitiesByName[$0] == nil }
    let inferred = try others.map { name in
      guard let found = rows.rows[name], !found.isEmpty else {
        if let blank = session.context.schema.entitiesByName[name] { return blank }
        throw PersistenceError(.unknownEntity, "unknown entity \(Value.quoted(name))")
      }
      var inference = TypeInference()
      var meter = WorkMeter()
      for row in found {
        try meter.count(row.cells.count)
        inference.add(row)
      }
      return inference.entity(name)
    }
    let isByIdentifier = keys == ["id"]
    let linked = isByIdentifier ? LinkInference(rows).entities(inferred) : inferred
    return Self.inOrderOfLinks(linked + described)
  }

  /// Entities after those that they link to, as far as there is such an order.
  static func inOrderOfLinks(_ entities: [Schema.Entity]) -> [Schema.Entity] {
    var rest = entities
    var ordered: [Schema.Entity] = []
    while !rest.isEmpty {
      let names = Set(rest.map(\.name))
      let isReady = { (entity: Schema.Entity) in
        entity.fields.allSatisfy { field in
          field.type.destination.map { $0 == entity.name || !names.contains($0) } ?? true
        }
      }
      let next = rest.filter(isReady)
      // Entities that link to each other stay in the order of the file.
      if next.isEmpty { return ordered + rest }
      ordered += next
      rest.removeAll(where: isReady)
    }
    return ordered
  }
}

extension ImportError {
  /// The same error with its column in the file, and with a hint if the columns look wrongly separated.
  func placed(in source: ImportSource) -> ImportError {
    let heading = source.heading
    let hint = heading.flatMap {
      isInHeading ? source.headingHint($0.columns) : source.separatorHint($0.columns)
    }
    var placed = adding(hint: hint)
    guard let cell, fileColumn == nil else { return placed }
    let start = isInHeading ? heading?.line ?? line : line
    guard let place = source.place(ofCell: cell, inRowAt: start, from: rowStart) else {
      return placed
    }
    placed = ImportError(line: place.line, reason, hint: placed.hint, code: code)
    placed.fileColumn = place.column
    return placed
  }
}

/// The rows of a file, grouped by entity.
struct RowsByEntity {
  private let session: Session
  private let command: ImportFile
  private var fallback: String?
  /// The entities in the order of the file.
  var names: [String] = []
  private(set) var rows: [String: [ImportRow]] = [:]
  private var meter = WorkMeter()

  init(_ session: Session, _ command: ImportFile) {
    self.session = session
    self.command = command
  }

  mutating func add(_ row: ImportRow) throws {
    try meter.count(row.cells.count)
    let name = try command.entityName ?? row.entityName ?? fallbackName()
    if rows[name] == nil { names.append(name) }
    rows[name, default: []].append(row)
  }

  /// Adds entities that the file names without rows, if they have records that a mirror would delete.
  mutating func addWithoutRows(_ named: [String]) throws {
    for own in named {
      let name = command.entityName ?? own
      guard rows[name] == nil, !names.contains(name),
        session.context.schema.entitiesByName[name] != nil,
        try session.context.fetchCount(matching: Query(name)) > 0
      else { continue }
      names.append(name)
    }
  }

  /// The entity of rows that do not name one.
  private mutating func fallbackName() throws -> String {
    if let fallback { return fallback }
    let isEmpty = session.context.schema.entities.isEmpty
    let name =
      isEmpty ? command.firstEntityName(session) : try ImportFile.targetEntity(session).name
    fallback = name
    return name
  }

  /// The rows with their values converted; links may refer to records of the same file.
  ///
  /// - Parameters:
  ///   - keys: The key fields.
  ///   - missing: The entities that the store does not have yet.
  /// - Returns: The rows of each entity, in the order of the file.
  /// - Throws: `ImportError` for a value or a key that is wrong.
  func upserts(by keys: [String], creating missing: [Schema.Entity]) throws -> [Upsert] {
    let names = Set(missing.map(\.name))
    let present = session.context.schema.entities.filter { !names.contains($0.name) }
    let schema = Schema(present + missing)
    var upserts = try self.names.map { name in
      let entity = try schema.entity(named: name)
      let fields = try LinkColumns.keys(keys, of: entity, in: schema)
      return try Upsert(session, entity, by: fields, typed: keys)
    }
    var known: Set<PersistentIdentifier> = []
    var meter = WorkMeter()
    for upsert in upserts where upsert.isByIdentifier {
      for row in rows[upsert.entity.name] ?? [] {
        try meter.count(row.cells.count)
        let converter = RowConverter(session, upsert.entity, keys, in: schema)
        known.insert(try converter.identifier(of: row).identifier)
      }
    }
    for place in upserts.indices {
      let entity = upserts[place].entity
      var converter = RowConverter(
        session,
        entity,
        upserts[place].keys,
        in: schema,
        known: known,
        isNew: names.contains(entity.name)
      )
      var links = LinkColumns(entity, in: schema)
      for row in rows[entity.name] ?? [] {
        try meter.count(row.cells.count)
        let row = try links.row(row)
        let cell = converter.keyCell(row)
        do {
          try upserts[place].add(try converter.row(row))
        } catch var error as ImportError {
          error.cell = error.cell ?? cell
          error.rowStart = row.start
          throw error
        }
      }
    }
    return upserts
  }
}
