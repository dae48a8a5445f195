import OpenSwiftData

/// `import`: adds the records of a file.
struct ImportFile: Instruction {
  let path: String
  /// The entity for all records; nil to use the one that the file or the session names.
  let entityName: String?

  /// The fields that identify records; nil to insert every record.
  var keys: [String]?
  /// True to delete the records that the file lacks.
  var isMirror = false
  /// How the file is read; nil if nothing is said.
  var reading: ReadingOptions?
  /// How many records `mirror` must delete; nil for any number.
  var expectation: Expectation?

  static let command = Command(
    "import",
    usage: "FILE|- [read OPTIONS] [into ENTITY] [by FIELD,… [mirror [expect N]]]",
    summary: "import the records in a file as new records, or update those with the same key",
    details: """
      \(formatDetails) Its columns are fields of the
      entity; the column "id" ("_id" if "id" is a field) is ignored: imported records get new identifiers.
      If any row is invalid, nothing is imported. A missing entity is created from the file and is unsaved
      like its records; its "id" column becomes a field unless it holds catalog identifiers or row numbers,
      in which case the result says so. Times without a zone are UTC in an existing datetime field, as when
      they are typed; in a new entity they stay text. A JSON object of arrays is imported as one entity
      per array. Separated values are read as when they are opened: delimiter, encoding and header are found out,
      unless "read" says them, as in read "header=no missing=NA".
      A row may have fewer values than the first line, which a note reports.
      With "by", a row updates the record that has the same values in these fields, and is inserted if no record
      matches; fields that the file lacks stay as they are. With "by id", records keep the identifiers of the
      file. "mirror" deletes the records that the file lacks; with "expect N", nothing changes unless it deletes
      N of them, also <=N and the like. A key can be a field of a linked record, such as author.name. Prints
      "imported: I inserted, U updated, S unchanged, D deleted".
      """,
    changesData: true,
    progress: "import …",
    takesFile: true
  ) { arguments, _ in
    let path = try arguments.require("file name").text
    var name: String?
    var keys: [String]?
    var given: Set<String> = []
    var expectation: Expectation?
    var reading: ReadingOptions?
    while let word = arguments.peek {
      if try arguments.takeOnce("into", &given) {
        name = try arguments.require("entity name").text
      } else if reading == nil, let options = try arguments.takeReading() {
        reading = options
      } else if try arguments.takeOnce("by", &given) {
        keys = try arguments.requireKeys()
      } else if given.contains("mirror"), try arguments.takeOnce("expect", &given) {
        expectation = try arguments.requireExpectation()
      } else if try !arguments.takeOnce("mirror", &given) {
        throw CommandError("unexpected \(Value.quoted(word.text)) after the command")
      }
    }
    let isMirror = given.contains("mirror")
    guard keys != nil || !isMirror else {
      throw CommandError("mirror: missing key; use \"by FIELD mirror\"")
    }
    return ImportFile(
      path: path,
      entityName: name,
      keys: keys,
      isMirror: isMirror,
      reading: reading,
      expectation: expectation
    )
  }

  /// How the format of a file is found, for the help of the commands that read one.
  static let formatDetails = """
    The extension of FILE selects the format: .csv, .tsv, .psv, .json or .jsonl, each also with .gz or .zst. What - (standard
    input) or a pipe contains is recognized, unless --format names it.
    """

  func perform(in session: Session) throws -> Outcome {
    // An entity that does not exist yet has no fields.
    let schema = session.context.schema
    let target = try? entityName.map(schema.entity(named:)) ?? session.entity()
    var source = try session.importSource(path, reading: reading) {
      target?.fieldsByName[$0]?.type == .text
    }
    if let entity = target {
      source.takeHeader { entity.fieldsByName[$0] != nil || $0 == entity.identifierKey }
    }
    // All rows are read before anything but the types changes.
    session.valueIndex = ValueIndex()
    defer { session.valueIndex = nil }
    return try ImportError.naming(path, in: source) { [source] in
      if entityName != nil {
        let other = ", or omit \"into\" to import each under its own name"
        try source.requireOneEntity(path, orElse: other)
      }
      try session.keepTexts(in: source, of: entityName)
      if let keys {
        let outcome = try update(from: source, by: keys, session)
        session.notes.remarks += source.notes(path, keepsFields: true)
        return outcome
      }
      return try Leftovers.released(ImportPlan(session: session)) { plan in
        try read(source, &plan, session)
        return try insert(plan, from: source, session)
      }
    }
  }

