import OpenSwiftData

/// `explain`: prints how the store finds the records of a list.
struct Explain: Instruction {
  let selection: RecordSelection

  static let command = Command(
    "explain",
    usage: "[ENTITY] [where P] [sort [-]FIELD,…] [limit N] [offset N]",
    summary: "print how the store finds the records of a list",
    details: """
      For a database, prints the SQL statement, and then which indexes it uses and whether it sorts. Other
      stores read all records of the entity in memory.
      """
  ) { arguments, session in
    Explain(selection: try RecordSelection(reading: &arguments, in: session))
  }

  func perform(in session: Session) throws -> Outcome {
    let query = selection.query
    session.notes.remarks += query.filter.textsComparedWithDates.map {
      "\($0) is text and compared letter by letter, not as dates; \"field type \(CommandText.quoted($0)) date\" converts it"
    }
    let entity = try session.context.schema.entity(named: query.entityName)
    guard let store = session.store.explainingStore, !query.needsRecords(of: entity) else {
      let step: String
      if let names = query.filter.requiredTexts(of: entity.identifierKey) {
        step = "finds \(counted(names.count)) by identifier"
      } else {
        let count = try session.context.fetchCount(matching: Query(query.entityName))
        step = "scans \(counted(count)) in memory"
      }
      return .facts(Facts([step], members(nil, [step]), isObject: true))
    }
    let found = try store.explanation(of: query)
    return .facts(
      Facts([found.statement] + found.steps, members(found.statement, found.steps), isObject: true)
    )
  }

  private func members(_ statement: String?, _ steps: [String]) -> [Facts.Member] {
    let texts = steps.map { Value.text($0).jsonText }.joined(separator: ",")
    return [
      ("sql", statement.map { Value.text($0).jsonText } ?? "null"), ("steps", "[\(texts)]"),
    ]
  }
}

extension CurrentStore {
  /// The open store, if it is a database that can say what it does.
  var explainingStore: (any ExplainingStore)? {
    guard context.container.stores.count == 1 else { return nil }
    return context.container.stores[0] as? any ExplainingStore
  }
}
