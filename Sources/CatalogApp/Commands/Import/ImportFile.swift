import OpenSwiftData

/// `import`: adds the records of a file.
struct ImportFile: Instruction {
  let path: String
  /// The entity for all records; nil to use the one that the file or the session names.
  let entityName: String?

  static let command = Command(
    "import",
    usage: "FILE [into ENTITY]",
    summary: "import the records in a file as new records",
    details: """
      The extension of FILE selects the format: .csv, .tsv, .json or .jsonl. Its columns are fields of the
      entity; the column "id" ("_id" if "id" is a field) is ignored: imported records get new identifiers.
      If any row is invalid, nothing is imported. A missing entity is created from the file and is unsaved
      like its records; its "id" column becomes a field unless it holds catalog identifiers or row numbers,
      in which case the result says so. Times without a zone are UTC in an existing datetime field, as when
      they are typed; in a new entity they stay text. A JSON object of arrays is imported as one entity
      per array. Files are UTF-8; commas separate the fields of .csv, tabs those of .tsv.
      """,
    changesData: true,
    canBeStopped: true,
    progress: "import …",
    takesFile: true
  ) { arguments, _ in
    let path = try arguments.require("file name").text
    let name = arguments.take("into") ? try arguments.require("entity name").text : nil
    try arguments.finish()
    return ImportFile(path: path, entityName: name)
  }

  func perform(in session: Session) throws -> Outcome {
    guard let format = OutputFormat(path: path) else {
      throw CommandError(
        "\(Value.quoted(path)): unknown format; use a name ending in .csv, .tsv, .json or .jsonl"
      )
    }
    do {
      let bytes = try session.services.readFile(path)
      let source = try ImportSource(bytes, format: format)
      let plan = try session.plan(for: source, path: path, into: entityName)
      let lines = try session.insert(plan.builders, from: path) + plan.lines
      return .lines(lines + plan.newHeadings.compactMap(source.separatorNote))
    } catch var error as ImportError {
      error.path = path
      throw error
    }
  }
}

extension Session {
  /// Reads all rows before anything changes, and creates missing entities.
  fileprivate func plan(
    for source: ImportSource,
    path: String,
    into name: String?
  ) throws -> ImportPlan {
    var plan = ImportPlan(session: self)
    let target = name ?? (context.schema.entities.isEmpty ? Self.baseName(path) : nil)
    var fallback = target
    var meter = WorkMeter()
    var firstName: String?
    try source.forEachRow { row in
      try meter.count(row.cells.count)
      if name != nil, let own = row.entityName {
        try Self.requireOneEntity(own, firstName ?? own, row)
        firstName = own
      }
      // "into" takes precedence over the entity that the file names, the file over all other names.
      var entityName = name ?? row.entityName
      if entityName == nil {
        if fallback == nil { fallback = try targetEntity().name }
        entityName = fallback
      }
      try plan.add(row, to: entityName ?? Self.baseName(path))
    }
    if plan.isEmpty, let target, context.schema.entitiesByName[target] == nil {
      throw CommandError("\(Value.quoted(path)): no records to create entity \"\(target)\" from")
    }
    try plan.finish()
    return plan
  }

  /// The current entity, for records whose file does not name one.
  private func targetEntity() throws -> Schema.Entity {
    do {
      return try entity()
    } catch let error as CommandError {
      throw CommandError("\(error.message); \"into NAME\" names one, or creates it")
    }
  }

  /// Rejects a file that would put the records of several entities into one.
  private static func requireOneEntity(_ name: String, _ first: String, _ row: ImportRow)
    throws(ImportError)
  {
    guard name != first else { return }
    throw ImportError(
      line: row.line,
      "records of several entities (\(first), \(name)); "
        + "omit \"into\" to import each under its own name"
    )
  }

  /// The name of the file without folder and extension.
  private static func baseName(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let name = file.prefix { $0 != "." }
    return name.isEmpty ? "Record" : String(name)
  }

  /// Inserts the records, and reports how many.
  fileprivate func insert(_ builders: [ImportBuilder], from path: String) throws -> [String] {
    for builder in builders { try context.insert(builder.records, of: builder.entity) }
    let count = builders.reduce(0) { $0 + $1.records.count }
    notes.stepName = "import \(Self.counted(count)) from \(path)"
    guard !builders.isEmpty else { return ["imported 0 records"] }
    return builders.map { builder in
      "imported \(Self.counted(builder.records.count)) into \(builder.entity.name)"
        + (builder.leavesOutValues
          ? " (column \"\(builder.entity.identifierKey)\" ignored)" : "")
    }
  }
}