  /// Inserts the rows that were read.
  private func insert(_ plan: ImportPlan, from source: ImportSource, _ session: Session) throws
    -> Outcome
  {
    let inserted = try insert(plan.builders, session)
    session.notes.remarks += source.notes(path)
    let notes =
      try plan.lines + plan.lostLinks(of: source.schema())
      + plan.newHeadings.compactMap(source.separatorNote)
    let count = plan.builders.reduce(0) { $0 + $1.count }
    if session.settings.answersPrograms {
      session.notes.remarks += plan.builders.compactMap(\.identifierNote) + notes
    }
    return .facts(Facts(inserted + notes, [("inserted", String(count))]))
  }

  /// Reads all rows before anything changes, and creates missing entities.
  private func read(_ source: ImportSource, _ plan: inout ImportPlan, _ session: Session) throws {
    let schema = session.context.schema
    let target = entityName ?? (schema.entities.isEmpty ? firstEntityName(session) : nil)
    if let name = target ?? (try? Self.targetEntity(session).name),
      try plan.addColumns(of: source, to: name)
    {
      return try plan.finish()
    }
    var fallback = target
    try source.forEachRow { row in
      // "into" takes precedence over the entity that the file names, the file over all other names.
      var name = entityName ?? row.entityName
      if name == nil {
        if fallback == nil { fallback = try Self.targetEntity(session).name }
        name = fallback
      }
      try plan.add(row, to: name ?? firstEntityName(session))
    }
    if plan.isEmpty {
      try checkColumns(of: source, for: target ?? self.target(ofEmpty: source, session), session)
    }
    if plan.isEmpty, let target, session.context.schema.entitiesByName[target] == nil {
      throw CommandError("\(Value.quoted(path)): no records to create entity \"\(target)\" from")
    }
    try plan.finish()
  }

  /// Checks the columns of a file without rows.
  ///
  /// - Throws: `ImportError` for an unknown field.
  private func checkColumns(of source: ImportSource, for name: String?, _ session: Session) throws {
    guard let row = source.headingRow,
      let entity = name.flatMap({ session.context.schema.entitiesByName[$0] })
    else { return }
    var links = LinkColumns(entity, in: session.context.schema)
    var builder = ImportBuilder(entity, session: session)
    try builder.bind(links.row(row))
  }

  /// The current entity, for records whose file does not name one.
  static func targetEntity(_ session: Session) throws -> Schema.Entity {
    do {
      return try session.entity()
    } catch let error as CommandError {
      throw CommandError("\(error.message); \"into NAME\" names one, or creates it")
    }
  }

  /// The name of the first entity of a store: that of the store if it is a file of one entity, or else that of the
  /// imported file.
  func firstEntityName(_ session: Session) -> String {
    session.store.nameOfOnlyEntity ?? Self.baseName(path)
  }

  /// The name of the file without folder and extension.
  static func baseName(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let name = file.prefix { $0 != "." }
    return name.isEmpty ? "Record" : String(name)
  }

  /// Inserts the records, and reports how many.
  private func insert(_ builders: [ImportBuilder], _ session: Session) throws -> [String] {
    for builder in builders { try builder.insert(into: session.context) }
    let count = builders.reduce(0) { $0 + $1.count }
    session.notes.stepName = "import \(counted(count)) from \(path)"
    guard !builders.isEmpty else { return ["imported 0 records"] }
    return builders.map { builder in
      "imported \(counted(builder.count)) into \(builder.entity.name)"
        + (builder.identifierNote.map { " (\($0))" } ?? "")
    }
  }
}
