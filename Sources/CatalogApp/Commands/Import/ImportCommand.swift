import OpenSwiftData

extension Command {
  /// `import`: adds the records of a file.
  static let importFile = Command(
    "import",
    usage: "FILE [into ENTITY]",
    summary: "add the records of a file as new ones",
    details: """
      The ending of FILE says the format: .csv, .tsv, .json, .jsonl. Its columns are fields of the
      entity; the column "id" ("_id" where "id" is a field) is left out: records get new identifiers.
      When one row is wrong, nothing is added. An entity that does not exist yet is made from the
      file and unsaved like its records. An "id" becomes a field of it, unless it holds identifiers of
      this program or the numbers of the rows.
      """,
    changesData: true
  ) { arguments, session in
    let path = try arguments.require("the file").text
    let name = arguments.take("into") ? try arguments.require("the entity").text : nil
    try arguments.finish()
    guard let format = OutputFormat(path: path) else {
      throw CommandError(
        "\(Value.quoted(path)) does not say its format; it must end in .csv, .tsv, .json or .jsonl"
      )
    }
    do {
      let bytes = try session.services.readFile(path)
      let source = try ImportSource(bytes, format: format)
      let builders = try session.builders(for: source, path: path, into: name)
      return .lines(try session.insert(builders, from: path))
    } catch var error as ImportError {
      error.path = path
      throw error
    }
  }
}

extension Session {
  /// Reads all rows before anything changes, and makes the entities that are missing.
  fileprivate func builders(
    for source: ImportSource,
    path: String,
    into name: String?
  ) throws -> [ImportBuilder] {
    var plan = ImportPlan(session: self)
    // The entity is found before the rows are read, so that a missing name is said at once.
    let target = name ?? (context.schema.entities.isEmpty ? Self.baseName(path) : nil)
    var fallback: String?
    var meter = WorkMeter()
    try source.forEachRow { row in
      try meter.count(row.cells.count)
      var entityName = target ?? row.entityName
      if entityName == nil {
        if fallback == nil { fallback = try entity().name }
        entityName = fallback
      }
      try plan.add(row, to: entityName ?? Self.baseName(path))
    }
    if plan.isEmpty, let target, context.schema.entitiesByName[target] == nil {
      throw CommandError("\(Value.quoted(path)) has no records to make the entity \"\(target)\" of")
    }
    return try plan.finish()
  }

  /// The name of the file without folder and ending.
  private static func baseName(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let name = file.prefix { $0 != "." }
    return name.isEmpty ? "Record" : String(name)
  }

  /// Inserts what was read, and says how many.
  fileprivate func insert(_ builders: [ImportBuilder], from path: String) throws -> [String] {
    var meter = WorkMeter()
    for builder in builders {
      for values in builder.records {
        try meter.count(values.count)
        let record = Record(entity: builder.entity)
        let state = record.persistentState
        for (slot, value) in values.enumerated() { state.set(value, at: slot) }
        context.insert(record)
      }
    }
    let count = builders.reduce(0) { $0 + $1.records.count }
    stepName = "import \(Self.counted(count)) from \(path)"
    guard !builders.isEmpty else { return ["imported 0 records"] }
    return builders.map { builder in
      "imported \(Self.counted(builder.records.count)) into \(builder.entity.name)"
        + (builder.leavesOutValues
          ? ", without the column \"\(builder.entity.identifierKey)\"" : "")
    }
  }
}

/// Sorts the rows of a file by their entities.
private struct ImportPlan {
  let session: Session
  private var names: [String] = []
  private var builders: [String: ImportBuilder] = [:]
  private var waiting: [String: [ImportRow]] = [:]

  init(session: Session) {
    self.session = session
  }

  var isEmpty: Bool { names.isEmpty }

  mutating func add(_ row: ImportRow, to name: String) throws {
    if builders[name] == nil, waiting[name] == nil {
      names.append(name)
      if let entity = session.context.schema.entitiesByName[name] {
        builders[name] = ImportBuilder(entity, session: session)
      } else {
        waiting[name] = []
      }
    }
    if builders[name] == nil {
      waiting[name]?.append(row)
    } else {
      try builders[name]?.add(row)
    }
  }

  /// Makes the entities that are missing, and gives all records in the order of the file.
  mutating func finish() throws -> [ImportBuilder] {
    var created: [Schema.Entity] = []
    var meter = WorkMeter()
    for name in names {
      guard let rows = waiting[name] else { continue }
      var inference = TypeInference()
      for row in rows { inference.add(row) }
      let entity = inference.entity(name)
      var builder = ImportBuilder(entity, session: session, isNew: true)
      for row in rows {
        try meter.count(row.cells.count)
        try builder.add(row)
      }
      builders[name] = builder
      created.append(entity)
    }
    for entity in created { try session.change(.createEntity(entity)) }
    return names.compactMap { builders[$0] }
  }
}
