import OpenSwiftData

extension Command {
  /// `field add`: adds a field to an entity.
  static let fieldAdd = Command(
    "field add",
    usage: "[ENTITY] FIELD:TYPE[!][=DEFAULT]",
    summary: "add a field to an entity",
    details: "Existing records get the default. " + Command.specificationDetails,
    changesData: true
  ) { arguments, session in
    let entity = try session.takeEntity(&arguments, before: 1)
    let word = try arguments.require("FIELD:TYPE")
    try arguments.finish()
    let attribute = try Schema.Attribute(word)
    let note = try session.change(.addAttribute(entity: entity.name, attribute))
    return .schema("added \(attribute.name) to \(entity.name)", note)
  }
}

extension Session {
  /// Takes the name of an entity when more words are left than the command needs after it.
  func takeEntity(_ arguments: inout Arguments, before count: Int) throws -> Schema.Entity {
    guard arguments.remaining.count > count, let word = arguments.next() else {
      return try entity()
    }
    return try entity(word.text)
  }
}
