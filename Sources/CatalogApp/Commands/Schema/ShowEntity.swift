import OpenSwiftData

/// `entity`: shows the records of another entity on the screen.
struct ShowEntity: Instruction {
  let name: String

  static let command = Command(
    "entity",
    usage: "NAME",
    summary: "show the records of another entity",
    details: "Commands that do not name an entity then use this one."
  ) { arguments, session in
    let entities = session.context.schema.entities
    guard session.origin.isOnScreen || arguments.remaining.count < 2 else {
      throw CommandError("entity: expected create")
    }
    guard let word = arguments.next() else {
      let names = entities.map(\.name).joined(separator: ", ")
      if names.isEmpty, !session.store.allowsSchemaChanges {
        throw CommandError(Session.noTablesReason)
      }
      throw CommandError(
        names.isEmpty ? "no entities yet; create one with entity create" : "which entity? \(names)"
      )
    }
    let alike = entities.filter { $0.name.lowercased() == word.text.lowercased() }
    if session.context.schema.entitiesByName[word.text] == nil, alike.count == 1 {
      return ShowEntity(name: alike[0].name)
    }
    return ShowEntity(name: try session.context.schema.entity(named: word.text).name)
  }

  func perform(in session: Session) throws -> Outcome { try session.show(.show(entity: name)) }
}
