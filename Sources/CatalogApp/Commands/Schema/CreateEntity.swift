import OpenSwiftData

/// `entity create`: adds an entity to the schema.
struct CreateEntity: Instruction {
  let entity: Schema.Entity
  /// True if nothing happens when an entity has the name already.
  var isIfMissing = false

  static let command = Command(
    "entity create",
    usage: "NAME FIELD:TYPE[!][=DEFAULT] … [if missing]",
    summary: "create an entity",
    details: specificationDetails + """
      \nWith "if missing", nothing happens if the entity exists, whatever its fields are; "schema check"
      compares them.
      """,
    changesData: true
  ) { arguments, session in
    let name = try arguments.require("entity name").text
    var attributes: [Schema.Attribute] = []
    var isIfMissing = false
    while !isIfMissing, let word = arguments.next() {
      isIfMissing = word.isKeyword("if") && arguments.take("missing")
      if !isIfMissing { attributes.append(try Schema.Attribute(word)) }
    }
    guard isIfMissing || session.context.schema.entitiesByName[name] == nil else {
      throw CommandError("entity \(Value.quoted(name)) already exists", code: .invalidSchema)
    }
    guard !attributes.isEmpty else {
      throw CommandError("missing field; give at least one FIELD:TYPE")
    }
    return CreateEntity(
      entity: Schema.Entity(name, attributes: attributes),
      isIfMissing: isIfMissing
    )
  }

  /// The syntax of a field, for the help of the commands that create fields.
  static let specificationDetails = """
    TYPE is one of \(AttributeType.spellings.joined(separator: ", ")); ! makes a value required.
    After a link, :cascade deletes the record when the one it refers to is deleted, :deny refuses that
    deletion; otherwise the link is cleared. Schema changes are unsaved like any other
    change: "save" writes them, "undo" reverses them.
    """

  func perform(in session: Session) throws -> Outcome {
    if isIfMissing, session.context.schema.entitiesByName[entity.name] != nil {
      return .done("entity \(entity.name) already exists")
    }
    let note = try session.change(.createEntity(entity))
    session.notes.stepName = "entity create \(entity.name)"
    return .schema("created entity \(entity.name)", note)
  }
}

extension Outcome {
  /// The outcome of a schema change; scripts print it if the change took effect immediately.
  static func schema(_ text: String, _ note: String?) -> Outcome {
    guard let note else { return .done(text) }
    return .note("\(text), \(note)")
  }
}

extension Session {
  /// Changes the schema as an unsaved change, or immediately if the store cannot keep it unsaved.
  ///
  /// - Returns: A note about the change; nil for none.
  /// - Throws: `PersistenceError` if the change is not possible, `SaveFailure` if the store cannot
  ///   write it.
  @discardableResult
  func change(_ change: SchemaChange) throws -> String? {
    try store.requireFile()
    if case .createEntity(let entity) = change { try store.requireLastingName(entity) }
    if try context.canStageSchema() {
      try context.stage(change)
      notes.warning = store.schemaWarning(SchemaStep(change).map { [$0] } ?? [])
      return nil
    }
    guard settings.saving == .atOnce, notes.refused == nil else {
      throw CommandError(
        "this store changes its schema immediately, which --atomic, --dry-run and preview do not allow",
        code: .unsupported
      )
    }
    try store.requireSavedState(for: "changing the schema")
    _ = try context.schema.applying(change)
    guard try context.canChangeSchema() else {
      // Throws the error of a store whose schema cannot change; nothing was to be saved.
      try context.apply(change)
      return nil
    }
    try SaveFailure.describing("schema not changed") { try context.apply(change) }
    return
      "takes effect immediately, cannot be undone: this store cannot keep schema changes unsaved"
  }
}

extension CurrentStore {
  /// Checks that the fields can be saved, unlike those of records from a pipe.
  func requireFile() throws {
    guard isPipe else { return }
    throw CommandError(
      "the fields of a pipe cannot be changed; use saveas FILE, and change them there",
      code: .unsupported
    )
  }

  /// False if the tables belong to another program.
  var allowsSchemaChanges: Bool {
    context.container.stores.allSatisfy { ($0 as? any StagingStore)?.allowsSchemaChanges ?? true }
  }

  /// A warning about parts of new entities and fields that a store cannot keep; nil for a store with a
  /// schema.
  func schemaWarning(_ steps: [SchemaStep]) -> String? {
    let isNew = steps.contains { step in
      switch step {
      case .createEntity, .addAttribute, .convertAttribute: true
      case .removeEntity, .renameAttribute, .dropAttribute: false
      }
    }
    guard isNew, context.infersTypes else { return nil }
    return
      "\(name) keeps no types, rules or empty fields; use saveas NEW.json"
  }

  /// Checks that there are no unsaved changes.
  func requireSavedState(for work: String) throws {
    guard !context.hasChanges else {
      throw CommandError("unsaved changes; run \"save\" or \"rollback\" before \(work)")
    }
  }
}

extension Schema.Attribute {
  /// Parses `FIELD:TYPE[!][=DEFAULT]`.
  ///
  /// - Throws: `CommandError` that describes the problem.
  convenience init(_ word: CommandText.Word) throws {
    let specification = Array((word.assignment?.name ?? word.text).utf8)
    // A colon in quotes belongs to the name, unless the quotes enclose the whole word.
    let outside = word.colon.flatMap { $0 < specification.count ? $0 : nil }
    guard let colon = outside ?? specification.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
      throw CommandError("\(Value.quoted(word.text)) is not a field definition; use FIELD:TYPE")
    }
    // The name may have colons: the type begins at the first one that a type follows.
    let colons = specification.indices[colon...]
      .filter { specification[$0] == UInt8(ascii: ":") }
    let place =
      colons.first {
        AttributeType.reading(Self.type(after: $0, in: specification).spelling) != nil
      }
      ?? colon
    let name = String(decoding: specification[..<place], as: UTF8.self)
    let (spelling, isRequired) = Self.type(after: place, in: specification)
    guard let (type, rule) = AttributeType.reading(spelling) else {
      throw CommandError(
        Suggestion.message("\(name): unknown type", spelling, among: AttributeType.spellings)
      )
    }
    var defaultValue = Value.null
    if let text = word.assignment?.value, !text.isEmpty || word.isValueQuoted {
      if !word.isValueQuoted { try ScriptState.requireWord(text, for: name, type) }
      do {
        defaultValue = try Value(parsing: text, as: type)
      } catch {
        throw CommandError("\(name): invalid default: \(error)")
      }
    }
    self.init(
      name,
      type,
      isOptional: !isRequired,
      defaultValue: defaultValue,
      deleteRule: rule
    )
  }

  /// The spelling of a type after a colon, without the mark of a required field.
  private static func type(after colon: Int, in specification: [UInt8]) -> (
    spelling: String, isRequired: Bool
  ) {
    let text = String(decoding: specification[(colon + 1)...], as: UTF8.self)
    let isRequired = text.hasSuffix("!")
    return (isRequired ? String(text.dropLast()) : text, isRequired)
  }
}
