import OpenSwiftData

extension Command {
  /// `entity create`: adds an entity to the schema.
  static let entityCreate = Command(
    "entity create",
    usage: "NAME FIELD:TYPE[!][=DEFAULT] …",
    summary: "add an entity, at once and for good",
    details: Command.specificationDetails,
    changesData: true
  ) { arguments, session in
    let name = try arguments.require("the name of the entity").text
    guard session.context.schema.entitiesByName[name] == nil else {
      throw CommandError("there is an entity \(Value.quoted(name)) already")
    }
    var attributes: [Schema.Attribute] = []
    while let word = arguments.next() { attributes.append(try Schema.Attribute(word)) }
    guard !attributes.isEmpty else {
      throw CommandError("an entity needs a field; write it as FIELD:TYPE")
    }
    try session.change(.createEntity(Schema.Entity(name, attributes: attributes)))
    return .done("created the entity \(name)")
  }

  /// What a field may be, for the help of the commands that make some.
  static let specificationDetails = """
    TYPE is one of \(AttributeType.spellings.joined(separator: ", ")); ! makes a value required.
    There must be no unsaved changes.
    """
}

extension Session {
  /// Changes the schema, after a look that it is possible.
  ///
  /// - Throws: `PersistenceError` when it is not, `SaveFailure` when the store cannot write it.
  func change(_ change: SchemaChange) throws {
    try requireSavedState(for: "changing the schema")
    _ = try context.schema.applying(change)
    do {
      try context.apply(change)
    } catch let error as PersistenceError where error.code == .unsupported {
      throw error
    } catch {
      throw SaveFailure(cause: error)
    }
  }

  /// Makes sure that nothing is unsaved.
  func requireSavedState(for work: String) throws {
    guard !context.hasChanges else {
      throw CommandError("there are unsaved changes; \"save\" or \"rollback\" before \(work)")
    }
  }
}

extension Schema.Attribute {
  /// Reads `FIELD:TYPE[!][=DEFAULT]`.
  ///
  /// - Throws: `CommandError` that says what is wrong with it.
  convenience init(_ word: CommandLine.Word) throws {
    let specification = Array((word.assignment?.name ?? word.text).utf8)
    // A colon in quotes belongs to the name, unless the whole stands in quotes.
    let outside = word.colon.flatMap { $0 < specification.count ? $0 : nil }
    guard let colon = outside ?? specification.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
      throw CommandError("\(Value.quoted(word.text)) is no field; write it as FIELD:TYPE")
    }
    let name = String(decoding: specification[..<colon], as: UTF8.self)
    var spelling = String(decoding: specification[(colon + 1)...], as: UTF8.self)[...]
    let isRequired = spelling.hasSuffix("!")
    if isRequired { spelling = spelling.dropLast() }
    guard let type = AttributeType(String(spelling)) else {
      throw CommandError(
        "\(name): \(Value.quoted(String(spelling))) is no type of field; "
          + Suggestion.text(for: String(spelling), among: AttributeType.spellings)
      )
    }
    var defaultValue = Value.null
    if let text = word.assignment?.value, !text.isEmpty || word.isValueQuoted {
      do {
        defaultValue = try Value(parsing: text, as: type)
      } catch {
        throw CommandError("the default of \(name): \(error)")
      }
    }
    self.init(name, type, isOptional: !isRequired, defaultValue: defaultValue)
  }
}
