import OpenSwiftData

extension Session {
  /// Reads `ID …` or `[ENTITY] where P` up to the end of the line; duplicate records are removed.
  ///
  /// On the screen, a line without records means the selected ones.
  ///
  /// With `untilExpect`, the word `expect` ends the records, too.
  func takeTarget(_ arguments: inout Arguments, untilExpect: Bool = false) throws -> Target {
    func isAtEnd() -> Bool {
      arguments.peek.map { untilExpect && $0.isKeyword("expect") } ?? true
    }
    if let filtered = try takeFilteredEntity(&arguments) {
      if !isAtEnd() { try arguments.finish() }
      return .query(filtered.query)
    }
    if isAtEnd(), origin.screen != nil { return .selection }
    if let records = try takeInputTarget(&arguments) { return .records(records) }
    var named = [try arguments.require("record ID or \"where\"")]
    while !isAtEnd(), let word = arguments.next() { named.append(word) }
    var seen: Set<PersistentIdentifier> = []
    return .records(
      try named.map { try liveIdentifier(script.recordName($0, in: context.schema)) }.filter {
        seen.insert($0).inserted
      }
    )
  }

  /// Reads `[ENTITY] where P` if the next words have that form.
  func takeFilteredEntity(_ arguments: inout Arguments) throws
    -> (entity: Schema.Entity, query: Query)?
  {
    guard arguments.startsFilteredEntity else { return nil }
    let entity = try takeEntity(&arguments)
    _ = arguments.take("where")
    let filter = try arguments.requirePredicate(for: entity, in: self)
    return (entity, Query(entity.name, filter: filter))
  }

  /// The records of a target that exist and are not deleted here.
  ///
  /// - Throws: `CommandError` if none of the given records exists any longer, or nothing is selected.
  /// - Complexity: O(n) in the number of records.
  func identifiers(of target: Target) throws -> [PersistentIdentifier] {
    switch target {
    case .query(let query): return try fetchIdentifiers(query)
    case .records(let identifiers):
      let found = try context.present(identifiers)
      guard let first = identifiers.first, found.isEmpty else { return found }
      guard context.schema.entitiesByName[first.entityName] != nil else {
        throw CommandError("\(first.entityName): removed by another program", code: .unknownEntity)
      }
      throw CommandError("record \(first) no longer exists", code: .unknownRecord)
    case .selection:
      let found = try context.present(origin.screen?.targets() ?? [])
      guard !found.isEmpty else { throw CommandError("no record selected") }
      return found
    }
  }

  /// The entity of a target's records.
  func entityName(of target: Target) throws -> String {
    switch target {
    case .query(let query): query.entityName
    case .records(let identifiers): try identifiers.first?.entityName ?? entity().name
    case .selection: try origin.screen?.entityName ?? entity().name
    }
  }
}
