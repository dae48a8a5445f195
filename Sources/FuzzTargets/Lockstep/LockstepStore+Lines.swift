extension LockstepStore {
  /// The script line of a step; the closure names records, otherwise conditions on their tags do.
  static func line(_ step: LockstepStep, _ name: (String, Int) -> String?) -> String {
    func words(_ assignments: [LockstepAssignment]) -> String {
      assignments.map { assignment in
        let field = assignment.field
        let text: String
        switch assignment.cell.normalized {
        case .missing: text = ""
        case .value(let value):
          text = LockstepLine.quoted(LockstepLine.typed(value, field.type ?? .text))
        case .links(let tags):
          text = LockstepLine.quoted(
            tags.map { name(field.destination ?? "", $0) ?? "?\($0)" }.joined(separator: ",")
          )
        }
        return " \(LockstepLine.quoted(field.name))=\(text)"
      }.joined()
    }
    func target(_ entity: String, _ target: LockstepTarget) -> String {
      switch target {
      case .record(let tag):
        name(entity, tag) ?? "\(LockstepLine.quoted(entity)) where tag = \(tag)"
      case .matching(let condition):
        "\(LockstepLine.quoted(entity)) where \(LockstepLine.text(condition))"
      }
    }
    switch step {
    case .insert(let entity, let tag, let assignments):
      return "insert \(LockstepLine.quoted(entity)) tag=\(tag)" + words(assignments)
    case .set(let entity, let what, let assignments):
      return "set \(target(entity, what))" + words(assignments)
    case .delete(let entity, let what): return "delete \(target(entity, what))"
    case .create(let entity):
      return "entity create \(LockstepLine.quoted(entity.name)) tag:integer"
        + entity.fields.map { " " + $0.definition }.joined()
    case .add(let entity, let field):
      return "field add \(LockstepLine.quoted(entity)) \(field.definition)"
    case .rename(let entity, let old, let new):
      return "field rename \([entity, old, new].map(LockstepLine.quoted).joined(separator: " "))"
    case .drop(let entity, let field):
      return "field drop \(LockstepLine.quoted(entity)) \(LockstepLine.quoted(field))"
    case .count(let entity, let condition):
      return "count \(LockstepLine.quoted(entity)) where \(LockstepLine.text(condition))"
    case .frequencies(let entity, let field):
      return "freq \(LockstepLine.quoted(entity)) \(LockstepLine.quoted(field.name))"
    case .list(let entity, let condition, let isReversed, let limit, let offset):
      return "list \(LockstepLine.quoted(entity)) where \(LockstepLine.text(condition)) "
        + "sort \(isReversed ? "-" : "")tag limit \(limit) offset \(offset)"
    case .show(let entity, let tag):
      return "show " + (name(entity, tag) ?? "\(LockstepLine.quoted(entity)) \(tag)")
    case .stats(let entity, let field):
      return "stats \(LockstepLine.quoted(entity)) \(LockstepLine.quoted(field.name))"
    case .wrong(let line): return line
    case .importBack(let entity, let format, let new), .importNew(let entity, let format, let new):
      return "# \(entity) is exported as \(format) and imported as \(new)"
    case .revert(let entity, let tag, let back): return "# revert \(entity) \(tag) by \(back)"
    case .copy(let ending): return "saveas copy.\(ending)"
    case .begin(let entity):
      let objects = entity.records.map { object($0, entity.fields) }
      return "# the file: [" + objects.joined(separator: ", ") + "]"
    case .reopen: return "# the store is opened again"
    default: return "\(step)"
    }
  }
}
