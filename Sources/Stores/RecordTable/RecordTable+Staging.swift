package import OpenSwiftData

extension RecordTable: RecordReading {
  /// All values, which are at hand.
  package func page(for identifiers: [PersistentIdentifier], attributes: [String]?)
    -> any RecordPage
  {
    page(for: identifiers)
  }
}

extension RecordTable {
  /// The table after those of the steps that are possible.
  ///
  /// - Complexity: O(n) in the records of the entities concerned; other columns are shared.
  func staged(_ steps: [SchemaStep]) throws -> RecordTable {
    if steps.isEmpty { return self }
    let replacement = SchemaStep.possibleReplacement(steps, from: schema).0
    var table = self
    try table.apply(.replaceSchema(replacement))
    return table
  }

  /// Checks that records have values in new required fields without a default.
  ///
  /// - Throws: `PersistenceError` with code `.invalidValue` that names the first record without one.
  func checkRequiredValues(after change: SchemaChange?) throws {
    guard case .replaceSchema(let replacement) = change else { return }
    for entity in replacement.schema.entities {
      for (slot, field) in entity.fields.enumerated()
      where !field.isOptional && field.defaultValue.isNull
        && replacement.origins[entity.name]?[field.name] == nil
      {
        let table = tables[knownPlace(entity.name)]
        try table.forEachRow { row in
          guard table.columns[slot].nulls[row] else { return }
          throw PersistenceError(
            .invalidValue,
            "\(entity.name).\(field.name): a value is required (record \(table.keys[row]))"
          )
        }
      }
    }
  }

  /// Links to missing records, one line each.
  ///
  /// - Complexity: O(n log n) in the number of links.
  func danglingLinks() -> [String] { schema.entities.flatMap { danglingLinks(of: $0) } }

  private func danglingLinks(of entity: Schema.Entity) -> [String] {
    var lines: [String] = []
    for (slot, attribute) in entity.fields.enumerated()
    where attribute.type.destination != nil {
      forEachRow(entity: entity.name) { row in
        for link in value(entity: entity.name, row: row, slot: slot).linkedIdentifiers
        where self.row(of: link) == nil {
          lines.append(
            "\(entity.name).\(attribute.name): links to \(link), which does not exist "
              + "(record \(identifier(entity: entity.name, row: row)))"
          )
        }
      }
    }
    return lines
  }
}
