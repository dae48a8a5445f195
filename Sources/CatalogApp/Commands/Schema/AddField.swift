import OpenSwiftData

/// `field add`: adds a field to an entity.
struct AddField: Instruction {
  let entityName: String
  let attribute: Schema.Attribute

  static let command = Command(
    "field add",
    usage: "[ENTITY] FIELD:TYPE[!][=DEFAULT]",
    summary: "add a field to an entity",
    details: "Existing records get the default. " + CreateEntity.specificationDetails,
    changesData: true
  ) { arguments, session in
    let entity = try arguments.takeEntity(before: 1, in: session)
    let attribute = try Schema.Attribute(arguments.require("FIELD:TYPE"))
    return AddField(entityName: entity.name, attribute: attribute)
  }

  func perform(in session: Session) throws -> Outcome {
    let note = try session.change(.addAttribute(entity: entityName, attribute))
    session.notes.stepName = "field add \(attribute.name)"
    return .schema("added \(attribute.name) to \(entityName)", note)
  }
}

extension Arguments {
  /// Reads the name of an entity if more words are left than the command needs after it.
  mutating func takeEntity(before count: Int, in session: Session) throws -> Schema.Entity {
    guard remaining.count > count, let word = next() else {
      return try session.entity()
    }
    return try session.entity(word.text)
  }
}
