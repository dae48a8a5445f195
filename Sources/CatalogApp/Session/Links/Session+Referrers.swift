import OpenSwiftData

/// The records of an entity that refer to another record by one field.
struct Referrers {
  let entity: Schema.Entity
  let field: Schema.Attribute
  /// The records, in the order of the store.
  let records: [PersistentIdentifier]
  /// True if there are more.
  let continues: Bool
}

extension ModelContext {
  /// The records that refer to a record, by each field that does.
  ///
  /// At most `limit` by each field, and from the lists of links of at most `mostLists` records; nil for all.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records whose fields can refer to the record.
  func referrers(to identifier: PersistentIdentifier, limit: Int? = nil, mostLists: Int? = nil)
    throws -> [Referrers]
  {
    var result: [Referrers] = []
    for entity in schema.entities {
      for field in entity.fields {
        guard let destination = field.type.destination,
          schema.accepts(identifier.entityName, for: destination)
        else { continue }
        try Interruption.check()
        let wanted = limit.map { $0 + 1 }
        let found =
          if case .link = field.type {
            try fetchIdentifiers(
              matching: Query(
                entity.name,
                filter: .compare(field.name, .equal, .link(identifier)),
                limit: wanted
              )
            )
          } else {
            try listing(identifier, in: field, of: entity, limit: wanted, mostLists)
          }
        guard !found.isEmpty else { continue }
        let shown = limit.map { Array(found.prefix($0)) } ?? found
        result.append(
          Referrers(
            entity: entity,
            field: field,
            records: shown,
            continues: shown.count < found.count
          )
        )
      }
    }
    return result
  }

  /// The records whose list of links has a record.
  private func listing(
    _ identifier: PersistentIdentifier,
    in field: Schema.Attribute,
    of entity: Schema.Entity,
    limit: Int?,
    _ mostLists: Int?
  ) throws -> [PersistentIdentifier] {
    let candidates = try fetchIdentifiers(
      matching: Query(entity.name, filter: .not(.isNull(field.name)), limit: mostLists)
    )
    var found: [PersistentIdentifier] = []
    for batch in candidates.batches {
      try Interruption.check()
      let lists = try snapshots(for: Array(batch), attributes: [field.name])
      found += batch.filter {
        lists[$0]?.orderedValues.first?.linkedIdentifiers.contains(identifier) ?? false
      }
      if let limit, found.count >= limit { break }
    }
    return limit.map { Array(found.prefix($0)) } ?? found
  }
}
